/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What so many samples can show at all. Pure functions; thread-safe. Out of
 * memory ends in die().
 */
#ifndef KVMETER_DETECTABLE_H
#define KVMETER_DETECTABLE_H

#include "types.h"

/* The share of experiments that find a shift of the size returned below. */
#define DETECTABLE_POWER 0.8

/* Of the standard normal: what that adds to a critical z, or t. */
#define DETECTABLE_QUANTILE 0.8416212335729143

/*
 * The smallest shift between two sets of normal samples, in their standard
 * deviation, that rank_test() finds at @alpha with DETECTABLE_POWER. INFINITY:
 * so few samples cannot show any. Simulated with a fixed seed where the sets
 * are small, within 3 %.
 */
double detectable_shift(size_t nr_a, size_t nr_b, double alpha);

/* Samples a side from which rank_test() can have p <= @alpha at all. */
size_t detectable_least_nr(double alpha);

#endif
