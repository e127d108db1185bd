/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How long the guest's accesses take as the guest sees it: vCPUs time one in a
 * few of them (access_*_timed() of guest/access.h) and count them in histograms
 * in control memory. Main thread only.
 */
#ifndef KVMETER_STALLS_H
#define KVMETER_STALLS_H

#include "bench.h"

/*
 * One in how many. A prime number, so that it is not always the same pages of a
 * block, or of a chunk of the log, that are timed.
 */
#define STALLS_EVERY_DEFAULT 17

/* Between run_create() and run_start(); @every is at least 1. */
void stalls_init(struct run *r, u32 every);

/* While all vCPUs are idle: forgets what they have counted. */
void stalls_clear(struct run *r);

/*
 * While all are idle: adds what they have counted to @metric, of kind
 * METRIC_TAIL, and forgets it.
 */
void sample_stalls(struct run *r, int metric);

#endif
