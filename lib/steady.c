/* SPDX-License-Identifier: GPL-2.0-only */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "random.h"
#include "spread.h"
#include "steady.h"
#include "util.h"

#define SEED UINT64_C(0x6b766d6574657202)
#define TRIALS 999

/* A part of two has so much at least: less are outliers. */
#define LEVEL_SHARE 5

static double *sorted_copy(const double *v, size_t nr)
{
	double *sorted = xcalloc(nr, sizeof(*sorted));

	memcpy(sorted, v, nr * sizeof(*v));
	sort_doubles(sorted, nr);
	return sorted;
}

/* The upper tail of the standard normal. */
static double normal_tail(double z)
{
	return erfc(z / sqrt(2)) / 2;
}

/* The median of the slopes between any two samples. */
static double median_slope(const double *v, size_t nr)
{
	double *slopes = xcalloc(nr * (nr - 1) / 2, sizeof(*slopes)), median;
	size_t used = 0, i, k;

	for (i = 0; i < nr; i++)
		for (k = 0; k < i; k++)
			slopes[used++] = (v[i] - v[k]) / (i - k);
	median = used ? median_of(slopes, used) : 0;
	free(slopes);
	return median;
}

/* Sum of t (t - 1) (2 t + 5) over sets of @t equal samples. */
static double tie_correction(const double *v, size_t nr)
{
	double *sorted = sorted_copy(v, nr), sum = 0;
	size_t from, to;

	for (from = 0; from < nr; from = to) {
		double t;

		for (to = from; to < nr && sorted[to] == sorted[from];)
			to++;
		t = to - from;
		sum += t * (t - 1) * (2 * t + 5);
	}
	free(sorted);
	return sum;
}

struct trend series_trend(const double *v, size_t nr)
{
	struct trend trend = { 0, 1 };
	double n = nr, s = 0, variance;
	size_t i, k;

	if (nr < STEADY_MIN)
		return trend;
	trend.slope = median_slope(v, nr);
	for (i = 0; i < nr; i++)
		for (k = 0; k < i; k++)
			s += (v[i] > v[k]) - (v[i] < v[k]);
	variance = (n * (n - 1) * (2 * n + 5) - tie_correction(v, nr)) / 18;
	if (variance > 0 && s != 0)
		trend.p = fmin(1,
			       2 * normal_tail((fabs(s) - 1) / sqrt(variance)));
	return trend;
}

/* The mean of the ranks that equal samples share. */
static double midrank(const double *v, size_t nr, double value)
{
	size_t below = 0, equal = 0, i;

	for (i = 0; i < nr; i++) {
		below += v[i] < value;
		equal += v[i] == value;
	}
	return below + (equal + 1) / 2.0;
}

double series_neighbours(const double *v, size_t nr)
{
	double n = nr, mean = (n + 1) / 2, steps = 0, spread = 0, before = 0;
	double variance;
	size_t i;

	if (nr < STEADY_MIN)
		return 1;
	for (i = 0; i < nr; i++) {
		double rank = midrank(v, nr, v[i]);

		spread += (rank - mean) * (rank - mean);
		if (i)
			steps += (rank - before) * (rank - before);
		before = rank;
	}
	if (spread == 0)
		return 1;
	variance = 4 * (n - 2) * (5 * n * n - 2 * n - 9) /
		   (5 * n * (n + 1) * (n - 1) * (n - 1));
	return normal_tail((2 - steps / spread) / sqrt(variance));
}

/*
 * The share of the variance of sorted samples that the best division in two
 * explains. Sets what it is.
 */
static double best_division(const double *v, size_t nr, struct levels *best)
{
	size_t least = (nr + LEVEL_SHARE - 1) / LEVEL_SHARE, i;
	double sum = 0, squares = 0, low = 0, most = -1, total;

	for (i = 0; i < nr; i++) {
		sum += v[i] - v[0];
		squares += (v[i] - v[0]) * (v[i] - v[0]);
	}
	total = squares - sum * sum / nr;
	if (!(total > 0))
		return 0;
	for (i = 1; i < nr; i++) {
		double mean_low, mean_high, between;

		low += v[i - 1] - v[0];
		mean_low = low / i;
		mean_high = (sum - low) / (nr - i);
		between = (double)i * (nr - i) / nr * (mean_high - mean_low) *
			  (mean_high - mean_low);
		if (i < least || nr - i < least || between <= most)
			continue;
		most = between;
		best->nr_low = i;
		best->low = v[0] + mean_low;
		best->high = v[0] + mean_high;
	}
	return most / total;
}

struct levels series_levels(const double *v, size_t nr)
{
	double *sample = sorted_copy(v, nr), found;
	struct levels levels = { 0, 0, 0, 1 }, unused;
	size_t as_clear = 0, trial, i;
	u64 state = SEED;

	found = nr < STEADY_MIN ? 0 : best_division(sample, nr, &levels);
	for (trial = 0; found > 0 && trial < TRIALS; trial++) {
		for (i = 0; i < nr; i++)
			sample[i] = random_normal(&state);
		sort_doubles(sample, nr);
		as_clear += best_division(sample, nr, &unused) >= found;
	}
	if (found > 0)
		levels.p = (as_clear + 1.0) / (TRIALS + 1);
	free(sample);
	return levels;
}
