/* SPDX-License-Identifier: GPL-2.0-only */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "stats.h"
#include "util.h"

#define COVERAGE 0.95

static int compare_u64(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return (x > y) - (x < y);
}

/*
 * The largest k such that the k-th smallest and the k-th largest of @n samples
 * enclose the median with COVERAGE; 0 if none does.
 *
 * With X of the samples below the median, X being binomial(n, 1/2), they do if
 * k <= X <= n-k. Sums its probabilities from the middle outwards, where they
 * are far from underflow for any n.
 */
size_t stats_ci_rank(size_t n)
{
	size_t k = n / 2, i;
	double p = 1, cover;

	/* p = P(X = k): the central binomial coefficient over 2^n. */
	for (i = 1; i <= (n + 1) / 2; i++)
		p *= (2.0 * i - 1) / (2.0 * i);
	cover = n % 2 ? 2 * p : p;

	while (k && cover < COVERAGE) {
		p *= (double)k / (n - k + 1);
		k--;
		cover += 2 * p;
	}
	return k;
}

static double mean_of(const u64 *v, size_t nr)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < nr; i++)
		sum += v[i];
	return sum / nr;
}

static double stddev_of(const u64 *v, size_t nr, double mean)
{
	double sum = 0;
	size_t i;

	if (nr < 2)
		return 0;
	for (i = 0; i < nr; i++)
		sum += (v[i] - mean) * (v[i] - mean);
	return sqrt(sum / (nr - 1));
}

struct summary stats_summary(const u64 *samples, size_t nr)
{
	u64 *v = xcalloc(nr, sizeof(*v));
	size_t rank = stats_ci_rank(nr), low = (nr - 1) / 2, high = nr / 2;
	struct summary s = { .nr = nr, .has_ci = rank > 0 };

	memcpy(v, samples, nr * sizeof(*v));
	qsort(v, nr, sizeof(*v), compare_u64);

	s.min = v[0];
	s.max = v[nr - 1];
	s.median = ((double)v[low] + v[high]) / 2;
	s.mean = mean_of(v, nr);
	s.stddev = stddev_of(v, nr, s.mean);
	if (s.has_ci) {
		s.ci_low = v[rank - 1];
		s.ci_high = v[nr - rank];
	}
	free(v);
	return s;
}

double stats_ci_percent(const struct summary *s)
{
	double width;

	if (!s->has_ci)
		return -1;
	width = fmax(s->median - s->ci_low, s->ci_high - s->median);
	if (width == 0)
		return 0;
	return s->median > 0 ? 100 * width / s->median : -1;
}
