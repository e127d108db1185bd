/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Does a series, in the order in which it was measured, look like independent
 * samples of one distribution? Pure functions, the same result on every
 * machine; thread-safe. Out of memory ends in die().
 */
#ifndef KVMETER_STEADY_H
#define KVMETER_STEADY_H

#include "types.h"

/* Below this the approximations are poor, and nothing is told: p is 1. */
#define STEADY_MIN 10

struct trend {
	double slope; /* by sample, the median of all slopes: Theil and Sen */
	double p;     /* two-sided; Mann and Kendall, corrected for ties */
};

/* Does it rise or fall? */
struct trend series_trend(const double *v, size_t nr);

/*
 * Do neighbours resemble each other more than others do? The one-sided p of
 * the ratio of von Neumann on ranks: Bartels 1982, "The rank version of von
 * Neumann's ratio test for randomness". Sees drift as well.
 */
double series_neighbours(const double *v, size_t nr);

struct levels {
	double low, high; /* means of the two parts that explain most */
	size_t nr_low;
	/*
	 * How often normal samples fall into two parts of a fifth or more each
	 * as clearly. Simulated, a multiple of 0.001; never below that.
	 */
	double p;
};

/* Does it lie on two levels? */
struct levels series_levels(const double *v, size_t nr);

#endif
