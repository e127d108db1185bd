/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * On which side of a threshold is a commit? The rule of kvmeter bisect, which
 * may be asked again with more runs of the commit; doc/statistics.md tells what
 * it promises. Pure functions; thread-safe. Out of memory ends in die().
 */
#ifndef KVMETER_THRESHOLD_H
#define KVMETER_THRESHOLD_H

#include "types.h"

/*
 * Values of one side, borrowed, none negative: of each run, and of each file
 * the median of its runs. At least one of each, except of bad. Files must be
 * independent: those of one boot, where boots differ, count as one.
 */
struct threshold_side {
	const double *runs, *files;
	size_t nr_runs, nr_files;
	size_t runs_per_file; /* for threshold_expected() */
};

/* A metric at a point. */
struct threshold_figure {
	struct threshold_side good, commit;
	struct threshold_side bad; /* tells only how files spread */
	/*
	 * The threshold as a multiple of good: above 1, and bad is what is
	 * larger; or below 1, and bad is what is smaller.
	 */
	double factor;
	/* ---- by threshold_judge(), changes as fractions of good ---- */
	double change;
	bool has_interval; /* threshold_interval() */
	double low, high;  /* 95 % */
	/*
	 * How often a commit at the threshold would by chance look as good, or
	 * as bad, as this one.
	 */
	double p_good, p_bad;
};

enum threshold_verdict {
	THRESHOLD_OPEN, /* more runs are needed */
	THRESHOLD_GOOD, /* each figure is on the side of good */
	THRESHOLD_BAD,	/* some figure is beyond its threshold */
};

/*
 * A verdict other than OPEN is wrong with a probability of at most @alpha,
 * wherever the commit is in truth: BAD with none of the figures beyond its
 * threshold, GOOD with any. Asked several times with more runs, the errors of
 * all times add up: each gets its part of alpha.
 *
 * Two tests have to agree. That of ranks (rank_test.h), of all runs against
 * those of good times the factor, does not care how runs are distributed, but
 * takes them for independent. Student's t of the logarithms of files does not
 * do that, but takes files for normal and their spread for the same on all
 * sides; with a single file of good there is none to be seen, and ranks decide
 * alone.
 */
enum threshold_verdict threshold_judge(struct threshold_figure *figures,
				       size_t nr, double alpha);

/* The interval after threshold_judge(), which leaves out what takes long. */
void threshold_interval(struct threshold_figure *f);

/*
 * Files of a commit like good, with as many runs as its files have, from which
 * it would be told good at @alpha in about four of five cases, as values of
 * good and bad spread; @most + 1 if more.
 */
size_t threshold_expected(const struct threshold_figure *f, double alpha,
			  size_t most);

#endif
