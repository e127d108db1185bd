/* SPDX-License-Identifier: GPL-2.0-only */
/* kvmeter compare A B [C ...] */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "compare.h"
#include "kvmeter.h"
#include "options.h"
#include "util.h"

/* Their names are letters. */
#define SIDES_MAX 26

struct compare_config {
	struct compare_choice choice;
	bool failed;
	bool help;
};

static const char *const format_names[] = { "text", "markdown", "json", "junit",
					    NULL };
static void (*const formats[])(const struct report *r,
			       FILE *out) = { report_text, report_markdown,
					      report_json, report_junit };

static const struct compare_config defaults = {
	.choice = COMPARE_CHOICE_DEFAULTS,
};

/* The whole string, from 0 to below @below. */
static bool parse_fraction(const char *s, double below, double *value)
{
	char *end;

	errno = 0;
	*value = strtod(s, &end);
	return end != s && *end == '\0' && !errno && *value >= 0 &&
	       *value < below;
}

static bool valid_threshold(const void *member, const char **why)
{
	double value;

	*why = "not a percentage such as 1 or 2.5, below 100";
	return parse_fraction(*(const char *const *)member, 100, &value);
}

static bool valid_alpha(const void *member, const char **why)
{
	double value;

	*why = "not a probability such as 0.01 or 0.05, above 0 and at most 0.5";
	return parse_fraction(*(const char *const *)member, 0.5001, &value) &&
	       value > 0;
}

/* clang-format off */
const struct option_row compare_format_rows[] = {
	{ OPT_CHOICE, 'f', "format", "FORMAT",
	  offsetof(struct compare_choice, format),
	  "how to print it", 0, 0, format_names, NULL, true },
	{ .type = OPT_END },
};

const struct option_row compare_rule_rows[] = {
	{ OPT_STRING, 't', "threshold", "PCT",
	  offsetof(struct compare_choice, threshold),
	  "percent below which a change is of no interest",
	  0, 0, NULL, valid_threshold, true },
	{ OPT_STRING, 'a', "alpha", "P",
	  offsetof(struct compare_choice, alpha),
	  "probability of any false alarm in the whole comparison",
	  0, 0, NULL, valid_alpha, true },
	{ OPT_STRING, 'm', "metric", "NAME",
	  offsetof(struct compare_choice, metric),
	  "compare these alone, say create,update", 0, 0, NULL, NULL, true },
	{ .type = OPT_END },
};

static const struct option_row rows[] = {
	{ OPT_FLAG, 0, "failed", NULL,
	  offsetof(struct compare_config, failed),
	  "take results that failed, or whose checks are not ok", FLAG_ROW },
	{ OPT_FLAG, 'h', "help", NULL, offsetof(struct compare_config, help),
	  "print this", FLAG_ROW },
	{ .type = OPT_END },
};
/* clang-format on */

static const struct option_row *const tables[] = { compare_format_rows,
						   compare_rule_rows, rows,
						   NULL };
static const struct option_set set = {
	.program = "kvmeter compare",
	.summary =
		"Says of every metric whether it is faster or slower in B than in A.\n"
		"A, B: files written by --json, or directories of them, one experiment each.\n"
		"Exit: 0, or 1 if anything is slower, or 2 if the input cannot be used.",
	.tables = tables,
	.operands = "A B [C]...",
};

static void refuse(const struct problems *p)
{
	if (p->nr)
		end(EXIT_USAGE, "%s", p->text);
}

static bool is_any_slower(const struct report *r)
{
	size_t i;

	for (i = 0; i < r->nr_comparisons; i++)
		if (r->comparisons[i].judgement == SLOWER)
			return true;
	return false;
}

void compare_read(struct report *r, char *const *operands, size_t nr,
		  enum input_failed failed)
{
	struct problems p = { 0, NULL };
	size_t i;

	r->nr_sides = nr;
	r->sides = xcalloc(nr, sizeof(*r->sides));
	for (i = 0; i < nr; i++)
		side_read(&r->sides[i], operands[i], failed, &p);
	refuse(&p);
}

struct judge_rule compare_rule(const struct compare_choice *choice)
{
	return (struct judge_rule){
		.threshold = strtod(choice->threshold, NULL) / 100,
		.alpha = strtod(choice->alpha, NULL),
	};
}

int compare_judge(struct report *r, const struct compare_choice *choice)
{
	struct problems p = { 0, NULL };

	r->rule = compare_rule(choice);
	report_build(r, choice->metric, &p);
	refuse(&p);
	formats[choice->format](r, stdout);
	return is_any_slower(r) ? EXIT_FAIL : EXIT_PASS;
}

int command_compare(int argc, char **argv)
{
	struct compare_config config = defaults;
	/* the tree of it lives as long as the process, as leak checkers see */
	static struct report r;
	int first = options_parse(&set, &config, argc, argv);

	if (config.help) {
		options_help(&set, &defaults, stdout);
		return EXIT_PASS;
	}
	if (argc - first < 2)
		usage_error("two files or directories at least: A and B");
	if (argc - first > SIDES_MAX)
		usage_error("more than %d files or directories", SIDES_MAX);
	compare_read(&r, argv + first, argc - first,
		     config.failed ? INPUT_FAILED_TAKEN : INPUT_FAILED_REFUSED);
	return compare_judge(&r, &config.choice);
}
