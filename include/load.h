/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The host's side of guest/load.h: fills the memory that memory-bound threads
 * work on and looks at it afterwards.
 */
#ifndef KVMETER_LOAD_H
#define KVMETER_LOAD_H

#include <guest/load.h>

struct load;

struct load_config {
	enum load_pattern pattern;
	u64 base_gva;
	u64 page_bytes;
	u64 pages;
	u64 shares; /* contiguous, one for each thread; at most @pages */
	u64 seed;
	u64 wrong; /* injected fault: this many words are filled wrong */
};

/* "touch", "chase", "sort", by number; ended by NULL. */
extern const char *const load_names[];

struct load *load_create(const struct load_config *cfg);
void load_free(struct load *load); /* NULL is fine */

/* Share @i as its thread gets it. */
struct guest_load load_share(const struct load *load, u64 i);

/* Writes page @page of the memory to @to; a function for uffd.h. Any thread. */
void load_fill(const void *load, u64 page, void *to);

/*
 * Pages of the memory at @mem that hold anything else than they must after
 * @turns passes since they were filled; with LOAD_SORT, shares whose words are
 * not all there in order count as one.
 */
u64 load_count_wrong(const struct load *load, const void *mem, u64 turns);

#endif
