/* SPDX-License-Identifier: GPL-2.0-only */
/* Text in lines of at most FILL_WIDTH columns. */
#ifndef KVMETER_FILL_H
#define KVMETER_FILL_H

#include <stdio.h>

#define FILL_WIDTH 80

/*
 * Prints the words of @text and a newline. The cursor is at column @indent,
 * and each further line begins there. A word that is too long stays whole, so
 * that it can be pasted.
 */
void fill(const char *text, int indent, FILE *out);

#endif
