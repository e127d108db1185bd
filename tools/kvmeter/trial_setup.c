/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "child.h"
#include "clock.h"
#include "options.h"
#include "outfile.h"
#include "programs.h"
#include "remedy.h"
#include "scratch.h"
#include "trial.h"
#include "util.h"

/* clang-format off */
#define OFFSET(member) offsetof(struct trial_choice, member)
const struct option_row trial_choice_rows[] = {
	{ OPT_U64, 'n', "pairs", "N", OFFSET(pairs),
	  "invocations of each side", 1, 100000, NULL, NULL, true },
	{ OPT_U64, 'R', "runs", "N", OFFSET(runs),
	  "--runs of each invocation", 1, 100000, NULL, NULL, true },
	{ OPT_U64, 0, "warmup", "N", OFFSET(warmup),
	  "--warmup of each invocation", 0, 1000, NULL, NULL, true },
	{ OPT_U64, 0, "time-limit", "SECONDS", OFFSET(time_limit_s),
	  "how long an invocation may take", 1, 86400, NULL, NULL, true },
	{ OPT_STRING, 0, "results", "DIR", OFFSET(results),
	  "keep the results in DIR/A and DIR/B", 0, 0, NULL, NULL, true },
	{ .type = OPT_END },
};
/* clang-format on */

static void make_side(const char *path, char name)
{
	char *side = xasprintf("%s/%c", path, name);
	char *pattern = xasprintf("%s/*.json", side);
	static glob_t found; /* seen until the process has ended */
	int error = outfile_directory(side);

	if (error)
		end(EXIT_USAGE, "--results %s: %s%s", side,
		    outfile_error(error), file_remedy(error));
	if (glob(pattern, 0, NULL, &found) == 0) {
		end(EXIT_USAGE,
		    "%s: there already: choose another directory for --results",
		    found.gl_pathv[0]);
	}
	globfree(&found);
	free(pattern);
	free(side);
}

static const char *make_directory(const char *path)
{
	int side, error = 0;

	if (!path)
		path = scratch_make();
	else
		error = outfile_directory(path);
	if (error)
		end(EXIT_USAGE, "--results %s: %s%s", path,
		    outfile_error(error), file_remedy(error));
	for (side = 0; side < TRIAL_SIDES; side++)
		make_side(path, (char)('A' + side));
	return path;
}

const char *trial_program(const char *bench, const char *directory)
{
	/* of each side; they live as long as the process */
	static struct programs found[TRIAL_SIDES];
	static size_t used;
	struct programs *programs;

	if (strchr(bench, '/') && directory)
		usage_error("%s is a path: give a name to look for in %s",
			    bench, directory);
	if (strchr(bench, '/')) {
		if (access(bench, X_OK))
			usage_error("%s: no program", bench);
		return bench;
	}
	programs = &found[used++ % TRIAL_SIDES];
	programs_find(programs, directory);
	return program_by_name(programs, bench)->path;
}

void trial_init(struct trial *t, const struct trial_choice *choice)
{
	const char *directory = make_directory(choice->results);
	int side;

	*t = (struct trial){
		.pairs = choice->pairs,
		.timeout_ns = choice->time_limit_s * NSEC_PER_SEC,
	};
	for (side = 0; side < TRIAL_SIDES; side++)
		t->sides[side].directory =
			xasprintf("%s/%c", directory, 'A' + side);
}

void trial_set_side(struct trial *t, int side, const char *program,
		    char *const *typed, const struct trial_choice *choice)
{
	char *ours[] = {
		"--runs",
		xasprintf("%llu", (unsigned long long)choice->runs),
		"--warmup",
		xasprintf("%llu", (unsigned long long)choice->warmup),
		NULL,
	};

	t->sides[side].program = program;
	t->sides[side].options = words_join(ours, typed, NULL);
}

void trial_tell_results(const struct trial *t,
			const struct trial_choice *choice)
{
	if (choice->results)
		tell("results are in %s and %s", t->sides[TRIAL_A].directory,
		     t->sides[TRIAL_B].directory);
}
