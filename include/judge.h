/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Is it faster or slower? The rule of kvmeter compare, for all metrics of a
 * comparison at once; doc/statistics.md tells what it promises. Pure functions;
 * thread-safe. Out of memory ends in die().
 */
#ifndef KVMETER_JUDGE_H
#define KVMETER_JUDGE_H

#include "better.h"
#include "types.h"

enum judgement {
	CANNOT_TELL,
	SAME,
	FASTER,
	SLOWER,
	NOT_JUDGED, /* neither less nor more of it is better */
	NR_JUDGEMENTS
};

/* "faster", "can't tell"; "-": not judged */
const char *judgement_name(enum judgement j);

/* One metric at one point, before and after. */
struct comparison {
	/* One value for each run, borrowed; at least one of each. */
	const double *before, *after;
	size_t nr_before, nr_after;
	enum better better;
	/* ---- by judge(), changes as fractions of the median before ---- */
	double median_before, median_after;
	double change; /* INFINITY: from 0 to more */
	/* 95 % confidence interval of the change; with few runs there is none
	 */
	bool has_interval;
	double low, high;
	double p;	   /* by ranks, of this metric alone */
	double p_adjusted; /* 1 if not judged */
	/* Relative standard deviation that outliers do not show in; 0 if
	 * unknown. */
	double spread;
	enum judgement judgement;
	/*
	 * Of CANNOT_TELL: the smallest change that so many runs would show with
	 * such a spread. INFINITY: none, so few are they. 0: not known.
	 */
	double detectable;
};

struct judge_rule {
	double alpha;	  /* false alarms, of all metrics together */
	double threshold; /* changes below it matter to nobody */
	/* the i-th values of all comparisons come from the same run */
	bool same_runs;
};

#define JUDGE_ALPHA 0.01
#define JUDGE_THRESHOLD 0.01

/* What the adjusted p is. */
enum judge_method {
	/* Mann-Whitney U with Holm's correction: rank_test.h */
	JUDGED_BY_RANKS,
	/*
	 * joint_test.h: the runs are too few for ranks to show anything of so
	 * many metrics, and both sides have as many runs of each.
	 */
	JUDGED_JOINTLY,
};

/*
 * NOT_JUDGED is what has no direction: described like the others, it takes
 * nothing of alpha from them.
 *
 * FASTER, SLOWER: the adjusted p is at most alpha, the change at least the
 * threshold, and its interval does not hold 0. SAME: not so, and the interval
 * lies within the threshold on both sides. The method depends on numbers of
 * runs and metrics alone.
 */
enum judge_method judge(struct comparison *c, size_t nr,
			const struct judge_rule *rule);

/* How many of them are judged. */
size_t judge_count(const struct comparison *c, size_t nr);

/* The first half of it: medians, change, p, and whether FASTER or SLOWER. */
enum judge_method judge_change(struct comparison *c, size_t nr,
			       const struct judge_rule *rule);

/*
 * Runs a side from which @nr metrics can be judged at all; @same_runs as in the
 * rule.
 */
size_t judge_least_runs(size_t nr, const struct judge_rule *rule);

/*
 * The smallest change of one of @nr metrics, in its relative standard
 * deviation, that @runs a side show with DETECTABLE_POWER by whatever method
 * judge() takes then. INFINITY: so few cannot show any. Simulated with a fixed
 * seed, for normal samples.
 */
double judge_shift(size_t runs, size_t nr, const struct judge_rule *rule);

#endif
