/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How well is the ratio of two medians known? Pure functions, the same result
 * on every machine; thread-safe. Out of memory ends in die().
 */
#ifndef KVMETER_BOOTSTRAP_H
#define KVMETER_BOOTSTRAP_H

#include "types.h"

#define BOOTSTRAP_RESAMPLES 9999

/* Fewer samples in a set have too few resamples for an interval. */
#define BOOTSTRAP_MIN 5

struct interval {
	double low, high;
};

/*
 * 95 % confidence interval of median(@b) / median(@a), where no sample is
 * negative and neither set has less than BOOTSTRAP_MIN: resampled with a fixed
 * seed, the outer 2.5 % of the ratios cut off at each end (Efron's percentile
 * interval). doc/statistics.md has its coverage, and why it is this variant.
 *
 * Resamples whose median of @a is 0 count as an infinite ratio, unless that of
 * @b is 0 as well: then as 1.
 */
struct interval bootstrap_ratio(const double *a, size_t nr_a, const double *b,
				size_t nr_b);

#endif
