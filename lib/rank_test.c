/* SPDX-License-Identifier: GPL-2.0-only */
#include <math.h>
#include <stdlib.h>
#include "rank_test.h"
#include "util.h"

/* Above this many samples in all the exact distribution takes too long. */
#define EXACT_TOTAL_MAX 200

/* A sample, and the set that it is from. */
struct ranked {
	double value;
	bool in_small;
	unsigned int rank2; /* twice its midrank: a whole number */
};

static int compare_ranked(const void *a, const void *b)
{
	double x = ((const struct ranked *)a)->value;
	double y = ((const struct ranked *)b)->value;

	return (x > y) - (x < y);
}

/*
 * Sorts and ranks. Returns the sum of t^3 - t over groups of t equal samples.
 */
static double rank(struct ranked *v, size_t nr)
{
	double ties = 0;
	size_t first, end, i;

	qsort(v, nr, sizeof(*v), compare_ranked);
	for (first = 0; first < nr; first = end) {
		for (end = first + 1; end < nr; end++)
			if (v[end].value != v[first].value)
				break;
		for (i = first; i < end; i++)
			v[i].rank2 = first + end + 1;
		ties += pow(end - first, 3) - (end - first);
	}
	return ties;
}

/* How many sets of @nr_small of the samples have each sum of rank2. */
struct distribution {
	size_t max_sum;
	double *count; /* [0..max_sum] */
	double total;
};

static void distribution_init(struct distribution *d, const struct ranked *v,
			      size_t nr, size_t nr_small)
{
	size_t row, i, k, sum;
	double *sets;

	d->max_sum = 0;
	for (i = nr - nr_small; i < nr; i++)
		d->max_sum += v[i].rank2;
	/* sets[k * row + sum]: those of k samples among the ones seen */
	row = d->max_sum + 1;
	sets = xcalloc((nr_small + 1) * row, sizeof(*sets));
	sets[0] = 1;
	for (i = 0; i < nr; i++)
		for (k = i < nr_small ? i + 1 : nr_small; k > 0; k--)
			for (sum = v[i].rank2; sum < row; sum++)
				sets[k * row + sum] +=
					sets[(k - 1) * row + sum - v[i].rank2];
	d->count = xcalloc(row, sizeof(*d->count));
	d->total = 0;
	for (sum = 0; sum < row; sum++) {
		d->count[sum] = sets[nr_small * row + sum];
		d->total += d->count[sum];
	}
	free(sets);
}

static double exact_p(const struct ranked *v, size_t nr, size_t nr_small,
		      size_t observed)
{
	struct distribution d;
	double below = 0, above = 0;
	size_t sum;

	distribution_init(&d, v, nr, nr_small);
	for (sum = 0; sum <= d.max_sum; sum++) {
		if (sum <= observed)
			below += d.count[sum];
		if (sum >= observed)
			above += d.count[sum];
	}
	free(d.count);
	return fmin(1, 2 * fmin(below, above) / d.total);
}

/* Of the U of either set; 0 if all samples are equal. */
static double normal_sd(double nr_a, double nr_b, double ties)
{
	double n = nr_a + nr_b;

	return sqrt(nr_a * nr_b / 12 * (n + 1 - ties / (n * (n - 1))));
}

static double normal_p(double u, double nr_a, double nr_b, double ties)
{
	double sd = normal_sd(nr_a, nr_b, ties);
	double mean = nr_a * nr_b / 2;

	if (sd == 0)
		return 1;
	return fmin(1, erfc((fabs(u - mean) - 0.5) / sd / sqrt(2)));
}

static bool is_exact(size_t nr_a, size_t nr_b)
{
	return (nr_a < RANK_TEST_EXACT || nr_b < RANK_TEST_EXACT) &&
	       nr_a + nr_b <= EXACT_TOTAL_MAX;
}

struct rank_test rank_test(const double *a, size_t nr_a, const double *b,
			   size_t nr_b)
{
	size_t nr = nr_a + nr_b, nr_small = nr_a < nr_b ? nr_a : nr_b;
	struct ranked *v = xcalloc(nr, sizeof(*v));
	struct rank_test t = { .exact = is_exact(nr_a, nr_b) };
	size_t i, sum = 0;
	double ties;

	for (i = 0; i < nr; i++)
		v[i] = (struct ranked){
			.value = i < nr_a ? a[i] : b[i - nr_a],
			.in_small = (i < nr_a) == (nr_a <= nr_b),
		};
	ties = rank(v, nr);
	for (i = 0; i < nr; i++)
		if (v[i].in_small)
			sum += v[i].rank2;
	t.u = sum / 2.0 - nr_small * (nr_small + 1) / 2.0;
	if (nr_a > nr_b)
		t.u = (double)nr_a * nr_b - t.u;
	t.p = t.exact ? exact_p(v, nr, nr_small, sum) :
			normal_p(t.u, nr_a, nr_b, ties);
	free(v);
	return t;
}

static double exact_critical(size_t nr_a, size_t nr_b, double alpha)
{
	size_t nr = nr_a + nr_b, nr_small = nr_a < nr_b ? nr_a : nr_b;
	struct ranked *v = xcalloc(nr, sizeof(*v));
	struct distribution d;
	double tail = 0, u = -1;
	size_t i, sum;

	for (i = 0; i < nr; i++)
		v[i].rank2 = 2 * (i + 1);
	distribution_init(&d, v, nr, nr_small);
	for (sum = d.max_sum; sum > 0; sum -= 2) {
		tail += d.count[sum];
		if (2 * tail > alpha * d.total)
			break;
		u = sum / 2.0 - nr_small * (nr_small + 1) / 2.0;
	}
	free(d.count);
	free(v);
	return u;
}

/* By bisection: there are as many U as pairs. */
static double normal_critical(size_t nr_a, size_t nr_b, double alpha)
{
	double high = (double)nr_a * nr_b, low = floor(high / 2), mid;

	if (normal_p(high, nr_a, nr_b, 0) > alpha)
		return -1;
	while (high - low > 1) {
		mid = floor((low + high) / 2);
		if (normal_p(mid, nr_a, nr_b, 0) > alpha)
			low = mid;
		else
			high = mid;
	}
	return high;
}

double rank_test_critical(size_t nr_a, size_t nr_b, double alpha)
{
	return is_exact(nr_a, nr_b) ? exact_critical(nr_a, nr_b, alpha) :
				      normal_critical(nr_a, nr_b, alpha);
}

struct place {
	double p;
	size_t index;
};

static int compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return x->p != y->p ? (x->p > y->p) - (x->p < y->p) :
			      (x->index > y->index) - (x->index < y->index);
}

void holm_adjust(double *p, size_t nr)
{
	struct place *places = xcalloc(nr, sizeof(*places));
	double least = 0;
	size_t i;

	for (i = 0; i < nr; i++)
		places[i] = (struct place){ p[i], i };
	qsort(places, nr, sizeof(*places), compare_places);
	for (i = 0; i < nr; i++) {
		least = fmax(least, fmin(1, (nr - i) * places[i].p));
		p[places[i].index] = least;
	}
	free(places);
}
