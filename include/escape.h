/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Text of unknown origin (names and details in results, what a program printed)
 * where its characters could mean something. Bytes that are not UTF-8 become
 * U+FFFD. Any thread.
 */
#ifndef KVMETER_ESCAPE_H
#define KVMETER_ESCAPE_H

#include <stdio.h>
#include "types.h"

/* On one line: line ends and tabs become spaces, other control characters ?. */
void escape_line(const char *text, FILE *out);

/*
 * The same, but line ends and tabs stay: a message of one or several lines, as
 * it goes to a terminal.
 */
void escape_lines(const char *text, FILE *out);

/* Is it more, or something else, than one line of text? */
bool escape_needed(const char *text);

/*
 * The name of a result in KTAP: the same, and # becomes U+FF03, because
 * kunit.py takes no name that has one, escaped or not.
 */
void escape_ktap(const char *text, FILE *out);

/* What stands behind its # : the same, and a backslash before # and \. */
void escape_ktap_detail(const char *text, FILE *out);

/* As it is, but for bytes that are not UTF-8. */
void escape_bytes(const char *text, FILE *out);

/*
 * All of a JSON text: control characters that it may hold as they are (DEL, C1)
 * become \u00XX, which means the same.
 */
void escape_json(const char *text, FILE *out);

/* Text in Markdown, on one line, such as a cell of a table. */
void escape_markdown(const char *text, FILE *out);

/* Content or attribute in XML 1.0: characters that it does not allow go. */
void escape_xml(const char *text, FILE *out);

/*
 * The same for HTML that shows what others wrote, on one line: what is no text,
 * and what would turn the direction of writing (UAX #9), becomes U+FFFD.
 */
void escape_html(const char *text, FILE *out);

#endif
