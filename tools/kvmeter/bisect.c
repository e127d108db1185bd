/* SPDX-License-Identifier: GPL-2.0-only */
/* kvmeter bisect record|step|log */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "bisect.h"
#include "child.h"
#include "compare.h"
#include "kvmeter.h"
#include "options.h"
#include "remedy.h"
#include "units.h"
#include "util.h"
#include "words.h"

struct bisect_config {
	const char *good, *bad; /* never set: take_files() */
	int find;
	const char *metric;
	const char *threshold;
	const char *alpha;
	u64 max_runs;
	u64 hook_timeout_s;
	const char *hooks[NR_HOOKS];
	bool failed;
	const char *state;
	const char *log;
	bool help;
};

static const struct bisect_config defaults = {
	.alpha = "0.01",
	.max_runs = 5,
	.hook_timeout_s = 3600,
	.state = ".kvmeter-bisect",
};

enum { FIND_SLOWER, FIND_FASTER };
static const char *const find_names[] = { "slower", "faster", NULL };

static bool valid_files(const void *member, const char **why)
{
	(void)member;
	*why = "an option that takes several files is not abbreviated";
	return false;
}

static double fraction_of(const char *text)
{
	char *end;
	double value = strtod(text, &end);

	return end == text || *end ? -1 : value;
}

static bool valid_threshold(const void *member, const char **why)
{
	double value = fraction_of(*(const char *const *)member);

	*why = "not a percentage such as 5 or 200, above 0 and at most 100000";
	return value > 0 && value <= 100000;
}

static bool valid_alpha(const void *member, const char **why)
{
	double value = fraction_of(*(const char *const *)member);

	*why = "not a probability such as 0.01, from 0.0001 to 0.2";
	return value >= 0.0001 && value <= 0.2;
}

#define OFFSET(member) offsetof(struct bisect_config, member)

/* clang-format off */
static const struct option_row record_rows[] = {
	{ OPT_STRING, 'g', "good", "FILE...", OFFSET(good),
	  "results of good, or directories of them: several files, each from a boot "
	  "of its own, tell how much boots differ; --old is the same",
	  0, 0, NULL, valid_files, true },
	{ OPT_STRING, 'b', "bad", "FILE...", OFFSET(bad),
	  "results of bad; --new is the same", 0, 0, NULL, valid_files, true },
	{ OPT_CHOICE, 0, "find", "WHAT", OFFSET(find),
	  "what bad is", 0, 0, find_names, NULL, true },
	{ OPT_STRING, 'm', "metric", "NAME", OFFSET(metric),
	  "judge by these alone, say create,update; else by all in which bad is bad",
	  0, 0, NULL, NULL, true },
	{ OPT_STRING, 't', "threshold", "PCT", OFFSET(threshold),
	  "percent of good from which a commit is bad; else half of the way to bad",
	  0, 0, NULL, valid_threshold, true },
	{ OPT_STRING, 'a', "alpha", "P", OFFSET(alpha),
	  "probability of a wrong verdict of a step, all its looks together",
	  0, 0, NULL, valid_alpha, true },
	{ OPT_U64, 0, "max-runs", "N", OFFSET(max_runs),
	  "how often to run the benchmark in a step, at most", 1, 100, NULL, NULL, true },
	{ OPT_STRING, 0, "build", "CMD", OFFSET(hooks[HOOK_BUILD]),
	  "hook that builds the commit, once a step", 0, 0, NULL, NULL, true },
	{ OPT_STRING, 0, "boot", "CMD", OFFSET(hooks[HOOK_BOOT]),
	  "hook that boots it, before each run", 0, 0, NULL, NULL, true },
	{ OPT_STRING, 0, "run", "CMD", OFFSET(hooks[HOOK_RUN]),
	  "hook that runs the benchmark and writes its results to $KVMETER_RESULT; "
	  "a word {} becomes the name of that file", 0, 0, NULL, NULL, true },
	{ OPT_U64, 0, "hook-timeout", "SECONDS", OFFSET(hook_timeout_s),
	  "time limit of each hook", 1, 1000000, NULL, NULL, true },
	{ OPT_FLAG, 0, "failed", NULL, OFFSET(failed),
	  "take recorded results that failed, or whose checks are not ok", FLAG_ROW },
	{ .type = OPT_END },
};

static const struct option_row common_rows[] = {
	{ OPT_STRING, 0, "state", "FILE", OFFSET(state),
	  "what record writes and step reads", 0, 0, NULL, NULL, true },
	{ OPT_STRING, 0, "log", "FILE", OFFSET(log),
	  "where step notes what it has found; STATE.log if not given",
	  0, 0, NULL, NULL, true },
	{ OPT_FLAG, 'h', "help", NULL, OFFSET(help), "print this", FLAG_ROW },
	{ .type = OPT_END },
};
/* clang-format on */

static const struct option_row *const all_tables[] = { record_rows, common_rows,
						       NULL };
static const struct option_row *const common_tables[] = { common_rows, NULL };

static const char summary[] =
	"Finds the commit that made a benchmark slower, with git bisect run.\n"
	"record writes down what good is, and how to build, boot and run;\n"
	"step says of the commit that is checked out: 0 good, 1 bad, 125 can't\n"
	"tell, 128 and above stop; log lists the steps so far.";

/* ---- record ---- */

/* --good, and what else goes to the side of good; 'g', 'b' or 0. */
static char side_of(const char *word, const char **value)
{
	static const struct {
		const char *name;
		char side;
	} names[] = { { "--good", 'g' }, { "--old", 'g' }, { "-g", 'g' },
		      { "--bad", 'b' },	 { "--new", 'b' }, { "-b", 'b' } };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		size_t len = strlen(names[i].name);

		if (strncmp(word, names[i].name, len) != 0)
			continue;
		*value = word[len] == '=' ? word + len + 1 : NULL;
		if (!word[len] || *value)
			return names[i].side;
	}
	return 0;
}

/*
 * Options with several values are not getopt's: reads them, and takes them out
 * of @argv. A side's words end at the next option.
 */
static int take_files(struct bisect *b, int argc, char **argv,
		      struct problems *p)
{
	enum input_failed failed = INPUT_FAILED_REFUSED;
	struct side *side = NULL;
	const char *value;
	int kept = 1, i;

	for (i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--failed"))
			failed = INPUT_FAILED_TAKEN;
	for (i = 1; i < argc; i++) {
		char which = side_of(argv[i], &value);

		if (which) {
			side = which == 'g' ? &b->good : &b->bad;
			if (value)
				side_read(side, value, failed, p);
		} else if (argv[i][0] == '-' || !side) {
			side = NULL;
			argv[kept++] = argv[i];
		} else {
			side_read(side, argv[i], failed, p);
		}
	}
	argv[kept] = NULL;
	return kept;
}

/* git checks other commits out: what is named must not move with it. */
static char **hook_words(const char *text, enum hook hook)
{
	char *where = xasprintf("--%s", hook_name(hook));
	char **words = child_words(text, where);
	char *program;

	if (!words[0])
		usage_error("%s: no program", where);
	if (strchr(words[0], '/')) {
		program = realpath(words[0], NULL);
		if (!program || access(program, X_OK))
			usage_error("%s: %s: %s", where, words[0],
				    errno_text(errno));
		words[0] = program;
	}
	free(where);
	return words;
}

static void print_recorded(const struct bisect *b)
{
	char value[UNIT_LEN], threshold[UNIT_LEN], *text, *figure;
	size_t i;

	printf("%s: looks for what is %s\n", b->path,
	       find_names[b->find_faster]);
	for (i = 0; i < b->nr_figures; i++) {
		const struct bisect_figure *f = &b->figures[i];

		figure = bisect_figure_text(f);
		text = xasprintf(
			"%s: bad from %s on%s; good is %s (%zu file%s, %zu runs)",
			figure, bisect_threshold(threshold, f),
			b->half_way ? ", half of the way, as factors go" : "",
			report_value(value, f->good->unit, bisect_good(f)),
			f->good->nr_files, f->good->nr_files == 1 ? "" : "s",
			f->good->nr);
		report_filled(stdout, "  ", text);
		free(text);
		free(figure);
	}
	text = xasprintf("%llu invocation%s a step at most, alpha %g (%g at "
			 "each look)",
			 (unsigned long long)b->max_runs,
			 b->max_runs == 1 ? "" : "s", b->alpha,
			 bisect_alpha(b));
	report_filled(stdout, "", text);
	free(text);
	if (side_boots(&b->good) == 1)
		report_filled(stdout, "warning: ",
			      "good is from one boot; that others differ looks "
			      "like a change as soon as it reaches the "
			      "threshold");
}

static int record(struct bisect *b, const struct bisect_config *config)
{
	struct bisect_choice choice = { .metrics = config->metric };
	enum hook hook;

	if (!b->good.nr_files)
		usage_error("what is good? --good FILE...");
	if (!config->threshold && !b->bad.nr_files)
		usage_error("what is bad? --bad FILE..., or --threshold PCT");
	if (!config->hooks[HOOK_RUN])
		usage_error("how is it measured? --run CMD");
	b->path = config->state;
	b->find_faster = config->find == FIND_FASTER;
	b->alpha = strtod(config->alpha, NULL);
	b->max_runs = config->max_runs;
	b->hook_timeout_s = config->hook_timeout_s;
	for (hook = 0; hook < NR_HOOKS; hook++)
		if (config->hooks[hook])
			b->hooks[hook] = hook_words(config->hooks[hook], hook);
	if (config->threshold)
		choice.threshold = strtod(config->threshold, NULL) / 100;
	bisect_choose(b, &choice);
	bisect_save(b);
	print_recorded(b);
	return EXIT_PASS;
}

/* ---- the command ---- */

static void parse(struct bisect_config *config, const char *action, int argc,
		  char **argv)
{
	struct option_set set = { .summary = summary, .tables = all_tables };
	char *program = xasprintf("kvmeter bisect %s", action);

	set.program = program;
	if (strcmp(action, "record") != 0)
		set.tables = common_tables;
	options_parse(&set, config, argc, argv);
	if (config->help)
		options_help(&set, &defaults, stdout);
	free(program);
}

/* --help or --completion, of all that record, step and log take. */
static int answer(int argc, char **argv)
{
	struct option_set set = {
		.program = "kvmeter bisect record|step|log",
		.summary = summary,
		.tables = all_tables,
	}, completed = set;
	struct bisect_config config = defaults;

	completed.operands = "record|step|log";
	options_parse(&completed, &config, argc, argv);
	options_help(&set, &defaults, stdout);
	return EXIT_PASS;
}

static int command_record(int argc, char **argv)
{
	static struct bisect b;
	struct bisect_config config = defaults;
	struct problems p = { 0, NULL };

	argc = take_files(&b, argc, argv, &p);
	parse(&config, "record", argc, argv);
	if (config.help)
		return EXIT_PASS;
	if (p.nr)
		end(EXIT_USAGE, "%s", p.text);
	return record(&b, &config);
}

/* To be freed. */
static char *log_path(const struct bisect_config *config)
{
	return config->log ? xstrdup(config->log) :
			     xasprintf("%s.log", config->state);
}

static int command_step(int argc, char **argv)
{
	static struct bisect b;
	struct bisect_config config = defaults;
	struct problems p = { 0, NULL };
	char *log;
	int code;

	step_guard();
	child_init();
	parse(&config, "step", argc, argv);
	if (config.help) {
		step_conclude(STEP_GOOD);
		return EXIT_PASS;
	}
	bisect_load(&b, config.state, &p);
	if (p.nr)
		step_abort("%s", p.text);
	log = log_path(&config);
	code = step_run(&b, log);
	free(log);
	return code;
}

static int command_log(int argc, char **argv)
{
	struct bisect_config config = defaults;
	char *log;

	parse(&config, "log", argc, argv);
	if (config.help)
		return EXIT_PASS;
	log = log_path(&config);
	log_print(log, stdout);
	free(log);
	return EXIT_PASS;
}

int command_bisect(int argc, char **argv)
{
	const char *action = argc > 1 ? argv[1] : "";

	if (!strcmp(action, "record"))
		return command_record(argc - 1, argv + 1);
	if (!strcmp(action, "step"))
		return command_step(argc - 1, argv + 1);
	if (!strcmp(action, "log"))
		return command_log(argc - 1, argv + 1);
	if (argc == 2 && (!strcmp(action, "--help") || !strcmp(action, "-h") ||
			  !strcmp(action, "--completion")))
		return answer(argc, argv);
	step_guard(); /* in git bisect run 2 would be "bad" */
	usage_error("%s%sone of record, step, log", action,
		    *action ? ": " : "");
}
