/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Mutations that leave most of a JSON text as it is, so that what they change
 * is reached: bytes at random are but syntax errors. A part that is no JSON,
 * and one in BYTES_EVERY of the others, is left to libFuzzer's own mutations.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "fuzz.h"
#include "values.h"

#define BYTES_EVERY 16
#define COPIES_MAX 64
#define DEPTH_MAX 3000 /* more than jansson takes */

size_t LLVMFuzzerMutate(u8 *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(u8 *data, size_t size, size_t max_size,
			       unsigned int seed);

/* Where a value is: in an object by @key, or else in an array. */
struct place {
	json_t *in;
	const char *key;
	size_t index;
};

static u64 random_state;

/* splitmix64, seeded by libFuzzer: inputs are the same for a seed. */
static size_t below(size_t nr)
{
	u64 z = random_state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return (z ^ z >> 31) % nr;
}

/* ---- places ---- */

/* Keeps each of the values below @in with the same probability. */
static void choose_below(json_t *in, struct place *chosen, size_t *seen)
{
	const char *key;
	json_t *value;
	size_t i;

	json_object_foreach(in, key, value)
	{
		if (below(++*seen) == 0)
			*chosen = (struct place){ in, key, 0 };
		choose_below(value, chosen, seen);
	}
	json_array_foreach(in, i, value)
	{
		if (below(++*seen) == 0)
			*chosen = (struct place){ in, NULL, i };
		choose_below(value, chosen, seen);
	}
}

static bool choose(json_t *root, struct place *chosen)
{
	size_t seen = 0;

	choose_below(root, chosen, &seen);
	return seen > 0;
}

static json_t *get(const struct place *p)
{
	return p->key ? json_object_get(p->in, p->key) :
			json_array_get(p->in, p->index);
}

/* Takes @value. */
static void set(const struct place *p, json_t *value)
{
	if (p->key)
		json_object_set_new(p->in, p->key, value);
	else
		json_array_set_new(p->in, p->index, value);
}

/* ---- values ---- */

static json_t *odd_string(void)
{
	if (below(2))
		return json_string(fuzz_hostile[below(fuzz_hostile_nr)]);
	return json_string(fuzz_strings[below(fuzz_strings_nr)]);
}

/* Small, or near to a power of two. */
static json_t *odd_integer(void)
{
	u64 near = below(2) ? (u64)1 << below(64) : below(20);

	return json_integer(near + below(3) - 1);
}

static json_t *odd_number(const json_t *old)
{
	if (json_is_integer(old) && below(2))
		return json_integer((u64)json_integer_value(old) *
				    (below(4) + 1) / (below(4) + 1));
	if (below(2))
		return odd_integer();
	return json_real(fuzz_reals[below(fuzz_reals_nr)]);
}

static json_t *nested(void)
{
	size_t depth = below(8) ? below(8) : below(DEPTH_MAX);
	bool in_objects = below(2);
	json_t *value = odd_integer(), *outer;

	while (depth--) {
		outer = in_objects ? json_object() : json_array();
		if (in_objects)
			json_object_set_new(outer, "a", value);
		else
			json_array_append_new(outer, value);
		value = outer;
	}
	return value;
}

static json_t *odd_value(const json_t *old)
{
	switch (below(8)) {
	case 0:
		return json_null();
	case 1:
		return json_boolean(below(2));
	case 2:
		return nested();
	case 3:
		return below(2) ? json_array() : json_object();
	case 4:
	case 5:
		return odd_string();
	default:
		return odd_number(old);
	}
}

/* ---- mutations of a tree ---- */

static void replace(json_t *root, const struct place *p)
{
	json_t *old = get(p);

	(void)root;
	if (json_is_number(old) && below(2))
		set(p, odd_number(old));
	else if (json_is_string(old) && below(2))
		set(p, odd_string());
	else
		set(p, odd_value(old));
}

static void take_away(json_t *root, const struct place *p)
{
	(void)root;
	if (p->key)
		json_object_del(p->in, p->key);
	else
		json_array_remove(p->in, p->index);
}

/* In an array beside it, and maybe changed; in an object by another name. */
static void copy(json_t *root, const struct place *p)
{
	size_t nr = below(4) ? 1 : below(COPIES_MAX);
	struct place inner;

	(void)root;
	while (nr--) {
		json_t *value = json_deep_copy(get(p));

		if (below(2) && choose(value, &inner))
			replace(value, &inner);
		if (!p->key)
			json_array_insert_new(p->in, p->index, value);
		else
			json_object_set_new(
				p->in, fuzz_strings[below(fuzz_strings_nr)],
				value);
	}
}

/* From elsewhere in the text. */
static void graft(json_t *root, const struct place *p)
{
	struct place other;

	if (choose(root, &other))
		set(p, json_deep_copy(get(&other)));
}

static void add_member(json_t *root, const struct place *p)
{
	json_t *value = get(p);

	(void)root;
	if (json_is_object(value))
		json_object_set_new(value, fuzz_strings[below(fuzz_strings_nr)],
				    odd_value(NULL));
	else if (json_is_array(value))
		json_array_append_new(value, odd_value(NULL));
	else
		replace(root, p);
}

/* Results are compared by it: in any other way they are refused. */
static void scale_samples(json_t *root, const struct place *p)
{
	json_t *samples = p->in;
	size_t nr = json_array_size(samples), i;
	size_t times = below(5), by = below(4) + 1;

	(void)root;
	for (i = 0; i < nr; i++)
		json_array_set_new(
			samples, i,
			json_integer((u64)json_integer_value(
					     json_array_get(samples, i)) *
					     times / by +
				     below(3)));
}

/* ---- of all of it, which leaves it valid where one at a time would not ----
 */

#define ONE_IN 4

/* Behind what strings say: names stay those that belong together. */
static void spoil_strings(json_t *root, const char *hostile, size_t one_in)
{
	const char *key;
	json_t *value;
	char *text;
	size_t i;

	json_object_foreach(root, key, value)
	{
		if (!json_is_string(value) || !strcmp(key, "schema") ||
		    below(one_in))
			spoil_strings(value, hostile, one_in);
		else if (asprintf(&text, "%s%s", json_string_value(value),
				  hostile) >= 0) {
			json_object_set_new(root, key, json_string(text));
			free(text);
		}
	}
	json_array_foreach(root, i, value)
		spoil_strings(value, hostile, one_in);
}

static void spoil_numbers(json_t *root)
{
	const char *key;
	json_t *value;
	size_t i;

	json_object_foreach(root, key, value)
	{
		if (json_is_integer(value) && below(ONE_IN) == 0)
			json_object_set_new(root, key, odd_integer());
		else
			spoil_numbers(value);
	}
	json_array_foreach(root, i, value)
	{
		if (json_is_integer(value) && below(ONE_IN) == 0)
			json_array_set_new(root, i, odd_integer());
		else
			spoil_numbers(value);
	}
}

static void mutate_tree(json_t *root)
{
	static void (*const mutations[])(json_t * root,
					 const struct place *p) = {
		replace, replace, take_away,  copy,
		copy,	 graft,	  add_member, scale_samples,
	};
	size_t nr = 1 + below(below(2) ? 2 : 6);
	struct place p;

	switch (below(8)) {
	case 0:
		spoil_strings(root, fuzz_hostile[below(fuzz_hostile_nr)],
			      (size_t)1 << below(6));
		return;
	case 1:
		spoil_numbers(root);
		return;
	}
	while (nr-- && choose(root, &p))
		mutations[below(ARRAY_SIZE(mutations))](root, &p);
}

/* ---- texts ---- */

/* A malloc()ed text instead of @text, or NULL. */
static char *mutate_json(const char *text, size_t bytes)
{
	json_t *root = json_loadb(text, bytes, 0, NULL);
	char *mutated;

	if (!root)
		return NULL;
	mutate_tree(root);
	mutated = json_dumps(root, below(2) ? JSON_COMPACT : JSON_INDENT(1));
	json_decref(root);
	return mutated;
}

/* Into the text, what no tree has: numbers out of range, keys twice. */
static char *spoil(const char *text, size_t bytes)
{
	const char *word = fuzz_syntax[below(fuzz_syntax_nr)];
	size_t at = below(bytes + 1), tries = 8;
	char *spoilt = NULL;

	while (tries-- && at < bytes && !strchr("{[:,", text[at]))
		at = below(bytes + 1);
	if (at < bytes)
		at++;
	if (asprintf(&spoilt, "%.*s%s%.*s", (int)at, text, word,
		     (int)(bytes - at), text + at) < 0)
		return NULL;
	return spoilt;
}

/* One of the files in the text, from @begin to below @end. */
static void choose_file(const char *text, size_t size, size_t *begin,
			size_t *end)
{
	const char *next;
	size_t seen = 0, at = 0, len;

	for (;; at += len + 1) {
		next = memchr(text + at, FUZZ_SEPARATOR, size - at);
		len = next ? (size_t)(next - text) - at : size - at;
		if (below(++seen) == 0) {
			*begin = at;
			*end = at + len;
		}
		if (!next)
			return;
	}
}

/* Puts @part in the place of what stands there, or behind it as one more. */
static size_t put_part(u8 *data, size_t size, size_t max_size, size_t begin,
		       size_t end, const char *part)
{
	bool is_more = below(24) == 0;
	size_t len = strlen(part), from = is_more ? end : begin;

	if (size - (end - from) + len + is_more > max_size)
		return 0;
	memmove(data + from + is_more + len, data + end, size - end);
	if (is_more)
		data[from] = FUZZ_SEPARATOR;
	memcpy(data + from + is_more, part, len);
	return size - (end - from) + len + is_more;
}

/* By libFuzzer; what stands behind is moved along. */
static size_t mutate_bytes(u8 *data, size_t size, size_t max_size)
{
	return LLVMFuzzerMutate(data, size, max_size);
}

size_t LLVMFuzzerCustomMutator(u8 *data, size_t size, size_t max_size,
			       unsigned int seed)
{
	size_t begin, end, mutated = 0;
	char *part;

	random_state = seed;
	if (below(BYTES_EVERY) == 0)
		return mutate_bytes(data, size, max_size);
	choose_file((char *)data, size, &begin, &end);
	part = below(BYTES_EVERY) == 0 ?
		       spoil((char *)data + begin, end - begin) :
		       mutate_json((char *)data + begin, end - begin);
	if (part)
		mutated = put_part(data, size, max_size, begin, end, part);
	free(part);
	return mutated ? mutated : mutate_bytes(data, size, max_size);
}
