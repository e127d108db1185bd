/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * simulate TRIALS: what judge() makes of samples whose truth is known, as
 * tables of doc/statistics.md: false alarms, which are rare, from five times as
 * many, and what is found, which is not, from a quarter. Fixed seeds: equal
 * output for equal TRIALS.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "bootstrap.h"
#include "detectable.h"
#include "judge.h"
#include "random.h"
#include "spread.h"
#include "turns.h"

#define RUNS_MAX 40
#define METRICS_MAX 5

/* A drift of 2 %, most of which is still there after ten runs. */
#define DRIFT_SD 0.02
#define DRIFT_KEPT 0.95

static const unsigned int sizes[] = { 5, 10, 20, 40 };
static const struct judge_rule rule = { JUDGE_ALPHA, JUDGE_THRESHOLD, true };

/* ---- noise, about 1 ---- */

static double noise_normal(u64 *state)
{
	return 1 + 0.02 * random_normal(state);
}

static double noise_log_normal(u64 *state)
{
	return exp(0.05 * random_normal(state));
}

/* One run in four is 6 % slower. */
static double noise_bimodal(u64 *state)
{
	double slower = random_unit(state) < 0.25 ? 0.06 : 0;

	return 1 + slower + 0.01 * random_normal(state);
}

static double noise_small(u64 *state)
{
	return 1 + 0.01 * random_normal(state);
}

static const struct noise {
	const char *name;
	double (*draw)(u64 *state);
	bool drifts; /* all metrics of a run alike */
	bool blocks; /* all of A, then all of B; else in turn: turns.h */
} noises[] = {
	{ "normal, 2 %", noise_normal, false, false },
	{ "log-normal, 5 %", noise_log_normal, false, false },
	{ "bimodal, 6 % apart", noise_bimodal, false, false },
	{ "drift, in turn", noise_small, true, false },
	{ "drift, one after the other", noise_small, true, true },
};

/* ---- an experiment ---- */

struct experiment {
	const struct noise *noise;
	unsigned int runs; /* a side */
	unsigned int metrics;
	double shift; /* of the first metric on side B */
};

struct samples {
	double side[2][METRICS_MAX][RUNS_MAX];
};

/* Whether the @i-th run in time is of side B. */
static unsigned int side_of(const struct experiment *e, unsigned int i)
{
	if (e->noise->blocks)
		return i >= e->runs;
	return turn_side(i);
}

static void draw(const struct experiment *e, struct samples *s, u64 *state)
{
	double drift = DRIFT_SD * random_normal(state);
	unsigned int nr[2] = { 0, 0 }, i, m, side;

	for (i = 0; i < 2 * e->runs; i++) {
		/* in turn: an odd number of pairs ends with half a group */
		side = side_of(e, i);
		for (m = 0; m < e->metrics; m++)
			s->side[side][m][nr[side]] =
				(e->noise->draw(state) +
				 (e->noise->drifts ? drift : 0)) *
				(side && m == 0 ? 1 + e->shift : 1);
		nr[side]++;
		drift = DRIFT_KEPT * drift +
			DRIFT_SD * sqrt(1 - DRIFT_KEPT * DRIFT_KEPT) *
				random_normal(state);
	}
}

static void compare(const struct experiment *e, const struct samples *s,
		    struct comparison *c)
{
	unsigned int m;

	for (m = 0; m < e->metrics; m++)
		c[m] = (struct comparison){
			.before = s->side[0][m],
			.after = s->side[1][m],
			.nr_before = e->runs,
			.nr_after = e->runs,
		};
	judge_change(c, e->metrics, &rule);
}

/* Share of trials with a verdict: of any metric, or "slower" of the first. */
static double share(const struct experiment *e, unsigned int trials)
{
	static struct samples s;
	struct comparison c[METRICS_MAX];
	unsigned int found = 0, t, m, any;
	u64 state = 1;

	for (t = 0; t < trials; t++) {
		draw(e, &s, &state);
		compare(e, &s, c);
		for (m = any = 0; m < e->metrics; m++)
			any |= c[m].judgement != CANNOT_TELL;
		found += e->shift > 0 ? c[0].judgement == SLOWER : any;
	}
	return (double)found / trials;
}

/* ---- tables ---- */

static void heading(const char *title, const char *first)
{
	unsigned int i;

	printf("### %s\n\n| %s |", title, first);
	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		printf(" %u runs a side |", sizes[i]);
	printf("\n| --- |");
	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		printf(" ---: |");
	putchar('\n');
}

static void row(struct experiment e, unsigned int trials)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		e.runs = sizes[i];
		printf(" %.1f %% |", 100 * share(&e, trials));
	}
	putchar('\n');
	fflush(stdout);
}

static void print_alarms(unsigned int metrics, unsigned int trials)
{
	char title[64];
	unsigned int i;

	snprintf(title, sizeof(title), "False alarms, %u metric%s", metrics,
		 metrics > 1 ? "s" : "");
	heading(title, "noise");
	for (i = 0; i < ARRAY_SIZE(noises); i++) {
		printf("| %s |", noises[i].name);
		row((struct experiment){ &noises[i], 0, metrics, 0 },
		    noises[i].blocks ? trials : 5 * trials);
	}
	putchar('\n');
}

static void print_power(unsigned int metrics, unsigned int trials)
{
	static const double shifts[] = { 0.02, 0.05, 0.10 };
	char title[64];
	unsigned int i, k;

	snprintf(title, sizeof(title), "Found, 1 of %u metric%s slower",
		 metrics, metrics > 1 ? "s" : "");
	heading(title, "noise, shift");
	for (i = 0; i < ARRAY_SIZE(noises); i++) {
		if (noises[i].blocks)
			continue;
		for (k = 0; k < ARRAY_SIZE(shifts); k++) {
			printf("| %s: +%.0f %% |", noises[i].name,
			       100 * shifts[k]);
			row((struct experiment){ &noises[i], 0, metrics,
						 shifts[k] },
			    trials);
		}
	}
	putchar('\n');
}

/* The percentile interval, and the basic one, its mirror image. */
static void coverage(const struct experiment *e, unsigned int trials)
{
	static struct samples s;
	unsigned int percentile = 0, basic = 0, t;
	struct interval i;
	u64 state = 2;
	double ratio;

	for (t = 0; t < trials; t++) {
		draw(e, &s, &state);
		i = bootstrap_ratio(s.side[0][0], e->runs, s.side[1][0],
				    e->runs);
		ratio = median_of(s.side[1][0], e->runs) /
			median_of(s.side[0][0], e->runs);
		percentile += i.low <= 1 && i.high >= 1;
		basic += 2 * ratio - i.high <= 1 && 2 * ratio - i.low >= 1;
	}
	printf(" %.1f %% (%.1f %%) |", 100.0 * percentile / trials,
	       100.0 * basic / trials);
	fflush(stdout);
}

static void print_coverage(unsigned int trials)
{
	unsigned int i, k;

	heading("Intervals that hold the truth: percentile (basic)", "noise");
	for (i = 0; i < ARRAY_SIZE(noises); i++) {
		if (noises[i].drifts)
			continue;
		printf("| %s |", noises[i].name);
		for (k = 0; k < ARRAY_SIZE(sizes); k++)
			coverage(&(struct experiment){ &noises[i], sizes[k], 1,
						       0 },
				 trials);
		putchar('\n');
	}
	putchar('\n');
}

/*
 * Normal noise of 2 %: is the smallest effect that ranks can show found as
 * often as it says?
 */
static void print_detectable(unsigned int metrics, unsigned int trials)
{
	struct experiment e = { &noises[0], 0, metrics, 0 };
	unsigned int i;

	printf("| %u metric%s |", metrics, metrics > 1 ? "s" : "");
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		e.runs = sizes[i];
		e.shift = 0.02 * detectable_shift(e.runs, e.runs,
						  JUDGE_ALPHA / metrics);
		if (isinf(e.shift))
			printf(" none |");
		else
			printf(" %.1f %%, found in %.0f %% |", 100 * e.shift,
			       100 * share(&e, trials));
	}
	putchar('\n');
}

int main(int argc, char **argv)
{
	unsigned int trials = argc == 2 ? strtoul(argv[1], NULL, 10) : 0;

	if (trials < 4) {
		fprintf(stderr, "usage: simulate TRIALS (4 at least)\n");
		return 2;
	}
	print_alarms(5, trials);
	print_alarms(1, trials);
	print_power(5, trials / 4);
	print_power(1, trials / 4);
	print_coverage(trials);
	heading("The smallest effect that ranks show, normal noise of 2 %",
		"metrics");
	print_detectable(5, trials / 4);
	print_detectable(1, trials / 4);
	return 0;
}
