/* SPDX-License-Identifier: GPL-2.0-only */
/* kvmeter noise [BENCH]: what can this host show at all? */
#include <stdlib.h>
#include <string.h>
#include "child.h"
#include "clock.h"
#include "kvmeter.h"
#include "noise.h"
#include "options.h"
#include "scratch.h"
#include "trial.h"
#include "util.h"

#define DEFAULT_BENCH "page_table_test"

/* Below this nothing is told of how steady a metric is: STEADY_MIN. */
#define PAIRS_MIN (STEADY_MIN / 2)

struct noise_config {
	struct trial_choice trial;
	const char *tests;
	bool help;
};

static const struct noise_config defaults = {
	.trial = { TRIAL_CHOICE_DEFAULTS, .pairs = 10 },
};

enum { FORMAT_TEXT, FORMAT_JSON };
static const char *const format_names[] = {
	[FORMAT_TEXT] = "text", [FORMAT_JSON] = "json", NULL
};

/* clang-format off */
static const struct option_row rows[] = {
	{ OPT_CHOICE, 'f', "format", "FORMAT",
	  offsetof(struct noise_config, trial.compare.format),
	  "how to print it", 0, 0, format_names, NULL, true },
	{ OPT_STRING, 0, "tests", "DIR", offsetof(struct noise_config, tests),
	  "where the benchmark is, else the one that belongs to kvmeter",
	  0, 0, NULL, NULL, true },
	{ OPT_FLAG, 'h', "help", NULL, offsetof(struct noise_config, help),
	  "print this", FLAG_ROW },
	{ .type = OPT_END },
};
/* clang-format on */

static const struct option_row *const tables[] = { compare_rule_rows,
						   trial_choice_rows, rows,
						   NULL };
static const struct option_set set = {
	.program = "kvmeter noise",
	.summary =
		"Measures the same thing again and again, and tells what is the smallest\n"
		"change that so many runs can show on this host, which metrics are steady, and\n"
		"what disturbs. BENCH is a name (kvmeter list) or the path of a benchmark, by\n"
		"default " DEFAULT_BENCH "; what follows -- are its options.\n"
		"Exit: 0, or 1 if a run failed, 2 if it cannot be set up, 4 if the benchmark\n"
		"skips.",
	.tables = tables,
	.operands = "[BENCH] [-- OPTION...]",
};

static void read_results(struct report *r, const struct trial *t)
{
	char *operands[TRIAL_SIDES];
	int side;

	for (side = 0; side < TRIAL_SIDES; side++)
		operands[side] = (char *)t->sides[side].directory;
	compare_read(r, operands, TRIAL_SIDES, INPUT_FAILED_REFUSED);
}

/* Both sides of the same benchmark, judged as if they were two. */
static void judge_same(struct noise *n, struct report *r,
		       const struct noise_config *c)
{
	struct problems p = { 0, NULL };
	size_t i;

	r->rule = compare_rule(&c->trial.compare);
	report_build(r, c->trial.compare.metric, &p);
	if (p.nr)
		end(EXIT_USAGE, "%s", p.text);
	n->rule = r->rule;
	for (i = 0; i < r->nr_comparisons; i++)
		n->verdicts[r->comparisons[i].judgement]++;
}

static void measure(struct noise *n, const struct trial *t)
{
	struct disturbance_watch *watch;
	u64 from;

	n->nr_settings = disturbances_read(&n->settings);
	watch = disturbance_watch_begin();
	from = now_ns();
	trial_run(t);
	n->seconds = (now_ns() - from) / (double)NSEC_PER_SEC;
	n->nr_meanwhile = disturbance_watch_end(watch, &n->meanwhile);
	n->invocations = 2 * t->pairs;
}

static int run(const struct noise_config *c, const char *bench, char **typed)
{
	/* they live as long as the process, as leak checkers see */
	static const struct settings settings;
	static struct report report;
	static struct noise n;
	static struct trial t;
	char *words = words_quote(typed);
	const char *program;
	int side;

	child_init();
	program = trial_program(bench, c->tests);
	n.what = xasprintf("%s%s%s", basename(program), *typed ? " " : "",
			   words);
	free(words);
	trial_init(&t, &c->trial);
	t.settings = &settings;
	for (side = 0; side < TRIAL_SIDES; side++)
		trial_set_side(&t, side, program, typed, &c->trial);
	measure(&n, &t);
	trial_tell_results(&t, &c->trial);
	read_results(&report, &t);
	scratch_remove();
	child_fini();
	judge_same(&n, &report, c);
	noise_read(&n, &report.sides[TRIAL_A], &report.sides[TRIAL_B],
		   c->trial.compare.metric);
	if (c->trial.compare.format == FORMAT_JSON)
		noise_json(&n, stdout);
	else
		noise_text(&n, stdout);
	return EXIT_PASS;
}

int command_noise(int argc, char **argv)
{
	static char *nothing[] = { NULL };
	struct noise_config config = defaults;
	int first = options_parse(&set, &config, argc, argv);
	bool named;

	if (config.help) {
		options_help(&set, &defaults, stdout);
		return EXIT_PASS;
	}
	if (config.trial.pairs < PAIRS_MIN)
		usage_error("--pairs %llu: %d at least, to tell how steady a "
			    "metric is",
			    (unsigned long long)config.trial.pairs, PAIRS_MIN);
	/* options of the default one may follow -- at once */
	named = first < argc && argv[first][0] != '-';
	if (first == argc)
		return run(&config, DEFAULT_BENCH, nothing);
	return run(&config, named ? argv[first] : DEFAULT_BENCH,
		   argv + first + named);
}
