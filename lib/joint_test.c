/* SPDX-License-Identifier: GPL-2.0-only */
#include <math.h>
#include <stdlib.h>
#include "joint_test.h"
#include "spread.h"
#include "util.h"

/* Equal but for rounding, which depends on the order of the runs. */
#define ALMOST (1 - 1e-9)

size_t joint_test_divisions(size_t nr_a, size_t nr_b)
{
	size_t nr = nr_a + nr_b, small = nr_a < nr_b ? nr_a : nr_b;
	size_t divisions = 1, i;

	for (i = 1; i <= small; i++) {
		divisions = divisions * (nr - small + i) / i;
		if (divisions > JOINT_TEST_DIVISIONS)
			return 0;
	}
	return divisions;
}

/*
 * With each metric shifted to a mean of 0 and scaled to a sum of squares of 1,
 * |t| depends on the sum of either half alone, and increases with it: sums are
 * all that is needed of a division.
 */
struct divisions {
	const struct joint_sizes *sizes;
	double *scaled;	 /* of run r, metric m: [r * nr_metrics + m] */
	double *sums;	 /* of so many runs as were chosen, likewise */
	double *largest; /* of each division so far, |sum| of any metric */
	size_t nr;	 /* divisions */
};

/* The first nr_a runs are those of a. */
static double value_of(const struct joint_metric *m,
		       const struct joint_sizes *s, size_t run)
{
	return run < s->nr_a ? m->a[run] : m->b[run - s->nr_a];
}

/* Returns the factor by which it was multiplied; 0: all values are equal. */
static double scale_metric(struct divisions *d, const struct joint_metric *m,
			   size_t metric)
{
	size_t nr = d->sizes->nr_a + d->sizes->nr_b, i;
	double mean = 0, squares = 0, factor;

	for (i = 0; i < nr; i++)
		mean += value_of(m, d->sizes, i) / nr;
	for (i = 0; i < nr; i++)
		squares += pow(value_of(m, d->sizes, i) - mean, 2);
	/* what rounding leaves of equal values is nothing to be scaled */
	factor = squares > nr * pow(mean * 1e-14, 2) ? 1 / sqrt(squares) : 0;
	for (i = 0; i < nr; i++)
		d->scaled[i * d->sizes->nr_metrics + metric] =
			(value_of(m, d->sizes, i) - mean) * factor;
	return factor;
}

/* Of the halves' sizes: a sum's square times this is between the halves. */
static double between(const struct joint_sizes *s)
{
	return 1.0 / s->nr_a + 1.0 / s->nr_b;
}

/* Of the difference of means, in units of the scaled values. */
static double error_of(const struct joint_sizes *s, double sum)
{
	double within = fmax(0, 1 - sum * sum * between(s));

	return sqrt(within / (s->nr_a + s->nr_b - 2) * between(s));
}

static double t_of(const struct joint_sizes *s, double sum)
{
	return sum == 0 ? 0 : sum * between(s) / error_of(s, sum);
}

/* Chooses run @run as that number @depth of a; returns the largest |sum|. */
static double add_run(struct divisions *d, size_t depth, size_t run)
{
	size_t nr = d->sizes->nr_metrics, m;
	const double *sums = d->sums + depth * nr;
	const double *values = d->scaled + run * nr;
	double *next = d->sums + (depth + 1) * nr;
	double largest = 0;

	for (m = 0; m < nr; m++) {
		double size = fabs(sums[m] + values[m]);

		next[m] = sums[m] + values[m];
		largest = size > largest ? size : largest;
	}
	return largest;
}

/* All ways to choose the runs of a, in lexical order. */
static void divide(struct divisions *d)
{
	size_t nr_a = d->sizes->nr_a, nr = nr_a + d->sizes->nr_b, depth = 0;
	size_t *chosen = xcalloc(nr_a + 1, sizeof(*chosen));

	for (;;) {
		size_t left = nr_a - depth;

		if (chosen[depth] + left <= nr) {
			double largest = add_run(d, depth, chosen[depth]);

			if (left > 1) {
				chosen[depth + 1] = chosen[depth] + 1;
				depth++;
				continue;
			}
			d->largest[d->nr++] = largest;
		} else if (depth-- == 0) {
			break;
		}
		chosen[depth]++;
	}
	free(chosen);
}

/* Of @nr sorted values, those that are at least @value. */
static size_t nr_above(const double *sorted, size_t nr, double value)
{
	size_t low = 0, high = nr;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (sorted[mid] < value)
			low = mid + 1;
		else
			high = mid;
	}
	return nr - low;
}

/* The |sum| of the runs that a really has. */
static double observed(const struct divisions *d, size_t metric)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < d->sizes->nr_a; i++)
		sum += d->scaled[i * d->sizes->nr_metrics + metric];
	return fabs(sum);
}

double joint_test(struct joint_metric *metrics, const struct joint_sizes *s,
		  double alpha)
{
	size_t nr = joint_test_divisions(s->nr_a, s->nr_b), i, above;
	size_t runs = s->nr_a + s->nr_b;
	struct divisions d = {
		.sizes = s,
		.scaled = xcalloc(runs * s->nr_metrics, sizeof(*d.scaled)),
		.sums = xcalloc((s->nr_a + 1) * s->nr_metrics, sizeof(*d.sums)),
		.largest = xcalloc(nr, sizeof(*d.largest)),
	};
	double critical;

	for (i = 0; i < s->nr_metrics; i++) {
		double factor = scale_metric(&d, &metrics[i], i);
		double sum = observed(&d, i);

		metrics[i].p = sum;
		metrics[i].error = factor ? error_of(s, sum) / factor : 0;
	}
	divide(&d);
	sort_doubles(d.largest, nr);
	for (i = 0; i < s->nr_metrics; i++)
		metrics[i].p =
			(double)nr_above(d.largest, nr, metrics[i].p * ALMOST) /
			nr;
	above = floor(alpha * nr);
	critical = above ? t_of(s, d.largest[nr - above]) : INFINITY;
	free(d.scaled);
	free(d.sums);
	free(d.largest);
	return critical;
}
