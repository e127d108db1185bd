/* SPDX-License-Identifier: GPL-2.0-only */
#include <math.h>
#include <stdlib.h>
#include "bootstrap.h"
#include "detectable.h"
#include "rank_test.h"
#include "spread.h"
#include "student.h"
#include "threshold.h"
#include "util.h"

#define TWO_SIDED_5_PERCENT 0.025

/* A time or count of 0 is one below the resolution. */
static double log_of(double value)
{
	return log(fmax(value, 0.5));
}

struct sums {
	double mean;
	double squares; /* of deviations from it */
	size_t df;
};

static struct sums sums_of_files(const struct threshold_side *side)
{
	struct sums s = { 0, 0, side->nr_files ? side->nr_files - 1 : 0 };
	size_t i;

	for (i = 0; i < side->nr_files; i++)
		s.mean += log_of(side->files[i]) / side->nr_files;
	for (i = 0; i < side->nr_files; i++)
		s.squares += pow(log_of(side->files[i]) - s.mean, 2);
	return s;
}

static bool by_files(const struct threshold_figure *f)
{
	return f->good.nr_files > 1;
}

/* Sides differ in their means, but not in how their files spread. */
struct t_test {
	double distance; /* of means */
	double error;
	size_t df;
};

static struct t_test test_files(const struct threshold_figure *f)
{
	struct sums good = sums_of_files(&f->good);
	struct sums bad = sums_of_files(&f->bad);
	struct sums commit = sums_of_files(&f->commit);
	struct t_test t = { .df = good.df + bad.df + commit.df };

	t.distance = commit.mean - good.mean;
	t.error = sqrt((good.squares + bad.squares + commit.squares) / t.df *
		       (1.0 / f->good.nr_files + 1.0 / f->commit.nr_files));
	return t;
}

static void judge_files(struct threshold_figure *f)
{
	struct t_test test = test_files(f);
	double beyond = test.distance - log(f->factor), t = 0;

	f->change = expm1(test.distance);
	if (test.error > 0)
		t = beyond / test.error;
	else if (beyond != 0)
		t = copysign(INFINITY, beyond);
	if (f->factor < 1)
		t = -t;
	f->p_bad = fmax(f->p_bad, student_upper(t, test.df));
	f->p_good = fmax(f->p_good, student_upper(-t, test.df));
}

/* Each of p_good and p_bad is one tail of the test. */
static void judge_runs(struct threshold_figure *f)
{
	const struct threshold_side *good = &f->good, *commit = &f->commit;
	double *moved = xcalloc(good->nr_runs, sizeof(*moved));
	double middle = (double)good->nr_runs * commit->nr_runs / 2;
	struct rank_test test;
	size_t i;

	for (i = 0; i < good->nr_runs; i++)
		moved[i] = good->runs[i] * f->factor;
	test = rank_test(commit->runs, commit->nr_runs, moved, good->nr_runs);
	free(moved);
	f->change = median_of(commit->runs, commit->nr_runs) /
			    median_of(good->runs, good->nr_runs) -
		    1;
	f->p_good = f->p_bad = 1;
	if (test.u == middle)
		return;
	if ((test.u > middle) == (f->factor > 1))
		f->p_bad = test.p / 2;
	else
		f->p_good = test.p / 2;
}

void threshold_interval(struct threshold_figure *f)
{
	struct interval ratio;
	struct t_test test;
	double margin;

	if (by_files(f)) {
		test = test_files(f);
		margin = test.error *
			 student_quantile(TWO_SIDED_5_PERCENT, test.df);
		f->low = expm1(test.distance - margin);
		f->high = expm1(test.distance + margin);
	} else if (f->good.nr_runs >= BOOTSTRAP_MIN &&
		   f->commit.nr_runs >= BOOTSTRAP_MIN) {
		ratio = bootstrap_ratio(f->good.runs, f->good.nr_runs,
					f->commit.runs, f->commit.nr_runs);
		f->low = ratio.low - 1;
		f->high = ratio.high - 1;
	} else {
		return;
	}
	f->has_interval = true;
}

/*
 * Of several figures any can make the commit bad: each gets its part of alpha.
 * Good they have to be all of them, so that only an error in the one that is
 * bad can make it good.
 */
enum threshold_verdict threshold_judge(struct threshold_figure *figures,
				       size_t nr, double alpha)
{
	bool all_good = true, any_bad = false;
	size_t i;

	for (i = 0; i < nr; i++) {
		figures[i].has_interval = false;
		judge_runs(&figures[i]);
		if (by_files(&figures[i]))
			judge_files(&figures[i]);
		all_good &= figures[i].p_good <= alpha;
		any_bad |= figures[i].p_bad <= alpha / nr;
	}
	if (any_bad)
		return THRESHOLD_BAD;
	return all_good ? THRESHOLD_GOOD : THRESHOLD_OPEN;
}

static bool files_suffice(const struct threshold_figure *f, size_t files,
			  double alpha)
{
	struct sums good = sums_of_files(&f->good);
	struct sums bad = sums_of_files(&f->bad);
	size_t df = good.df + bad.df;
	double error = sqrt((good.squares + bad.squares) / df *
			    (1.0 / f->good.nr_files + 1.0 / files));

	return fabs(log(f->factor)) >=
	       error * (student_quantile(alpha, df + files - 1) +
			DETECTABLE_QUANTILE);
}

static bool runs_suffice(const struct threshold_figure *f, size_t files,
			 double alpha)
{
	const struct threshold_side *good = &f->good;
	double shift = detectable_shift(good->nr_runs,
					files * good->runs_per_file, 2 * alpha);

	return isfinite(shift) &&
	       fabs(log(f->factor)) * median_of(good->runs, good->nr_runs) >=
		       shift * robust_deviation(good->runs, good->nr_runs);
}

size_t threshold_expected(const struct threshold_figure *f, double alpha,
			  size_t most)
{
	size_t files;

	for (files = 1; files <= most; files++)
		if (runs_suffice(f, files, alpha) &&
		    (!by_files(f) || files_suffice(f, files, alpha)))
			break;
	return files;
}
