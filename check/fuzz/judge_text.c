/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether what is made of a hostile file could hurt those who look at it. */
#include <ctype.h>
#include <string.h>
#include <strings.h>
#include "fuzz.h"

#define DEPTH_MAX 64

/* A text that is read, and where. */
struct reader {
	const char *what;
	const char *at, *end;
	bool is_plain; /* for terminals, which obey more than parsers do */
	/* names of elements that are open: within the text */
	size_t depth;
	struct {
		const char *name;
		size_t len;
	} open[DEPTH_MAX];
};

static void __noreturn refuse(const struct reader *r, const char *why)
{
	size_t left = r->end - r->at;

	fuzz_fault("%s: %s: %.*s", r->what, why, (int)min_u64(left, 60), r->at);
}

/* Bytes that follow the first one of a character; refuses what is none. */
static size_t check_lead(const struct reader *r)
{
	unsigned char c = *r->at;

	if (c < 0x20 && c != '\n' && c != '\t')
		refuse(r, "a control character");
	if (c == 0x7f && r->is_plain)
		refuse(r, "a control character");
	if (c < 0x80)
		return 0;
	if (c < 0xc2 || c > 0xf4)
		refuse(r, "no UTF-8");
	return c < 0xe0 ? 1 : c < 0xf0 ? 2 : 3;
}

static void check_character(struct reader *r)
{
	size_t more = check_lead(r), left = r->end - r->at;
	unsigned char c = *r->at, next = left > 1 ? r->at[1] : 0;
	size_t i;

	if (more >= left)
		refuse(r, "UTF-8 that ends early");
	if ((c == 0xe0 && next < 0xa0) || (c == 0xed && next > 0x9f) ||
	    (c == 0xf0 && next < 0x90) || (c == 0xf4 && next > 0x8f))
		refuse(r, "no character of Unicode");
	if (c == 0xc2 && next < 0xa0 && r->is_plain)
		refuse(r, "a control character");
	for (i = 1; i <= more; i++)
		if ((r->at[i] & 0xc0) != 0x80)
			refuse(r, "UTF-8 that ends early");
	r->at += more + 1;
}

void judge_plain(const char *what, const char *text, size_t bytes)
{
	struct reader r = {
		.what = what, .at = text, .end = text + bytes, .is_plain = true
	};

	while (r.at < r.end)
		check_character(&r);
}

static bool skip(struct reader *r, const char *word)
{
	size_t len = strlen(word);

	if ((size_t)(r->end - r->at) < len || memcmp(r->at, word, len))
		return false;
	r->at += len;
	return true;
}

static void skip_past(struct reader *r, const char *word)
{
	while (!skip(r, word))
		if (r->at++ == r->end)
			refuse(r, word);
}

static size_t name_length(const struct reader *r)
{
	const char *s = r->at;

	while (s < r->end && (isalnum((unsigned char)*s) || strchr(":-_", *s)))
		s++;
	if (s == r->at)
		refuse(r, "a < or & that stands for itself");
	return s - r->at;
}

/* From behind the & on. */
static void check_entity(struct reader *r)
{
	static const char *const names[] = { "amp;",  "lt;",   "gt;",
					     "quot;", "apos;", NULL };
	const char *const *name;

	for (name = names; *name; name++)
		if (skip(r, *name))
			return;
	if (!skip(r, "#"))
		refuse(r, "a & that stands for itself");
	skip(r, "x");
	r->at += name_length(r);
	if (!skip(r, ";"))
		refuse(r, "a reference without end");
}

static bool is_name(const char *name, size_t len, const char *word)
{
	return strlen(word) == len && !strncasecmp(name, word, len);
}

static void check_attribute(struct reader *r)
{
	size_t len = name_length(r);
	const char *name = r->at;

	r->at += len;
	if (!skip(r, "=\""))
		refuse(r, "an attribute without a value");
	if (len > 1 && !strncasecmp(name, "on", 2))
		refuse(r, "an attribute that runs something");
	if ((is_name(name, len, "href") || is_name(name, len, "src")) &&
	    *r->at != '#')
		refuse(r, "a link to elsewhere");
	while (r->at < r->end && *r->at != '"') {
		if (*r->at == '<')
			refuse(r, "a < in a value");
		if (skip(r, "&"))
			check_entity(r);
		else
			r->at++;
	}
	if (!skip(r, "\""))
		refuse(r, "a value without end");
}

static void check_element(struct reader *r)
{
	static const char *const active[] = { "script", "iframe", "object",
					      "embed",	"img",	  "link",
					      "base",	"form",	  NULL };
	size_t len = name_length(r);
	const char *const *word, *name = r->at;

	for (word = active; *word; word++)
		if (is_name(name, len, *word))
			refuse(r, "an element that runs or fetches something");
	r->at += len;
	while (skip(r, " ") || skip(r, "\n"))
		check_attribute(r);
	if (skip(r, "/>"))
		return;
	if (!skip(r, ">"))
		refuse(r, "a tag without end");
	if (r->depth == DEPTH_MAX)
		refuse(r, "too deep");
	r->open[r->depth].name = name;
	r->open[r->depth++].len = len;
}

static void check_end_tag(struct reader *r)
{
	size_t len = name_length(r);

	if (!r->depth || r->open[--r->depth].len != len ||
	    memcmp(r->open[r->depth].name, r->at, len))
		refuse(r, "an end of what is not open");
	r->at += len;
	if (!skip(r, ">"))
		refuse(r, "a tag without end");
}

static void check_markup(struct reader *r)
{
	if (skip(r, "<!--"))
		skip_past(r, "-->");
	else if (skip(r, "<?") || skip(r, "<!DOCTYPE"))
		skip_past(r, ">");
	else if (skip(r, "</"))
		check_end_tag(r);
	else if (skip(r, "<"))
		check_element(r);
	else if (skip(r, "&"))
		check_entity(r);
	else
		r->at++;
}

void judge_markup(const char *what, const char *text, size_t bytes)
{
	struct reader r = { .what = what, .at = text, .end = text + bytes };

	while (r.at < r.end)
		check_character(&r);
	r.at = text;
	while (r.at < r.end)
		check_markup(&r);
	if (r.depth)
		refuse(&r, "an element without end");
}
