/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bisect TRIALS [ALPHA]: how often threshold_judge(), asked again with more
 * files while the verdict is open, is wrong about commits whose truth is known,
 * as tables of doc/statistics.md. Fixed seeds: equal output for equal TRIALS.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "random.h"
#include "spread.h"
#include "threshold.h"

#define LOOKS 5
#define RUNS 9
#define FILES_MAX 5
#define METRICS_MAX 3

/* Half of the way to what is bad. */
#define FACTOR 1.05

/* ---- noise: a file's bias, which its runs share, and a run's own ---- */

static double none(u64 *state)
{
	(void)state;
	return 1;
}

static double normal_2(u64 *state)
{
	return 1 + 0.02 * random_normal(state);
}

static double normal_1(u64 *state)
{
	return 1 + 0.01 * random_normal(state);
}

static double log_normal(u64 *state)
{
	return exp(0.05 * random_normal(state));
}

/* One in four is 6 % slower. */
static double bimodal(u64 *state)
{
	double slower = random_unit(state) < 0.25 ? 0.06 : 0;

	return 1 + slower + 0.01 * random_normal(state);
}

static const struct noise {
	const char *name;
	double (*file)(u64 *state);
	double (*run)(u64 *state);
} noises[] = {
	{ "runs: normal, 2 %", none, normal_2 },
	{ "runs: log-normal, 5 %", none, log_normal },
	{ "runs: bimodal, 6 % apart", none, bimodal },
	{ "boots: normal, 1 %; runs 1 %", normal_1, normal_1 },
	{ "boots: normal, 2 %; runs 1 %", normal_2, normal_1 },
};

/* ---- a bisection's step ---- */

struct step {
	const struct noise *noise;
	size_t files; /* of good */
	size_t metrics;
	double truth;  /* of the commit's first metric, as a multiple of good */
	double alpha;  /* of each look */
	bool one_boot; /* of all files of the commit */
	bool as_independent; /* which are taken for such all the same */
};

struct outcome {
	enum threshold_verdict verdict;
	size_t files; /* of the commit */
};

/* All runs of a side, and the medians of its files. */
struct side {
	double runs[FILES_MAX * RUNS];
	double files[FILES_MAX];
	double bias;   /* of the first file */
	double median; /* of files */
};

static void draw_file(const struct step *s, struct side *side, size_t file,
		      double truth, double bias, u64 *state)
{
	double *runs = side->runs + file * RUNS;
	size_t i;

	for (i = 0; i < RUNS; i++)
		runs[i] = 1e6 * truth * bias * s->noise->run(state);
	side->files[file] = median_of(runs, RUNS);
}

static struct threshold_side values_of(const struct side *side, size_t files)
{
	return (struct threshold_side){ side->runs, side->files, files * RUNS,
					files, RUNS };
}

/* Files of one boot count as one, as in tools/kvmeter/bisect_state.c. */
static struct threshold_side values_of_commit(const struct step *s,
					      struct side *side, size_t files)
{
	struct threshold_side values = values_of(side, files);

	if (s->one_boot && !s->as_independent) {
		side->median = median_of(side->files, files);
		values.files = &side->median;
		values.nr_files = 1;
	}
	return values;
}

static void draw_commit(const struct step *s, struct side *side, size_t file,
			double truth, u64 *state)
{
	if (file == 0 || !s->one_boot)
		side->bias = s->noise->file(state);
	draw_file(s, side, file, truth, side->bias, state);
}

static struct outcome take(const struct step *s, u64 *state)
{
	static struct side good[METRICS_MAX], commit[METRICS_MAX];
	struct threshold_figure f[METRICS_MAX];
	struct outcome o = { THRESHOLD_OPEN, 0 };
	size_t m, i;

	for (m = 0; m < s->metrics; m++)
		for (i = 0; i < s->files; i++)
			draw_file(s, &good[m], i, 1, s->noise->file(state),
				  state);
	while (o.verdict == THRESHOLD_OPEN && o.files < LOOKS) {
		for (m = 0; m < s->metrics; m++)
			draw_commit(s, &commit[m], o.files, m ? 1 : s->truth,
				    state);
		o.files++;
		for (m = 0; m < s->metrics; m++)
			f[m] = (struct threshold_figure){
				.good = values_of(&good[m], s->files),
				.commit = values_of_commit(s, &commit[m],
							   o.files),
				.factor = FACTOR,
			};
		o.verdict = threshold_judge(f, s->metrics, s->alpha);
	}
	return o;
}

struct shares {
	double good, bad;
	double files; /* mean */
};

static struct shares shares_of(const struct step *s, unsigned int trials)
{
	struct shares shares = { 0, 0, 0 };
	struct outcome o;
	u64 state = 1;
	unsigned int t;

	for (t = 0; t < trials; t++) {
		o = take(s, &state);
		shares.good += o.verdict == THRESHOLD_GOOD;
		shares.bad += o.verdict == THRESHOLD_BAD;
		shares.files += o.files;
	}
	shares.good /= trials;
	shares.bad /= trials;
	shares.files /= trials;
	return shares;
}

/* ---- tables ---- */

/* Boots that differ are nothing that runs of one boot could tell of. */
static bool is_told(const struct noise *n, size_t files)
{
	return files > 1 || n->file == none;
}

static void print_wrong(const char *title, double alpha, unsigned int trials)
{
	static const struct {
		const char *name;
		size_t files, metrics;
	} rows[] = {
		{ "5 files of good", 5, 1 },
		{ "3 files of good, 3 metrics", 3, 3 },
		{ "1 file of good", 1, 1 },
	};
	size_t i, k;

	printf("### %s\n\n| noise | recorded | told good | told bad |\n"
	       "| --- | --- | ---: | ---: |\n",
	       title);
	for (i = 0; i < ARRAY_SIZE(noises); i++) {
		for (k = 0; k < ARRAY_SIZE(rows); k++) {
			struct step s = { .noise = &noises[i],
					  .files = rows[k].files,
					  .metrics = rows[k].metrics,
					  .truth = FACTOR,
					  .alpha = alpha };
			struct shares w;

			if (!is_told(&noises[i], s.files))
				continue;
			w = shares_of(&s, trials);
			printf("| %s | %s | %.1f %% | %.1f %% |\n",
			       noises[i].name, rows[k].name, 100 * w.good,
			       100 * w.bad);
		}
	}
	putchar('\n');
}

static void print_right(double alpha, unsigned int trials)
{
	static const size_t files[] = { 5, 3, 1 };
	size_t i, k;

	printf("### Bisection, right verdicts where bad is 10 %% slower\n\n"
	       "| noise | files of good | a good commit | invocations | "
	       "a bad commit | invocations |\n"
	       "| --- | ---: | ---: | ---: | ---: | ---: |\n");
	for (i = 0; i < ARRAY_SIZE(noises); i++) {
		for (k = 0; k < ARRAY_SIZE(files); k++) {
			struct step s = { .noise = &noises[i],
					  .files = files[k],
					  .metrics = 1,
					  .truth = 1,
					  .alpha = alpha };
			struct shares good, bad;

			if (!is_told(&noises[i], files[k]))
				continue;
			good = shares_of(&s, trials);
			s.truth = FACTOR * FACTOR;
			bad = shares_of(&s, trials);
			printf("| %s | %zu | %.1f %% | %.1f | %.1f %% | %.1f |\n",
			       noises[i].name, files[k], 100 * good.good,
			       good.files, 100 * bad.bad, bad.files);
		}
	}
}

static void print_one_boot(double alpha, unsigned int trials)
{
	size_t i;

	printf("### Bisection, commits at the threshold, each booted once\n\n"
	       "| noise, 5 files of good | files count: told good | told bad | "
	       "boots count: told good | told bad |\n"
	       "| --- | ---: | ---: | ---: | ---: |\n");
	for (i = 0; i < ARRAY_SIZE(noises); i++) {
		struct step s = { .noise = &noises[i],
				  .files = 5,
				  .metrics = 1,
				  .truth = FACTOR,
				  .alpha = alpha,
				  .one_boot = true,
				  .as_independent = true };
		struct shares files, boots;

		if (noises[i].file == none)
			continue;
		files = shares_of(&s, trials);
		s.as_independent = false;
		boots = shares_of(&s, trials);
		printf("| %s | %.1f %% | %.1f %% | %.1f %% | %.1f %% |\n",
		       noises[i].name, 100 * files.good, 100 * files.bad,
		       100 * boots.good, 100 * boots.bad);
	}
	putchar('\n');
}

int main(int argc, char **argv)
{
	unsigned int trials = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	double alpha = argc > 2 ? strtod(argv[2], NULL) : 0.01;

	if (trials < 1 || argc > 3) {
		fprintf(stderr, "usage: bisect TRIALS [ALPHA]\n");
		return 2;
	}
	print_wrong("Bisection, commits at the threshold", alpha / LOOKS,
		    trials);
	print_wrong("Bisection, the same if every look had the whole alpha",
		    alpha, trials);
	print_one_boot(alpha / LOOKS, trials);
	print_right(alpha / LOOKS, trials);
	return 0;
}
