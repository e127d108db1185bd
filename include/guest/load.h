/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a memory-bound thread does to its memory, and what that memory holds:
 * both halves compute every word, so that a page that came back as another one,
 * or too early, is noticed.
 */
#ifndef KVMETER_GUEST_LOAD_H
#define KVMETER_GUEST_LOAD_H

#include <guest/types.h>

enum load_pattern {
	LOAD_TOUCH, /* each page once, in order */
	LOAD_CHASE, /* each page once, where the last one points to */
	LOAD_SORT,  /* quicksort of all words */
};

/* Words of a page that mean something to LOAD_TOUCH and LOAD_CHASE. */
enum load_word {
	LOAD_MARK, /* load_mark() */
	LOAD_TURN, /* passes over it so far */
	LOAD_NEXT, /* the page to go to next, counted from the share's first */
};

/* A share of the memory, of one thread. */
struct guest_load {
	u64 base; /* GVA of its first page */
	u64 page_bytes;
	u64 first; /* its first page, counted from that of the whole memory */
	u64 pages;
	u64 seed;
	u64 turn; /* passes so far, since the memory was filled */
	u64 pattern;
	u64 wrong; /* guest to host: words that were not what they should be */
};

static inline u64 load_mix(u64 x)
{
	x ^= x >> 30;
	x *= UINT64_C(0xbf58476d1ce4e5b9);
	x ^= x >> 27;
	x *= UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

/* Word @word of page @page of the whole memory, if nobody has written it. */
static inline u64 load_word(u64 seed, u64 page, u64 word)
{
	return load_mix(seed + (page << 16 | word));
}

/* That a page has seen @turn passes. */
static inline u64 load_mark(u64 seed, u64 page, u64 turn)
{
	return load_mix(seed ^ ~(page << 16 | turn));
}

#ifdef KVMETER_GUEST

struct guest_cpu;

/* One pass; calls guest_thread_tick() and counts writes on the way. */
void guest_load_pass(struct guest_cpu *cpu, struct guest_load *load);

#endif
#endif
