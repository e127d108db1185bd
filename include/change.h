/* SPDX-License-Identifier: GPL-2.0-only */
/* Two metrics of the same runs against each other. Main thread only. */
#ifndef KVMETER_CHANGE_H
#define KVMETER_CHANGE_H

#include "bench.h"

/*
 * Beside @metric: by how much it differs from @base, in percent. Each run gives
 * one ratio, of its medians; the median of the ratios is shown and its interval
 * (stats.h). Once the run has sampled both.
 */
void remark_change(struct run *r, int metric, int base);

#endif
