/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Programs for libFuzzer: what kvmeter makes of files that it has not written.
 * An input is a text of several files, separated by U+001E as RFC 7464 has it;
 * so that one is mutated against the others, and a crash is a single file.
 *
 * All of an input happens in one process, as often as 2000 times a second. So
 * endings of the code under test come back here, what it leaves allocated until
 * the process ends is freed, and its functions are called rather than main().
 */
#ifndef KVMETER_FUZZ_H
#define KVMETER_FUZZ_H

#include <stdio.h>
#include "types.h"

#define FUZZ_SEPARATOR '\x1e'
#define FUZZ_FILES_MAX 4
#define FUZZ_RUNS_MAX 3

/* What a program tries: each defines one. */
struct fuzz_target {
	/* names of the files, in the current directory; ended by NULL */
	const char *files[FUZZ_FILES_MAX + 1];
	/*
	 * Called one after the other, even where one has ended the process, as
	 * it thinks; @nr of the files are there, one at least. Ended by NULL.
	 */
	void (*runs[FUZZ_RUNS_MAX + 1])(size_t nr);
};
extern const struct fuzz_target fuzz_target;

/* Ends the program: not what was promised, though nothing has crashed. */
void __noreturn fuzz_fault(const char *fmt, ...) __printf(1, 2);

/* A stream into memory, one at a time, whose end lends what was written. */
FILE *fuzz_stream_open(void);
const char *fuzz_stream_end(size_t *bytes);

/* ---- memory.c ---- */

/*
 * What is allocated in between is freed at the end, or else kept and no leak.
 */
void memory_begin(bool keep);
void memory_end(void);
/* Ends the program if something can no longer be reached. */
void memory_check_leaks(void);

/* ---- judge_text.c ---- */

/*
 * fuzz_fault() unless it is UTF-8 without control characters other than
 * newlines and tabs.
 */
void judge_plain(const char *what, const char *text, size_t bytes);

/* Well-formed XML besides, that runs and fetches nothing. */
void judge_markup(const char *what, const char *text, size_t bytes);

#endif
