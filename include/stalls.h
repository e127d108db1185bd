/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How long the guest's accesses take as the guest sees it: access_as_planned()
 * and access_until_stopped() time one in a few of them and count them in
 * histograms in control memory. Main thread only.
 */
#ifndef KVMETER_STALLS_H
#define KVMETER_STALLS_H

#include "bench.h"

/*
 * One in how many. A prime number, so that it is not always the same pages of a
 * block, or of a chunk of the log, that are timed.
 */
#define STALLS_EVERY_DEFAULT 17

/* Between run_create() and run_start(); with 0 nothing is timed. */
void stalls_init(struct run *r, u32 every);

/* While all vCPUs are idle: forgets what they have counted. */
void stalls_clear(struct run *r);

/* An option row for it. */
/* clang-format off */
#define STALLS_OPTION_ROW(offset)                                            \
	{ OPT_U64, 0, "stalls", "N", offset,                                 \
	  "vCPUs time one access in N; 0: none", .max = 1000000 }
/* clang-format on */

/*
 * While all are idle: adds what they have counted to @metric, of kind
 * METRIC_TAIL, and forgets it.
 */
void sample_stalls(struct run *r, int metric);

#endif
