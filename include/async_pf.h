/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Asynchronous page faults as the guest has seen them (guest/thread.h), against
 * what KVM says that it has told. Main thread only.
 */
#ifndef KVMETER_ASYNC_PF_H
#define KVMETER_ASYNC_PF_H

#include <guest/thread.h>
#include "bench.h"

/* arch_async_pf_missing() of this host. */
const char *async_pf_missing(void);

/*
 * Counts KVM's own events in all threads that the calling one creates from now
 * on, where its tracepoints can be used (tracepoint.h). NULL: not in this run.
 */
struct async_pf_watch;
struct async_pf_watch *async_pf_watch_create(struct run *r);
void async_pf_watch_free(struct async_pf_watch *watch); /* NULL is fine */

/* What comes from now on counts. NULL is fine. */
void async_pf_watch_begin(struct async_pf_watch *watch);

/*
 * Whose threads take turns by @quantum_us; no vCPU looks stuck because of what
 * a thread has had while the process was stopped.
 */
struct guest_scheduler async_pf_scheduler(const struct run *r, u64 quantum_us);

/*
 * What the schedulers of a run's vCPUs have seen since they began, summed up.
 */
struct async_pf_counts {
	u64 not_present, ready, repeated, wake_all;
	u64 waiting;			    /* not-present without a ready */
	u64 unmatched;			    /* ready without a not-present */
	u32 waiting_token, unmatched_token; /* the last of them, or 0 */
	u64 empty;			    /* interrupts without a token */
	u64 overflow;	  /* lists that were too short to tell */
	u64 shortest_ns;  /* in flight; 0: none was */
	u64 in_flight_ns; /* sum */
};

/* Adds one vCPU's, which counts in ticks of @tick_ns. */
void async_pf_add(struct async_pf_counts *c, const struct guest_scheduler *s,
		  double tick_ns);

/* Was each not-present followed by one ready, and no other ready there? */
void async_pf_check_paired(struct run *r, int id,
			   const struct async_pf_counts *c);

/* Did KVM count as many as the guest has seen? Without a @watch, a run before
 * has told. */
void async_pf_check_told(struct run *r, int id, const struct async_pf_counts *c,
			 const struct async_pf_watch *watch);

/* The metrics that async_pf_sample() fills. */
struct async_pf_metrics {
	int shortest, waited;
	int not_present, ready, repeated, wake_all;
};

/* @ns is the time that it took in all. */
void async_pf_sample(struct run *r, const struct async_pf_metrics *m,
		     const struct async_pf_counts *c, u64 ns);

#endif
