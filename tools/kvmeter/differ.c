/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdlib.h>
#include <string.h>
#include "differ.h"
#include "util.h"

char *value_text(const json_t *value, const char *none)
{
	char *text;

	if (!value || json_is_null(value))
		return xstrdup(none);
	if (json_is_string(value))
		return xstrdup(json_string_value(value));
	text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
	if (!text)
		die("out of memory");
	return text;
}

static bool is_known(const struct differences *d, const char *what)
{
	size_t i;

	for (i = 0; i < d->nr; i++)
		if (strcmp(d->list[i].what, what) == 0)
			return true;
	return false;
}

static void add(struct differences *d, const char *what, const json_t *before,
		const json_t *after)
{
	if (is_known(d, what))
		return;
	d->list = xrealloc(d->list, d->nr + 1, sizeof(*d->list));
	d->list[d->nr++] = (struct difference){
		.what = xstrdup(what),
		.before = value_text(before, "none"),
		.after = value_text(after, "none"),
	};
}

static bool is_equal(const json_t *a, const json_t *b)
{
	bool none_a = !a || json_is_null(a), none_b = !b || json_is_null(b);

	return none_a || none_b ? none_a && none_b : json_equal(a, b);
}

static bool is_in(const char *const *names, const char *name)
{
	for (; *names; names++)
		if (strcmp(*names, name) == 0)
			return true;
	return false;
}

/* Is it an option that the file's points are about? They speak for it. */
static bool is_swept(const struct results *r, const char *option)
{
	const json_t *point =
		json_array_get(json_object_get(r->root, "points"), 0);

	return json_object_get(json_object_get(point, "config"), option) !=
	       NULL;
}

/* Members of two objects, but for @except. */
struct members {
	const char *prefix;
	const json_t *before, *after;
	const char *const *except;   /* ended by NULL */
	const struct results *swept; /* what it sweeps is no member; or NULL */
};

static void add_members(struct differences *d, const struct members *m)
{
	json_t *both = json_object();
	const char *key;
	json_t *value;

	json_object_update(both, (json_t *)m->before);
	json_object_update_missing(both, (json_t *)m->after);
	json_object_foreach(both, key, value)
	{
		const json_t *before = json_object_get(m->before, key);
		const json_t *after = json_object_get(m->after, key);
		char *what = xasprintf("%s%s", m->prefix, key);

		if (!is_in(m->except, key) &&
		    !(m->swept && is_swept(m->swept, key)) &&
		    !is_equal(before, after))
			add(d, what, before, after);
		free(what);
	}
	json_decref(both);
}

/* Member @key of the object that is a member of both. */
static struct members members_of(const struct members *of, const char *prefix,
				 const char *key, const char *const *except)
{
	return (struct members){
		.prefix = prefix,
		.before = json_object_get(of->before, key),
		.after = json_object_get(of->after, key),
		.except = except,
	};
}

void differ(struct differences *d, const struct results *before,
	    const struct results *after)
{
	/* points tell of sweeps; what was skipped has none, and swept as well
	 */
	static const char *const sweeps[] = { "vcpus", "bytes", "runs", NULL };
	/* the usual reason to compare, and kvm is looked into */
	static const char *const kernel[] = { "kernel", "version", "kvm",
					      NULL };
	static const char *const parameters[] = { "parameters", NULL };
	static const char *const none[] = { NULL };
	struct members file = { "", before->root, after->root, none, NULL },
		       part;

	part = members_of(&file, "", "config", sweeps);
	part.swept = before;
	add_members(d, &part);
	part = members_of(&file, "host.", "host", kernel);
	add_members(d, &part);
	part = members_of(&part, "kvm.", "kvm", parameters);
	add_members(d, &part);
	part = members_of(&part, "", "parameters", none);
	add_members(d, &part);
	if (!is_equal(json_object_get(file.before, "version"),
		      json_object_get(file.after, "version")))
		add(d, "kvmeter", json_object_get(file.before, "version"),
		    json_object_get(file.after, "version"));
}

/* The first file of the same benchmark as @file; NULL: none. */
static const struct results *first_like(const struct side *side,
					const struct results *file)
{
	size_t i;

	for (i = 0; i < side->nr_files; i++)
		if (strcmp(side->files[i]->bench, file->bench) == 0)
			return side->files[i];
	return NULL;
}

/*
 * Finds what any two files of a benchmark differ in, without comparing each
 * with each: unless the first of one side differs from some of the other, all
 * of those are the same, so that one of them speaks for all.
 */
void differ_sides(struct differences *d, const struct side *before,
		  const struct side *after)
{
	const struct results *first;
	size_t i;

	for (i = 0; i < after->nr_files; i++) {
		first = first_like(before, after->files[i]);
		if (first)
			differ(d, first, after->files[i]);
	}
	for (i = 0; i < before->nr_files; i++) {
		first = first_like(after, before->files[i]);
		if (first &&
		    first_like(before, before->files[i]) != before->files[i])
			differ(d, before->files[i], first);
	}
}

void differ_within(struct differences *d, const struct side *side)
{
	const struct results *first;
	size_t i;

	for (i = 1; i < side->nr_files; i++) {
		first = first_like(side, side->files[i]);
		if (first != side->files[i])
			differ(d, first, side->files[i]);
	}
}

bool difference_is_option(const struct difference *d)
{
	return !strchr(d->what, '.') && strcmp(d->what, "kvmeter") != 0;
}

void differences_fini(struct differences *d)
{
	size_t i;

	for (i = 0; i < d->nr; i++) {
		free(d->list[i].what);
		free(d->list[i].before);
		free(d->list[i].after);
	}
	free(d->list);
}
