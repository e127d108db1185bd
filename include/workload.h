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

struct workload {
	struct run *run;
	struct plan plan;
	enum sharing sharing;
	struct guest_plan *full;   /* of each vCPU, by workload_init() */
	struct guest_plan *before; /* of each vCPU, by workload_remember() */
};

/* Between run_create() and run_start(). */
void workload_init(struct workload *w, struct run *r,
		   const struct workload_config *cfg);
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

/* Says so below the table, once per point. */
void note_loop_cost(struct run *r, struct workload *w);

#endif
