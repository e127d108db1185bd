/* SPDX-License-Identifier: GPL-2.0-only */
/* The single calls of dirty tracking as metrics. Main thread only. */
#ifndef KVMETER_DIRTY_CALLS_H
#define KVMETER_DIRTY_CALLS_H

#include "bench.h"
#include "dirty.h"

/* Indices of a benchmark's metrics. */
struct dirty_call_metrics {
	int get, clear; /* ns, METRIC_TAIL: one call */
	int ring_full;	/* ns of a round: harvesting full rings */
	int ring_full_exits;
};

/* Before run_start(): makes room for @rounds rounds, names host threads. */
void reserve_dirty_calls(struct run *r, const struct dirty_log *log,
			 struct dirty_call_metrics m, u64 rounds);

/* Collects, as a sample of @metric. */
void sample_dirty_get(struct run *r, struct dirty_log *log, int metric);

/*
 * Clears, as a sample of @metric, unless collecting did. Then records what the
 * last get and clear were made of.
 */
void sample_dirty_clear(struct run *r, struct dirty_log *log, int metric,
			struct dirty_call_metrics m);

/* What clearers have used, the main thread left out. While they are idle. */
struct thread_usage clearers_usage(const struct dirty_log *log);

/*
 * gang_stop() of vCPUs that ran free, whose usage since gang_start() becomes
 * that of @metric. What the clearers have used since @before was the host's.
 */
void sample_free_usage(struct run *r, const struct dirty_log *log, int metric,
		       struct thread_usage before);

#endif
