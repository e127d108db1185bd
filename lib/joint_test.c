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

/* The first nr_a runs are those of a. */
static double value_of(const struct joint_metric *m,
		       const struct joint_sizes *s, size_t run)
{
	return run < s->nr_a ? m->a[run] : m->b[run - s->nr_a];
}

struct half {
	double sum, mean, squares; /* squares of deviations */
};

/* |t|, and the standard error in it, if @in_a says which runs are of a. */
static double t_of(const struct joint_metric *m, const struct joint_sizes *s,
		   const bool *in_a, double *error)
{
	size_t nr = s->nr_a + s->nr_b, i;
	struct half a = { 0, 0, 0 }, b = { 0, 0, 0 }, *half;
	double difference;

	for (i = 0; i < nr; i++) {
		half = in_a[i] ? &a : &b;
		half->sum += value_of(m, s, i);
	}
	a.mean = a.sum / s->nr_a;
	b.mean = b.sum / s->nr_b;
	for (i = 0; i < nr; i++) {
		half = in_a[i] ? &a : &b;
		half->squares += pow(value_of(m, s, i) - half->mean, 2);
	}
	*error = sqrt((a.squares + b.squares) / (nr - 2) *
		      (1.0 / s->nr_a + 1.0 / s->nr_b));
	difference = fabs(a.mean - b.mean);
	if (difference == 0)
		return 0;
	return difference / *error;
}

/* The next division in lexical order; false after the last. */
static bool next_division(bool *in_a, size_t nr)
{
	size_t trailing = 0, i = nr;

	/* find the last "a" that has a "b" after it, and move it there */
	while (i > 0 && in_a[i - 1]) {
		in_a[--i] = false;
		trailing++;
	}
	while (i > 0 && !in_a[i - 1])
		i--;
	if (i == 0)
		return false;
	in_a[i - 1] = false;
	for (trailing++; trailing > 0; trailing--)
		in_a[i++] = true;
	return true;
}

static double largest_t(const struct joint_metric *metrics,
			const struct joint_sizes *s, const bool *in_a)
{
	double largest = 0, error;
	size_t i;

	for (i = 0; i < s->nr_metrics; i++)
		largest = fmax(largest, t_of(&metrics[i], s, in_a, &error));
	return largest;
}

double joint_test(struct joint_metric *metrics, const struct joint_sizes *s,
		  double alpha)
{
	size_t nr = joint_test_divisions(s->nr_a, s->nr_b), i, k, above;
	double *largest = xcalloc(nr, sizeof(*largest)), critical;
	bool *in_a = xcalloc(s->nr_a + s->nr_b, sizeof(*in_a));

	for (i = 0; i < s->nr_a; i++)
		in_a[i] = true;
	for (i = 0; i < s->nr_metrics; i++)
		metrics[i].p = t_of(&metrics[i], s, in_a, &metrics[i].error);
	for (i = 0; i < nr; i++) {
		largest[i] = largest_t(metrics, s, in_a);
		next_division(in_a, s->nr_a + s->nr_b);
	}
	for (i = 0; i < s->nr_metrics; i++) {
		for (above = k = 0; k < nr; k++)
			above += largest[k] >= metrics[i].p * ALMOST;
		metrics[i].p = (double)above / nr;
	}
	sort_doubles(largest, nr);
	above = floor(alpha * nr);
	critical = above ? largest[nr - above] : INFINITY;
	free(in_a);
	free(largest);
	return critical;
}
