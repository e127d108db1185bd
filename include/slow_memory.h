/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Host memory that takes long to come, in one of two ways that a benchmark can
 * exchange for each other. The value of --slow names it:
 *
 *   uffd:DELAY_US[,THREADS]  a userfaultfd server gives each page after a delay
 *   swap                     a memory cgroup of our own lets a share of the
 *                            pages stay, the rest has to be swapped in
 *
 * What was changed of the host is put back, however the process ends, short of
 * SIGKILL. Main thread only.
 */
#ifndef KVMETER_SLOW_MEMORY_H
#define KVMETER_SLOW_MEMORY_H

#include "types.h"

/* What a process needs to go on, whatever the memory. */
#define SLOW_MEMORY_LIMIT_MIN MIB(4)

struct slow_memory;

struct slow_memory_config {
	const char *value; /* of --slow */
	void *mem;	   /* private anonymous; what it holds is lost */
	u64 bytes;
	u64 limit_bytes; /* of them, that may stay: swap only */
	/* Writes page number @page to @to. Any thread, no order. */
	void (*fill)(const void *arg, u64 page, void *to);
	const void *arg;
};

/* For an option row: is *@member such a value? Else @why says what would do. */
bool slow_memory_valid(const void *member, const char **why);

/* Does it let a share of the memory stay? */
bool slow_memory_has_limit(const char *value);

/* Skips, with the remedy, if this host cannot do it. */
void slow_memory_require(const char *value, u64 bytes);

struct slow_memory *slow_memory_create(const struct slow_memory_config *cfg);
void slow_memory_free(struct slow_memory *slow); /* NULL is fine */

/*
 * Before another pass over all pages: makes them slow again if they are not.
 * True if this has filled them anew; else they hold what was last written.
 */
bool slow_memory_renew(struct slow_memory *slow);

/*
 * Judges what happened since the last renewal, if every page was touched: were
 * the pages slow? Returns the sentence that says what was seen, to be freed.
 */
char *slow_memory_judge(struct slow_memory *slow, bool *ok);

#endif
