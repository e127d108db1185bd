/* SPDX-License-Identifier: GPL-2.0-only */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "bootstrap.h"
#include "random.h"
#include "spread.h"
#include "util.h"

/* Any number would do, as long as it stays. */
#define SEED UINT64_C(0x6b766d6574657200)

/* 2.5 %: of n values the ends lie n+1 equal shares apart. */
#define CUT ((BOOTSTRAP_RESAMPLES + 1) / 40)

/*
 * A resample of more samples than this is not drawn one by one: what its median
 * is distributed like is known, and takes no longer for more of them.
 */
#define DRAWN_MAX 20000

/* Sorted samples to draw from. */
struct pool {
	size_t nr;
	double *sorted;
	u32 *drawn; /* how often each was, in this resample */
};

static void pool_init(struct pool *p, const double *v, size_t nr)
{
	p->nr = nr;
	p->sorted = xcalloc(nr, sizeof(*v));
	p->drawn = xcalloc(nr, sizeof(*p->drawn));
	memcpy(p->sorted, v, nr * sizeof(*v));
	sort_doubles(p->sorted, nr);
}

static void pool_fini(struct pool *p)
{
	free(p->sorted);
	free(p->drawn);
}

/* Of the gamma distribution; @shape >= 1. Marsaglia and Tsang 2000. */
static double random_gamma(double shape, u64 *state)
{
	double d = shape - 1 / 3.0, c = 1 / sqrt(9 * d), x, v;

	do {
		do {
			x = random_normal(state);
			v = pow(1 + c * x, 3);
		} while (v <= 0);
	} while (log(1 - random_unit(state)) >=
		 x * x / 2 + d * (1 - v + log(v)));
	return d * v;
}

static double sorted_at(const struct pool *p, double share)
{
	size_t i = share * p->nr;

	return p->sorted[i < p->nr ? i : p->nr - 1];
}

/*
 * Of nr places drawn from [0, 1) the k-th lowest has the beta distribution of k
 * and nr + 1 - k, and the next one is the lowest of the nr - k above it.
 */
static double drawn_median(const struct pool *p, u64 *state)
{
	size_t k = (p->nr + 1) / 2, above = p->nr - k;
	double x = random_gamma(k, state), place, next;

	place = x / (x + random_gamma(above + 1, state));
	if (p->nr % 2)
		return sorted_at(p, place);
	next = 1 - (1 - place) * pow(1 - random_unit(state), 1.0 / above);
	return (sorted_at(p, place) + sorted_at(p, next)) / 2;
}

/* Of nr samples drawn with replacement. */
static double resample_median(struct pool *p, u64 *state)
{
	size_t i, seen, low;

	if (p->nr > DRAWN_MAX)
		return drawn_median(p, state);
	memset(p->drawn, 0, p->nr * sizeof(*p->drawn));
	for (i = 0; i < p->nr; i++)
		p->drawn[random_below(state, p->nr)]++;
	for (i = 0, seen = p->drawn[0]; seen <= (p->nr - 1) / 2;)
		seen += p->drawn[++i];
	for (low = i; seen <= p->nr / 2;)
		seen += p->drawn[++i];
	return (p->sorted[low] + p->sorted[i]) / 2;
}

static double ratio(double a, double b)
{
	if (a == 0)
		return b == 0 ? 1 : INFINITY;
	return b / a;
}

struct interval bootstrap_ratio(const double *a, size_t nr_a, const double *b,
				size_t nr_b)
{
	double *ratios = xcalloc(BOOTSTRAP_RESAMPLES, sizeof(*ratios));
	struct pool pool_a, pool_b;
	struct interval result;
	u64 state = SEED;
	size_t i;

	pool_init(&pool_a, a, nr_a);
	pool_init(&pool_b, b, nr_b);
	for (i = 0; i < BOOTSTRAP_RESAMPLES; i++) {
		double median_a = resample_median(&pool_a, &state);

		ratios[i] = ratio(median_a, resample_median(&pool_b, &state));
	}
	sort_doubles(ratios, BOOTSTRAP_RESAMPLES);
	result.low = ratios[CUT - 1];
	result.high = ratios[BOOTSTRAP_RESAMPLES - CUT];
	pool_fini(&pool_a);
	pool_fini(&pool_b);
	free(ratios);
	return result;
}
