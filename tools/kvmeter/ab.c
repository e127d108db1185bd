/* SPDX-License-Identifier: GPL-2.0-only */
/* kvmeter ab BENCH: measures two sides in turn, and compares them. */
#include <stdlib.h>
#include <string.h>
#include "child.h"
#include "kvmeter.h"
#include "options.h"
#include "scratch.h"
#include "setting_record.h"
#include "trial.h"
#include "util.h"

struct ab_config {
	struct trial_choice trial;
	const char *set[TRIAL_SIDES];
	const char *opt[TRIAL_SIDES];
	const char *tests[TRIAL_SIDES];
	bool same;
	bool help;
};

static const struct ab_config defaults = {
	.trial = { TRIAL_CHOICE_DEFAULTS, .pairs = 20 },
};

/* clang-format off */
#define OFFSET(member) offsetof(struct ab_config, member)
static const struct option_row rows[] = {
	{ OPT_STRING, 0, "set-a", "NAME=VALUE", OFFSET(set[TRIAL_A]),
	  "of A: a parameter of a module (kvm.eager_page_split=N), or a file of the\n"
	  "kernel (/sys/...=VALUE); several with commas", 0, 0, NULL, NULL, true },
	{ OPT_STRING, 0, "set-b", "NAME=VALUE", OFFSET(set[TRIAL_B]),
	  "the same of B; a side that does not say has the value of now", 0, 0, NULL, NULL, true },
	{ OPT_STRING, 0, "opt-a", "OPTIONS", OFFSET(opt[TRIAL_A]),
	  "options of the benchmark for A alone, in one word, quoted as for a shell", 0, 0, NULL, NULL, true },
	{ OPT_STRING, 0, "opt-b", "OPTIONS", OFFSET(opt[TRIAL_B]),
	  "for B alone", 0, 0, NULL, NULL, true },
	{ OPT_STRING, 0, "tests-a", "DIR", OFFSET(tests[TRIAL_A]),
	  "where the benchmark of A is, else the one that belongs to kvmeter", 0, 0, NULL, NULL, true },
	{ OPT_STRING, 0, "tests-b", "DIR", OFFSET(tests[TRIAL_B]),
	  "where that of B is", 0, 0, NULL, NULL, true },
	{ OPT_FLAG, 0, "same", NULL, OFFSET(same),
	  "let A and B be the same, to see what comes out", FLAG_ROW },
	{ OPT_FLAG, 'h', "help", NULL, OFFSET(help), "print this", FLAG_ROW },
	{ .type = OPT_END },
};
/* clang-format on */

static const struct option_row *const tables[] = {
	compare_format_rows, compare_rule_rows, trial_choice_rows, rows, NULL
};
static const struct option_set set = {
	.program = "kvmeter ab",
	.summary =
		"Measures A and B in turn on this host, and says of every metric of the\n"
		"benchmark whether it is faster or slower in B. A and B differ by a setting of\n"
		"the kernel, by options, or by their build. BENCH is a name (kvmeter list) or\n"
		"the path of a benchmark; what follows -- are options of both sides.\n"
		"Exit: 0, or 1 if B is slower in anything or a run failed, 2 if it cannot be\n"
		"set up, 4 if the benchmark skips.",
	.tables = tables,
	.operands = "BENCH [-- OPTION...]",
};

static const char *const set_names[] = { "--set-a", "--set-b" };
static const char *const opt_names[] = { "--opt-a", "--opt-b" };

/* Of options with a value that may stand but once. */
static void refuse_repeated(int argc, char **argv, const char *const *names)
{
	int side, i, found;

	for (side = 0; side < TRIAL_SIDES; side++) {
		size_t len = strlen(names[side]);

		found = 0;
		for (i = 1; i < argc && strcmp(argv[i], "--"); i++)
			found += strncmp(argv[i], names[side], len) == 0 &&
				 (!argv[i][len] || argv[i][len] == '=');
		if (found > 1)
			usage_error("%s: give it once, with all that is to "
				    "differ",
				    names[side]);
	}
}

static void require_difference(const struct ab_config *c)
{
	bool differ = false;
	int side;

	for (side = 0; side < TRIAL_SIDES; side++)
		differ |= c->set[side] || c->opt[side] || c->tests[side];
	if (!differ && !c->same)
		usage_error("A and B do not differ: give one of --set-a, "
			    "--set-b, --opt-a, --opt-b, --tests-a, --tests-b; "
			    "or --same");
	if (differ && c->same)
		usage_error("--same: A and B are to differ by other options");
}

/* "page_table_test -b 64M kvm.eager_page_split=N" */
static const char *describe_side(const struct ab_config *c, int side,
				 const char *program, char *const *typed,
				 const struct settings *settings)
{
	char *words = words_quote(typed);
	char *values = settings_describe(settings, side);
	const char *name = c->tests[side] ? program : basename(program);

	char *text =
		xasprintf("%s%s%s%s", name, *words ? " " : "", words, values);

	free(values);
	free(words);
	return text;
}

static void read_results(const struct trial *t, const char *const *names,
			 struct report *r)
{
	char *operands[TRIAL_SIDES];
	int side;

	for (side = 0; side < TRIAL_SIDES; side++)
		operands[side] = (char *)t->sides[side].directory;
	compare_read(r, operands, TRIAL_SIDES, INPUT_FAILED_REFUSED);
	/* the cover letter is to say what was compared, not where it lay */
	for (side = 0; side < TRIAL_SIDES; side++)
		r->sides[side].operand = names[side];
}

/* Nothing is measured, made or changed before all that was typed makes sense.
 */
static void set_up(struct trial *t, const struct ab_config *c, char **operands,
		   struct settings *settings, char **typed[TRIAL_SIDES])
{
	const char *programs[TRIAL_SIDES];
	char **own[TRIAL_SIDES];
	int side;

	for (side = 0; side < TRIAL_SIDES; side++) {
		own[side] = child_words(c->opt[side] ? c->opt[side] : "",
					opt_names[side]);
		typed[side] = words_join(operands + 1, own[side], NULL);
		programs[side] = trial_program(operands[0], c->tests[side]);
		if (c->set[side])
			settings_add(settings, side, set_names[side],
				     c->set[side]);
	}
	trial_init(t, &c->trial);
	t->settings = settings;
	for (side = 0; side < TRIAL_SIDES; side++) {
		trial_set_side(t, side, programs[side], typed[side], &c->trial);
		t->sides[side].typed = own[side];
	}
	records_restore();
	settings_open(settings);
}

static int run(const struct ab_config *c, char **operands)
{
	/* they live as long as the process, as leak checkers see */
	static struct settings settings;
	static struct report report;
	static struct trial t;
	static const char *names[TRIAL_SIDES];
	static char **typed[TRIAL_SIDES];
	int side;

	child_init();
	set_up(&t, c, operands, &settings, typed);
	for (side = 0; side < TRIAL_SIDES; side++)
		names[side] = describe_side(c, side, t.sides[side].program,
					    typed[side], &settings);
	trial_run(&t);
	settings_close();
	trial_tell_results(&t, &c->trial);
	read_results(&t, names, &report);
	scratch_remove();
	child_fini();
	return compare_judge(&report, &c->trial.compare);
}

int command_ab(int argc, char **argv)
{
	struct ab_config config = defaults;
	int first;

	refuse_repeated(argc, argv, set_names);
	refuse_repeated(argc, argv, opt_names);
	first = options_parse(&set, &config, argc, argv);
	if (config.help) {
		options_help(&set, &defaults, stdout);
		return EXIT_PASS;
	}
	if (first == argc)
		usage_error("which benchmark? kvmeter list names them");
	require_difference(&config);
	return run(&config, argv + first);
}
