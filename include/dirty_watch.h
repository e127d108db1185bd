/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Is any write lost while vCPUs run? They stamp pages with rising numbers, each
 * page by one vCPU alone, and the host collects and clears round after round:
 *
 *   read all stamps, collect, judge, clear, keep the stamps of what was cleared
 *
 * with an exit of every vCPU before collecting, where that is needed.
 *
 * A page whose stamp differs from the kept one was written after it was cleared
 * and before it was read, so that it must be in what is collected next.
 * tests/dirty_log_test.c says why that holds on each architecture.
 *
 * Main thread only.
 */
#ifndef KVMETER_DIRTY_WATCH_H
#define KVMETER_DIRTY_WATCH_H

#include "bench.h"
#include "dirty.h"

enum dirty_fault {
	FAULT_NONE,
	FAULT_LOSE_BIT,	  /* one page in N is taken out of what is collected */
	FAULT_LATE_BIT,	  /* and put into the next collection */
	FAULT_EXTRA_BIT,  /* one page in N that was not collected is added */
	FAULT_SKIP_RESET, /* one clearing in N does not happen */
};
extern const char *const dirty_fault_names[];

struct dirty_watch_config {
	enum dirty_fault inject;
	u64 one_in;	  /* N */
	u64 most_extra;	  /* pages of a collection that need not be written */
	bool force_exits; /* even if the CPU buffers nothing */
	bool begins_full; /* KVM_DIRTY_LOG_INITIALLY_SET */
};

struct dirty_watch_counts {
	u64 collections;
	u64 clears;	/* calls */
	u64 logged;	/* pages, over all collections */
	u64 proven;	/* written since they were cleared, and logged */
	u64 missing;	/* written and not logged */
	u64 extra;	/* logged and not written */
	u64 most_extra; /* of one collection */
	u64 ring_full;	/* exits */
};

struct dirty_watch;

/* Borrows @r and @log. While all vCPUs are idle and logging is on. */
struct dirty_watch *dirty_watch_create(struct run *r, struct dirty_log *log,
				       const struct dirty_watch_config *cfg);
void dirty_watch_free(struct dirty_watch *w); /* NULL is fine */

/*
 * One round. False: there is nothing more to wait for, as a write was lost
 * (dirty_watch_lost() says which) or too many pages were not written.
 */
bool dirty_watch_round(struct dirty_watch *w);

/*
 * After the vCPUs have stopped: a round, and one more that must find nothing.
 * How many pages that one found.
 */
u64 dirty_watch_finish(struct dirty_watch *w);

struct dirty_watch_counts dirty_watch_counts(const struct dirty_watch *w);

/* The first page that was lost, in words; NULL: none. Lent. */
const char *dirty_watch_lost(const struct dirty_watch *w);

#endif
