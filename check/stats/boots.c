/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * boots TRIALS: how often judge() sees a change where nothing but the boot has
 * changed, as a table of doc/statistics.md: if files count as independent, and
 * if that counts which kvmeter compare chooses. Fixed seeds: equal output for
 * equal TRIALS.
 */
#include <stdio.h>
#include <stdlib.h>
#include "grouping.h"
#include "judge.h"
#include "random.h"
#include "spread.h"

#define FILES_MAX 40

static const struct judge_rule rule = { JUDGE_ALPHA, JUDGE_THRESHOLD, true };

struct experiment {
	unsigned int boots, files; /* a side, of each boot */
	bool shared;		   /* both sides are from the same boots */
};

struct samples {
	double side[2][FILES_MAX]; /* a boot's files stand together */
};

/* Of a boot 2 %, which all its files have, and 1 % of a file. */
static void draw(const struct experiment *e, struct samples *s, u64 *state)
{
	unsigned int i, k, side;

	for (i = 0; i < e->boots; i++) {
		double bias = 0;

		for (side = 0; side < 2; side++) {
			if (side == 0 || !e->shared)
				bias = 0.02 * random_normal(state);
			for (k = 0; k < e->files; k++)
				s->side[side][i * e->files + k] =
					1 + bias + 0.01 * random_normal(state);
		}
	}
}

static bool alarms(const double *a, const double *b, size_t nr)
{
	struct comparison c = {
		.before = a,
		.after = b,
		.nr_before = nr,
		.nr_after = nr,
		.better = BETTER_LOWER,
	};

	judge_change(&c, 1, &rule);
	return c.judgement != CANNOT_TELL;
}

static bool files_alarm(const struct experiment *e, const struct samples *s)
{
	return alarms(s->side[0], s->side[1], e->boots * e->files);
}

static bool boots_alarm(const struct experiment *e, const struct samples *s)
{
	double medians[2][FILES_MAX];
	unsigned int i, side;

	for (side = 0; side < 2; side++)
		for (i = 0; i < e->boots; i++)
			medians[side][i] = median_of(
				s->side[side] + i * e->files, e->files);
	return alarms(medians[0], medians[1], e->boots);
}

/* As tools/kvmeter/files.c does. */
static bool boots_count(const struct experiment *e, const struct samples *s)
{
	struct grouping g = GROUPING_NONE;
	struct grouped sides[2];
	size_t starts[FILES_MAX];
	unsigned int i;

	if (e->shared)
		return false;
	for (i = 0; i < e->boots; i++)
		starts[i] = i * e->files;
	for (i = 0; i < 2; i++) {
		sides[i] = (struct grouped){ s->side[i], starts,
					     e->boots * e->files, e->boots };
		grouping_add(&g, &sides[i]);
	}
	if (!g.several || g.least >= GROUPS_ENOUGH)
		return g.several;
	for (i = 0; i < 2; i++)
		grouping_compare_all(&g, &sides[i]);
	return grouping_differs(&g);
}

static void print_row(const struct experiment *e, unsigned int trials)
{
	static struct samples s;
	unsigned int by_files = 0, chosen = 0, t;
	u64 state = 1;

	for (t = 0; t < trials; t++) {
		bool alarm;

		draw(e, &s, &state);
		alarm = files_alarm(e, &s);
		by_files += alarm;
		if (boots_count(e, &s))
			alarm = boots_alarm(e, &s);
		chosen += alarm;
	}
	printf("| %u boot%s, %u files of each%s | %.1f %% | %.1f %% |\n",
	       e->boots, e->boots == 1 ? "" : "s", e->files,
	       e->shared ? ", the same for both" : "",
	       100.0 * by_files / trials, 100.0 * chosen / trials);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	static const struct experiment rows[] = {
		{ 1, 20, true },  { 5, 4, true },   { 1, 20, false },
		{ 2, 5, false },  { 2, 10, false }, { 3, 10, false },
		{ 4, 5, false },  { 5, 4, false },  { 10, 2, false },
		{ 20, 2, false },
	};
	unsigned int trials = argc == 2 ? strtoul(argv[1], NULL, 10) : 0;
	size_t i;

	if (!trials) {
		fprintf(stderr, "usage: boots TRIALS\n");
		return 2;
	}
	printf("### False alarms where boots differ\n\n"
	       "| a side has | all files count | what counts |\n"
	       "| --- | ---: | ---: |\n");
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		print_row(&rows[i], trials);
	return 0;
}
