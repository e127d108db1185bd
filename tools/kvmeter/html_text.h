/* SPDX-License-Identifier: GPL-2.0-only */
/* Text of any origin as HTML that means nothing but that text. */
#ifndef KVMETER_HTML_TEXT_H
#define KVMETER_HTML_TEXT_H

#include <stdio.h>
#include "types.h"

/* For content and for attributes in quotes, by escape_html(). */
void html_text(FILE *out, const char *text);

/* Formats, then does the same with all of it. */
void html_format(FILE *out, const char *fmt, ...) __printf(2, 3);

/* <ELEMENT>text</ELEMENT>, no newline; @open may hold attributes: "td
 * class=\"n\"". */
void html_element(FILE *out, const char *open, const char *text);

#endif
