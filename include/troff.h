/* SPDX-License-Identifier: GPL-2.0-only */
/* Text for man pages: man(7), groff_man(7). Any thread. */
#ifndef KVMETER_TROFF_H
#define KVMETER_TROFF_H

#include <stdio.h>

/* @text so that troff takes none of its characters for a request. */
void troff_text(const char *text, FILE *out);

/* "\fB...\fR" and "\fI...\fR" around such text. */
void troff_bold(const char *text, FILE *out);
void troff_italic(const char *text, FILE *out);

#endif
