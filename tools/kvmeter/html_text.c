/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "escape.h"
#include "html_text.h"
#include "util.h"

void html_text(FILE *out, const char *text)
{
	escape_html(text, out);
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
