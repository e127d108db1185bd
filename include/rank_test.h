/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Are two sets of samples from one distribution? Answers that assume nothing
 * about how samples are distributed, only that they are independent. Pure
 * functions; thread-safe. Out of memory ends in die().
 */
#ifndef KVMETER_RANK_TEST_H
#define KVMETER_RANK_TEST_H

#include "types.h"

/* A set with fewer samples than this is judged by the exact distribution. */
#define RANK_TEST_EXACT 20

/* Mann-Whitney U. */
struct rank_test {
	double u; /* pairs in which @a is the larger; a tie is half of one */
	/*
	 * Two-sided: twice the smaller tail, at most 1. That makes each of
	 * "larger" and "smaller" wrong in no more than p/2.
	 */
	double p;
	bool exact;
};

/*
 * Exact: the permutation distribution of the midranks, ties as they are. Else
 * the normal approximation, corrected for ties and continuity. Both sets have
 * at least one sample; their order says nothing.
 */
struct rank_test rank_test(const double *a, size_t nr_a, const double *b,
			   size_t nr_b);

/*
 * The smallest U for which so many samples without ties have p <= @alpha, or a
 * negative number if there is none, however far apart the sets are.
 */
double rank_test_critical(size_t nr_a, size_t nr_b, double alpha);

/*
 * Holm 1979: makes @nr values p such that reading all of them against one alpha
 * is wrong anywhere with a probability of at most alpha, whatever depends on
 * what.
 */
void holm_adjust(double *p, size_t nr);

#endif
