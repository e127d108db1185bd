/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Order statistics of samples that need no order and may be fractions, such as
 * the medians of runs. Pure functions; thread-safe. Out of memory ends in
 * die(). Every set has at least one sample.
 */
#ifndef KVMETER_SPREAD_H
#define KVMETER_SPREAD_H

#include "types.h"

void sort_doubles(double *v, size_t nr);

/* Of sorted samples; the mean of the middle two of an even number. */
double median_of_sorted(const double *v, size_t nr);

double median_of(const double *v, size_t nr);

/* Median of the absolute deviations from the median, not scaled. */
double mad_of(const double *v, size_t nr);

/*
 * The standard deviation that normal samples of this MAD would have, corrected
 * for the number of samples; outliers do not show in it. 0 for one sample.
 */
double robust_deviation(const double *v, size_t nr);

/*
 * Sets flags[i] for each sample that lies too far off to be from the bulk, and
 * returns how many do. They are flagged for the reader; nobody drops them.
 */
size_t flag_outliers(const double *v, size_t nr, bool *flags);

#endif
