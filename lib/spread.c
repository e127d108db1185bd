/* SPDX-License-Identifier: GPL-2.0-only */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "spread.h"
#include "util.h"

/* Standard deviation over MAD, and over mean deviation, of the normal. */
#define PER_MAD 1.4826022185056018
#define PER_MEAN_DEVIATION 1.2533141373155003

/* In deviations: Iglewicz and Hoaglin 1993, "How to detect and handle
 * outliers", p. 11. */
#define OUTLIER_BEYOND 3.5

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

void sort_doubles(double *v, size_t nr)
{
	qsort(v, nr, sizeof(*v), compare_doubles);
}

double median_of_sorted(const double *v, size_t nr)
{
	return (v[(nr - 1) / 2] + v[nr / 2]) / 2;
}

double median_of(const double *v, size_t nr)
{
	double *sorted = xcalloc(nr, sizeof(*sorted));
	double median;

	memcpy(sorted, v, nr * sizeof(*v));
	sort_doubles(sorted, nr);
	median = median_of_sorted(sorted, nr);
	free(sorted);
	return median;
}

double mad_of(const double *v, size_t nr)
{
	double *deviations = xcalloc(nr, sizeof(*deviations));
	double median = median_of(v, nr), mad;
	size_t i;

	for (i = 0; i < nr; i++)
		deviations[i] = fabs(v[i] - median);
	mad = median_of(deviations, nr);
	free(deviations);
	return mad;
}

/*
 * By which the MAD of few samples falls short. Croux and Rousseeuw 1992,
 * "Time-efficient algorithms for two highly robust estimators of scale".
 */
static double small_sample_factor(size_t nr)
{
	static const double factors[] = { 0,	 0,	1.196, 1.495, 1.363,
					  1.206, 1.200, 1.140, 1.129, 1.107 };

	return nr < ARRAY_SIZE(factors) ? factors[nr] : nr / (nr - 0.8);
}

double robust_deviation(const double *v, size_t nr)
{
	return PER_MAD * small_sample_factor(nr) * mad_of(v, nr);
}

/* Where more than half of the samples are equal, MAD says nothing. */
static double mean_deviation(const double *v, size_t nr, double median)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < nr; i++)
		sum += fabs(v[i] - median);
	return sum / nr;
}

size_t flag_outliers(const double *v, size_t nr, bool *flags)
{
	double median = median_of(v, nr);
	double scale = PER_MAD * mad_of(v, nr);
	size_t found = 0, i;

	if (scale == 0)
		scale = PER_MEAN_DEVIATION * mean_deviation(v, nr, median);
	for (i = 0; i < nr; i++) {
		flags[i] = fabs(v[i] - median) > OUTLIER_BEYOND * scale;
		found += flags[i];
	}
	return found;
}
