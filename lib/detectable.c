/* SPDX-License-Identifier: GPL-2.0-only */
#include <math.h>
#include <stdlib.h>
#include "detectable.h"
#include "random.h"
#include "rank_test.h"
#include "spread.h"
#include "util.h"

#define SEED UINT64_C(0x6b766d6574657201)
#define TRIALS 1000

/* More pairs than this are many enough for theory. */
#define PAIRS_MAX 2500

/* Of the standard normal, by bisection. */
static double normal_quantile(double p)
{
	double low = -40, high = 40, mid;
	int i;

	for (i = 0; i < 100; i++) {
		mid = (low + high) / 2;
		if (erfc(-mid / sqrt(2)) / 2 < p)
			low = mid;
		else
			high = mid;
	}
	return low;
}

/* pi/3 is how much less the rank test makes of normal samples than a t test. */
static double asymptotic_shift(double nr_a, double nr_b, double alpha)
{
	double z = normal_quantile(1 - alpha / 2) + DETECTABLE_QUANTILE;

	return z * sqrt(M_PI / 3 * (1 / nr_a + 1 / nr_b));
}

/*
 * U counts the differences between a sample of either set that are below the
 * shift. So it reaches @critical once the shift is above that many of them.
 */
static double shift_of_trial(size_t nr_a, size_t nr_b, size_t critical,
			     u64 *state)
{
	double *v = xcalloc(nr_a + nr_b, sizeof(*v));
	double *differences = xcalloc(nr_a * nr_b, sizeof(*differences));
	double shift;
	size_t i, k;

	for (i = 0; i < nr_a + nr_b; i++)
		v[i] = random_normal(state);
	for (i = 0; i < nr_a; i++)
		for (k = 0; k < nr_b; k++)
			differences[i * nr_b + k] = v[i] - v[nr_a + k];
	sort_doubles(differences, nr_a * nr_b);
	shift = differences[critical - 1];
	free(differences);
	free(v);
	return shift;
}

static double simulated_shift(size_t nr_a, size_t nr_b, size_t critical)
{
	double *shifts = xcalloc(TRIALS, sizeof(*shifts)), shift;
	u64 state = SEED;
	size_t i;

	for (i = 0; i < TRIALS; i++)
		shifts[i] = shift_of_trial(nr_a, nr_b, critical, &state);
	sort_doubles(shifts, TRIALS);
	shift = shifts[(size_t)(DETECTABLE_POWER * TRIALS)];
	free(shifts);
	return shift;
}

double detectable_shift(size_t nr_a, size_t nr_b, double alpha)
{
	double critical = rank_test_critical(nr_a, nr_b, alpha);

	if (critical < 1)
		return INFINITY;
	if (nr_a * nr_b > PAIRS_MAX)
		return asymptotic_shift(nr_a, nr_b, alpha);
	return simulated_shift(nr_a, nr_b, critical);
}

/* Of the (2n n) ways to divide 2n samples two are the farthest apart. */
size_t detectable_least_nr(double alpha)
{
	double p = 2;
	size_t n;

	for (n = 0; p > alpha && n < 1000;) {
		n++;
		p *= n / (4.0 * n - 2);
	}
	return n;
}
