/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What "kvmeter run" runs: a text file of one line each,
 *
 *	NAME [timeout=SECONDS]: BENCHMARK [OPTION]...
 *
 * words as of words.h. Empty lines, and those that begin with #, do not count.
 */
#ifndef KVMETER_SUITE_H
#define KVMETER_SUITE_H

#include <stddef.h>
#include "input.h"
#include "types.h"

struct suite_line {
	char *name;    /* of files, and as results are named */
	size_t number; /* of the line */
	u64 timeout_s; /* 0: the suite does not say */
	char **words;  /* benchmark and options, ended by NULL */
};

struct suite {
	const char *name; /* "quick", or the file's */
	size_t nr;
	struct suite_line *lines;
};

/*
 * @name is that of a built-in suite, else a file's. What makes no sense goes to
 * @p, "FILE:LINE: why" each.
 */
void suite_read(struct suite *s, const char *name, struct problems *p);

/* Why no line can be called so, or NULL. */
const char *suite_name_fault(const char *name);

/* Why a command line must not have these words, or NULL. */
const char *suite_refuses(char *const *words);

/* The text of a built-in suite, or NULL; names end by NULL. */
const char *suite_text(const char *name);
extern const char *const suite_names[];

#endif
