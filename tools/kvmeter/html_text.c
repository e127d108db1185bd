/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "html_text.h"
#include "util.h"

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

/*
 * The character at @s and its length in bytes; 0 if it is not valid UTF-8
 * (RFC 3629): too long for its value, a surrogate, beyond U+10FFFF, cut off.
 */
static u32 decode(const unsigned char *s, size_t *len)
{
	static const u32 least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	u32 c = *s;
	size_t i;

	*len = 1;
	if (c < 0x80)
		return c;
	if (c < 0xc2 || c > 0xf4)
		return 0;
	*len = c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
	c &= 0x7f >> *len;
	for (i = 1; i < *len; i++) {
		if ((s[i] & 0xc0) != 0x80) {
			*len = i;
			return 0;
		}
		c = c << 6 | (s[i] & 0x3f);
	}
	if (c < least[*len] || (c >= 0xd800 && c <= 0xdfff) || c > 0x10ffff)
		return 0;
	return c;
}

/* Unicode's bidirectional formatting characters (UAX #9), which hide things. */
static bool turns_direction(u32 c)
{
	return c == 0x61c || c == 0x200e || c == 0x200f ||
	       (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

static bool is_text(u32 c)
{
	return c >= 0x20 && !(c >= 0x7f && c < 0xa0) && !turns_direction(c) &&
	       (c & 0xfffe) != 0xfffe && !(c >= 0xfdd0 && c <= 0xfdef);
}

void html_text(FILE *out, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t len;

	for (; *s; s += len) {
		u32 c = decode(s, &len);

		if (c == '\n' || c == '\t')
			fputc(' ', out);
		else if (!is_text(c))
			fputs(REPLACEMENT, out);
		else if (c < 0x80 && strchr("<>&\"'", c))
			fprintf(out, "&#%u;", c);
		else
			fwrite(s, 1, len, out);
	}
}

void html_format(FILE *out, const char *fmt, ...)
{
	char *text;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		die("out of memory");
	va_end(ap);
	html_text(out, text);
	free(text);
}

void html_element(FILE *out, const char *open, const char *text)
{
	fprintf(out, "<%s>", open);
	html_text(out, text);
	fprintf(out, "</%.*s>", (int)strcspn(open, " "), open);
}
