/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A memory cgroup of this process alone, of version 2 or 1, that lets no more
 * than so much of what the process allocates from now on stay: the rest is
 * swapped. See Documentation/admin-guide/cgroup-v2.rst.
 *
 * The process goes back to its own cgroup, and that of ours goes, by
 * memory_limit_free() or when the process ends by exit(). Main thread only.
 */
#ifndef KVMETER_MEMORY_LIMIT_H
#define KVMETER_MEMORY_LIMIT_H

#include "types.h"

struct memory_limit;

/*
 * Why this process cannot have @bytes of memory swapped, and what would help;
 * NULL if it can. Static storage.
 */
const char *memory_limit_missing(u64 bytes);

/*
 * Discards [@mem, @mem + @bytes) and limits what is allocated from now on, of
 * which there will be little else, to @limit_bytes. One at a time.
 */
struct memory_limit *memory_limit_create(void *mem, u64 bytes, u64 limit_bytes);
void memory_limit_free(struct memory_limit *limit); /* NULL is fine */

/* Counts from zero. */
void memory_limit_renew(struct memory_limit *limit);

/*
 * Were as many pages swapped in since then as all of them being touched takes,
 * and did no more stay than may? Returns what was seen, to be freed.
 */
char *memory_limit_judge(struct memory_limit *limit, bool *ok);

#endif
