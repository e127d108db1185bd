/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the vCPUs of a run do to the memory under test: who touches which
 * pages, in which order, and which accesses write. The host knows afterwards
 * exactly which pages were written.
 */
#ifndef KVMETER_WORKLOAD_H
#define KVMETER_WORKLOAD_H

#include "bench.h"
#include "plan.h"

enum sharing {
	SHARE_ALL,  /* every vCPU touches all pages */
	SHARE_SPLIT /* each has a contiguous part */
};

struct workload_config {
	enum sharing sharing;
	bool random; /* order; else ascending */
	u64 seed;
	u32 write_percent;
};

/* The usual options for it, and their rows; @offset as in dirty.h. */
struct workload_options {
	u64 write_percent, seed;
	bool random, overlap;
};
#define WORKLOAD_OPTIONS_DEFAULTS               \
	{                                       \
		.write_percent = 100, .seed = 1 \
	}

/* clang-format off */
#define WORKLOAD_OPTION_ROWS(offset)                                         \
	{ OPT_U64, 'w', "write-percent", "PERCENT",                          \
	  (offset) + offsetof(struct workload_options, write_percent),       \
	  "share of writes among the accesses after populate", .max = 100 }, \
	OPTION_FLAG('a', "random-access",                                    \
		    (offset) + offsetof(struct workload_options, random),    \
		    "touch pages in random order"),                          \
	{ OPT_U64, 'r', "seed", "N",                                         \
	  (offset) + offsetof(struct workload_options, seed),                \
	  "of the order and of the choice of writes", .max = UINT32_MAX },   \
	OPTION_FLAG('o', "overlap",                                          \
		    (offset) + offsetof(struct workload_options, overlap),   \
		    "all vCPUs touch the same --bytes of memory; else that much each")
/* clang-format on */

/* Guest memory that they ask for, in all. */
static inline u64 workload_bytes(const struct workload_options *options,
				 u64 vcpus, u64 bytes)
{
	return options->overlap ? bytes : vcpus * bytes;
}

struct workload {
	struct run *run;
	struct plan plan;
	enum sharing sharing;
	struct guest_plan *full;   /* of each vCPU, by workload_init() */
	struct guest_plan *before; /* of each vCPU, by workload_remember() */
};

/* For validate(): usage_error() if a vCPU's share would be empty. */
void workload_validate_split(const struct bench_config *c);

/* Between run_create() and run_start(). */
void workload_init(struct workload *w, struct run *r,
		   const struct workload_config *cfg);
/* The same from options; each run has a seed of its own. */
void workload_init_options(struct workload *w, struct run *r,
			   const struct workload_options *options);
void workload_fini(struct workload *w);

/*
 * While all vCPUs are idle: passes touch only the first page of every @bytes of
 * each share, until workload_touch_all(). In ascending order only.
 */
void workload_touch_sparsely(struct workload *w, u64 bytes);
void workload_touch_all(struct workload *w);

/* Different pages that a pass touches. */
u64 workload_pages(const struct workload *w);

/*
 * Sets the bit of every page (testmem_pages()) that the vCPUs are going to
 * write in their next pass of access_as_planned() or access_all_writes(). While
 * all are idle.
 */
enum workload_writes { WORKLOAD_AS_PLANNED, WORKLOAD_ALL_WRITES };
void workload_mark_pass(const struct workload *w, enum workload_writes writes,
			u64 *bitmap);

/*
 * The same for access_until_stopped(): remember before it starts, mark when
 * all are idle again.
 */
void workload_remember(struct workload *w);
void workload_mark_since(const struct workload *w, u64 *bitmap);

/*
 * Nanoseconds that the guest's loop spends on one access besides the access
 * itself (a store that hits the cache), measured on vCPU 0's share. While all
 * are idle.
 */
double workload_loop_ns(struct workload *w);

/* The same with timed accesses (stalls.h), which it counts. */
double workload_timed_loop_ns(struct workload *w);

/* Says so below the table, once per point, and forgets what it counted. */
void note_loop_cost(struct run *r, struct workload *w);

#endif
