/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ktap.h"
#include "units.h"
#include "util.h"

/* Enough for any table; a program that hangs may print for ever. */
#define TEXT_MAX (1 << 20)

static void add(struct ktap *k, struct ktap_line line)
{
	k->lines = xrealloc(k->lines, k->nr + 1, sizeof(*k->lines));
	k->lines[k->nr++] = line;
	if (line.kind != KTAP_TEXT)
		k->nr_results++;
}

/* Past @word at the beginning of @text, or NULL. */
static const char *after(const char *text, const char *word)
{
	size_t len = strlen(word);

	return strncmp(text, word, len) ? NULL : text + len;
}

static const char *skip_blanks(const char *text)
{
	return text + strspn(text, " \t");
}

static const struct {
	const char *words;
	enum ktap_kind kind;
} skips[] = {
	{ "not verified: ", KTAP_UNVERIFIED },
	{ "not applicable: ", KTAP_NOT_APPLICABLE },
	{ "", KTAP_SKIP },
};

/* Without the backslashes before # and \; to be freed. */
static char *unescape(const char *text)
{
	char *plain = xstrdup(text), *to = plain;

	for (; *text; text++) {
		if (*text == '\\' && (text[1] == '#' || text[1] == '\\'))
			text++;
		*to++ = *text;
	}
	*to = '\0';
	return plain;
}

/* What stands behind the # of a result. */
static void read_rest(struct ktap_line *line, const char *rest)
{
	const char *why = NULL;

	if (line->kind != KTAP_OK || strncasecmp(rest, "SKIP", 4)) {
		line->detail = unescape(rest);
		return;
	}
	rest = skip_blanks(rest + strcspn(rest, " \t"));
	for (size_t i = 0; !why; i++) {
		why = after(rest, skips[i].words);
		if (why)
			line->kind = skips[i].kind;
	}
	line->why = unescape(why);
}

/* "ok 3 - what # SKIP why" from behind the words on. */
static bool read_result(struct ktap *k, enum ktap_kind kind, const char *text)
{
	struct ktap_line line = { .kind = kind };
	const char *rest;
	size_t len;

	if (*text && !isblank((unsigned char)*text))
		return false;
	text = skip_blanks(text);
	text = skip_blanks(text + strspn(text, "0123456789"));
	if (after(text, "- "))
		text += 2;
	rest = *text == '#' ? text : strstr(text, " # ");
	if (rest)
		read_rest(&line, skip_blanks(rest + (rest == text ? 1 : 2)));
	len = rest ? (size_t)(rest - text) : strlen(text);
	line.text = xasprintf("%.*s", (int)len, text);
	add(k, line);
	return true;
}

static bool read_plan(struct ktap *k, const char *text)
{
	char *end;
	long planned = strtol(text, &end, 10);

	if (end == text || planned < 0 || k->planned >= 0)
		return false;
	k->planned = planned;
	return true;
}

static bool read_structure(struct ktap *k, const char *text)
{
	const char *rest;

	if ((rest = after(text, "not ok")))
		return read_result(k, KTAP_NOT_OK, rest);
	if ((rest = after(text, "ok")))
		return read_result(k, KTAP_OK, rest);
	if ((rest = after(text, "1..")))
		return read_plan(k, rest);
	if ((rest = after(text, "Bail out!"))) {
		free(k->bail_out);
		k->bail_out = xstrdup(skip_blanks(rest));
		return false; /* a line to be seen, too */
	}
	return after(text, "KTAP version ") || after(text, "TAP version ");
}

static void read_line(struct ktap *k, const char *text, size_t *left)
{
	size_t len;

	if (read_structure(k, text))
		return;
	if (*text == '#')
		text += text[1] == ' ' ? 2 : 1;
	len = strlen(text) + 1;
	if (len > *left) {
		*left = 0;
		k->omitted++;
		return;
	}
	*left -= len;
	add(k, (struct ktap_line){ .text = xstrdup(text) });
}

int ktap_read(struct ktap *k, const char *path)
{
	FILE *f = fopen(path, "re");
	size_t left = TEXT_MAX, size = 0;
	char *text = NULL;
	ssize_t len;
	int error;

	*k = (struct ktap){ .planned = -1 };
	if (!f)
		return errno;
	errno = 0;
	while ((len = getline(&text, &size, f)) > 0) {
		/* a string goes to its first zero byte: there shall be none */
		for (ssize_t i = 0; i < len; i++)
			if (!text[i])
				text[i] = '?';
		text[strcspn(text, "\n")] = '\0';
		read_line(k, text, &left);
	}
	error = ferror(f) ? errno : 0;
	free(text);
	fclose(f);
	return error;
}

void ktap_free(struct ktap *k)
{
	for (size_t i = 0; i < k->nr; i++) {
		free(k->lines[i].text);
		free(k->lines[i].why);
		free(k->lines[i].detail);
		free(k->lines[i].point);
		free(k->lines[i].check);
	}
	free(k->lines);
	free(k->bail_out);
	*k = (struct ktap){ .planned = -1 };
}

/* "vcpus=1 bytes=64M log_mode=ring"; to be freed. */
static char *point_label(json_t *point)
{
	json_t *config = json_object_get(point, "config"), *value;
	char *label = xstrdup("");
	const char *key;

	json_object_foreach(config, key, value)
	{
		char buf[UNIT_LEN], *longer;
		const char *text = json_string_value(value);

		if (!text && !strcmp(key, "bytes"))
			text = format_size(buf, json_integer_value(value));
		if (!text) {
			snprintf(buf, sizeof(buf), "%lld",
				 (long long)json_integer_value(value));
			text = buf;
		}
		longer = xasprintf("%s%s%s=%s", label, *label ? " " : "", key,
				   text);
		free(label);
		label = longer;
	}
	return label;
}

/* Of those that a results file has as well. */
static struct ktap_line *next_result(struct ktap *k, size_t *at)
{
	while (*at < k->nr && (k->lines[*at].kind == KTAP_TEXT ||
			       k->lines[*at].kind == KTAP_NOT_APPLICABLE))
		++*at;
	return *at < k->nr ? &k->lines[(*at)++] : NULL;
}

/*
 * Visits results and checks side by side; @set: stores what belongs together.
 * Returns whether they do. Results may end early, as the program has.
 */
static bool pair_up(struct ktap *k, const json_t *points, bool set)
{
	const json_t *check;
	struct ktap_line *line;
	json_t *point;
	size_t at = 0, i, c;

	json_array_foreach(points, i, point)
	{
		json_array_foreach(json_object_get(point, "checks"), c, check)
		{
			const char *name = json_string_value(
				json_object_get(check, "name"));

			line = next_result(k, &at);
			if (!line)
				return true;
			if (!name || !strstr(line->text, name))
				return false;
			if (!set)
				continue;
			line->check = xstrdup(name);
			line->point = point_label(point);
		}
	}
	return !next_result(k, &at);
}

void ktap_attach(struct ktap *k, const json_t *results)
{
	const json_t *points = json_object_get(results, "points");

	if (pair_up(k, points, false))
		pair_up(k, points, true);
}

const struct ktap_line *ktap_find(const struct ktap *k, enum ktap_kind kind)
{
	for (size_t i = 0; i < k->nr; i++)
		if (k->lines[i].kind == kind)
			return &k->lines[i];
	return NULL;
}
