/* SPDX-License-Identifier: GPL-2.0-only */
#include "troff.h"

void troff_text(const char *text, FILE *out)
{
	const char *s;

	for (s = text; *s; s++) {
		if (*s == '-')
			fputs("\\-", out);
		else if (*s == '\\')
			fputs("\\e", out);
		else if (*s == '\'')
			fputs("\\(aq", out);
		else if (*s == '\n')
			fputs("\n.br\n", out);
		else if (*s == '.' && (s == text || s[-1] == '\n'))
			fputs("\\&.", out);
		else
			fputc(*s, out);
	}
}

void troff_bold(const char *text, FILE *out)
{
	fputs("\\fB", out);
	troff_text(text, out);
	fputs("\\fR", out);
}

void troff_italic(const char *text, FILE *out)
{
	fputs("\\fI", out);
	troff_text(text, out);
	fputs("\\fR", out);
}
