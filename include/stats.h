/* SPDX-License-Identifier: GPL-2.0-only */
/* Statistics of a handful of samples. Pure functions; thread-safe. */
#ifndef KVMETER_STATS_H
#define KVMETER_STATS_H

#include "types.h"

/*
 * Order statistics are exact; median of an even number is the mean of the
 * middle two. stddev has n-1 in the denominator and is 0 for one sample.
 */
struct summary {
	size_t nr;
	double min, max, median, mean, stddev;
	/*
	 * Confidence interval of the median, distribution-free, from order
	 * statistics (the sign test inverted): the narrowest symmetric pair of
	 * ranks that covers the median with at least 95 %. Below
	 * STATS_CI_MIN samples no such pair exists and has_ci is false.
	 */
	bool has_ci;
	double ci_low, ci_high;
};

/* 1 - 2 / 2^6 = 96.9 % is the first n for which [min, max] covers 95 %. */
#define STATS_CI_MIN 6

/* @nr >= 1; @samples need no order. Out of memory ends in die(). */
struct summary stats_summary(const u64 *samples, size_t nr);

/*
 * The rank k of that interval: it reaches from the k-th smallest of @nr samples
 * to the k-th largest. 0: there is none.
 */
size_t stats_ci_rank(size_t nr);

/*
 * From the median to the farther end of its interval, in percent of the
 * median: what the table shows as +-95%. Negative if there is none: no
 * interval, or a median of 0 inside a wider one.
 */
double stats_ci_percent(const struct summary *s);

#endif
