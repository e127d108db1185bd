/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Are two sets of runs, each with several metrics, from one distribution? For
 * so few runs that ranks, corrected for the number of metrics, can no longer
 * show anything. Pure functions; thread-safe. Out of memory ends in die().
 */
#ifndef KVMETER_JOINT_TEST_H
#define KVMETER_JOINT_TEST_H

#include "types.h"

/* Ways to divide the runs, at most; 9 runs a side are within it. */
#define JOINT_TEST_DIVISIONS 50000

/* A metric; the i-th values of all metrics are of the same run. */
struct joint_metric {
	const double *a, *b; /* borrowed */
	/* ---- by joint_test() ---- */
	double p;     /* two-sided, adjusted for all metrics */
	double error; /* standard error of the difference of means */
};

struct joint_sizes {
	size_t nr_metrics;
	size_t nr_a, nr_b; /* runs; two at least in all but one side */
};

/* 0 if there are more than JOINT_TEST_DIVISIONS. */
size_t joint_test_divisions(size_t nr_a, size_t nr_b);

/*
 * Westfall and Young 1993, single-step max-T, exact: all ways to divide the
 * runs in two are tried, each metric's Student t against the largest |t| of any
 * metric. Whatever the distributions and however metrics depend on each other,
 * some p is at most alpha by chance with a probability of at most alpha.
 *
 * Returns the |t| from which p would be at most @alpha, INFINITY if none.
 */
double joint_test(struct joint_metric *metrics, const struct joint_sizes *sizes,
		  double alpha);

#endif
