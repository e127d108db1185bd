/* SPDX-License-Identifier: GPL-2.0-only */
#include <string.h>
#include "escape.h"
#include "types.h"

#define NOT_UTF8 "\357\277\275"	 /* U+FFFD */
#define WIDE_HASH "\357\274\203" /* U+FF03 */

/* Shortest forms only, no surrogates: RFC 3629, section 4. */
static const struct form {
	unsigned char first, last; /* of the leading byte */
	unsigned char mask;
	int bytes;
	u32 least;
} forms[] = {
	{ 0x00, 0x7f, 0x7f, 1, 0x0 },
	{ 0xc2, 0xdf, 0x1f, 2, 0x80 },
	{ 0xe0, 0xef, 0x0f, 3, 0x800 },
	{ 0xf0, 0xf4, 0x07, 4, 0x10000 },
};

/* Bytes of the character at @s, 0 if it is none; its number in @c. */
static int decode(const unsigned char *s, u32 *c)
{
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		const struct form *f = &forms[i];

		if (*s < f->first || *s > f->last)
			continue;
		*c = *s & f->mask;
		for (int k = 1; k < f->bytes; k++) {
			if ((s[k] & 0xc0) != 0x80)
				return 0;
			*c = *c << 6 | (s[k] & 0x3f);
		}
		if (*c < f->least || *c > 0x10ffff ||
		    (*c >= 0xd800 && *c <= 0xdfff))
			return 0;
		return f->bytes;
	}
	return 0;
}

/* C0 and C1, and what makes a new line in some readers. */
static bool is_control(u32 c)
{
	return c < ' ' || (c >= 0x7f && c < 0xa0) || c == 0x2028 || c == 0x2029;
}

static void put_line(u32 c, const char *bytes, int nr, FILE *out)
{
	if (c == '\n' || c == '\t')
		fputc(' ', out);
	else if (is_control(c))
		fputc('?', out);
	else
		fwrite(bytes, 1, nr, out);
}

/* Of several lines, which are meant to be. */
static void put_lines(u32 c, const char *bytes, int nr, FILE *out)
{
	if (c == '\n' || c == '\t')
		fputc((int)c, out);
	else
		put_line(c, bytes, nr, out);
}

static void put_ktap(u32 c, const char *bytes, int nr, FILE *out)
{
	if (c == '#')
		fputs(WIDE_HASH, out);
	else
		put_line(c, bytes, nr, out);
}

static void put_ktap_detail(u32 c, const char *bytes, int nr, FILE *out)
{
	if (c == '#' || c == '\\')
		fputc('\\', out);
	put_line(c, bytes, nr, out);
}

/* Production 2 of XML 1.0: what a document may hold at all. */
static bool is_xml(u32 c)
{
	return c >= ' ' ? c != 0xfffe && c != 0xffff :
			  c == '\t' || c == '\n' || c == '\r';
}

static void put_xml(u32 c, const char *bytes, int nr, FILE *out)
{
	/* a line end would become a space in an attribute */
	if (c == '\n' || c == '\t' || c == '\r' ||
	    (c < 0x80 && c && strchr("<>&\"'", c)))
		fprintf(out, "&#%u;", c);
	else if (is_xml(c))
		fwrite(bytes, 1, nr, out);
}

static void put_all(u32 c __maybe_unused, const char *bytes, int nr, FILE *out)
{
	fwrite(bytes, 1, nr, out);
}

static void put_json(u32 c, const char *bytes, int nr, FILE *out)
{
	if (c >= ' ' && is_control(c))
		fprintf(out, "\\u%04x", c);
	else
		fwrite(bytes, 1, nr, out);
}

/* What begins something in Markdown of any kind. */
static void put_markdown(u32 c, const char *bytes, int nr, FILE *out)
{
	if (c && c < 0x80 && strchr("\\`*_[]<>|#&~", (int)c))
		fputc('\\', out);
	put_line(c, bytes, nr, out);
}

/* Unicode's bidirectional formatting characters: text could look like other. */
static bool turns_direction(u32 c)
{
	return c == 0x61c || c == 0x200e || c == 0x200f ||
	       (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

/* HTML's noncharacters: the last two of each plane, and 32 more. */
static bool is_noncharacter(u32 c)
{
	return (c & 0xfffe) == 0xfffe || (c >= 0xfdd0 && c <= 0xfdef);
}

static void put_html(u32 c, const char *bytes, int nr, FILE *out)
{
	if (c == '\n' || c == '\t')
		fputc(' ', out);
	else if (is_control(c) || turns_direction(c) || is_noncharacter(c))
		fputs(NOT_UTF8, out);
	else if (c < 0x80 && strchr("<>&\"'", c))
		fprintf(out, "&#%u;", c);
	else
		fwrite(bytes, 1, nr, out);
}

static void each_character(const char *text, FILE *out,
			   void (*put)(u32 c, const char *bytes, int nr,
				       FILE *out))
{
	while (*text) {
		u32 c = 0;
		int nr = decode((const unsigned char *)text, &c);

		if (nr)
			put(c, text, nr, out);
		else
			fputs(NOT_UTF8, out);
		text += nr ? nr : 1;
	}
}

bool escape_needed(const char *text)
{
	while (*text) {
		u32 c;
		int nr = decode((const unsigned char *)text, &c);

		if (!nr || is_control(c))
			return true;
		text += nr;
	}
	return false;
}

void escape_line(const char *text, FILE *out)
{
	each_character(text, out, put_line);
}

void escape_lines(const char *text, FILE *out)
{
	each_character(text, out, put_lines);
}

void escape_ktap(const char *text, FILE *out)
{
	each_character(text, out, put_ktap);
}

void escape_ktap_detail(const char *text, FILE *out)
{
	each_character(text, out, put_ktap_detail);
}

void escape_xml(const char *text, FILE *out)
{
	each_character(text, out, put_xml);
}

void escape_bytes(const char *text, FILE *out)
{
	each_character(text, out, put_all);
}

void escape_json(const char *text, FILE *out)
{
	each_character(text, out, put_json);
}

void escape_markdown(const char *text, FILE *out)
{
	each_character(text, out, put_markdown);
}

void escape_html(const char *text, FILE *out)
{
	each_character(text, out, put_html);
}
