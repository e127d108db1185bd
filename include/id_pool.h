/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Numbers below a limit that are handed out and taken back: always the lowest
 * that is free, so that what a series of calls gets can be told beforehand.
 *
 * All memory is allocated by init; take and release allocate nothing and make
 * no system call, which lets them stand inside a timed phase. Taking costs at
 * worst a look at limit / 64 words.
 */
#ifndef KVMETER_ID_POOL_H
#define KVMETER_ID_POOL_H

#include "types.h"

struct id_pool {
	u64 *taken; /* a bit each; those from limit on are set */
	u32 limit;
	u32 words;
	u32 first; /* no word before this one has a free number */
};

/* Numbers 0 to @limit - 1, all free. */
void id_pool_init(struct id_pool *pool, u32 limit);
void id_pool_fini(struct id_pool *pool);

/* The lowest free number; false if there is none. */
bool id_pool_take(struct id_pool *pool, u32 *id);

/* Dies for a number that is not taken. */
void id_pool_release(struct id_pool *pool, u32 id);

#endif
