/* SPDX-License-Identifier: GPL-2.0-only */
/* A benchmark run many times, in turn for two sides. Main thread only. */
#ifndef KVMETER_TRIAL_H
#define KVMETER_TRIAL_H

#include "compare.h"
#include "setting.h"

enum { TRIAL_A, TRIAL_B, TRIAL_SIDES };

struct trial_side {
	const char *program;
	char *const *options;  /* ended by NULL */
	const char *directory; /* where its results go: NNN.json */
	char **typed;	       /* to be kept: @options are pieces of it */
};

struct trial {
	struct trial_side sides[TRIAL_SIDES];
	size_t pairs;	/* invocations of each side */
	u64 timeout_ns; /* of an invocation */
	const struct settings *settings;
};

/*
 * --runs and --warmup of an invocation, unless the user chooses. Runs of one
 * invocation share its bias, so that a second one costs as much as the first
 * and tells less; and what the first run has more than others, both sides have.
 */
#define TRIAL_RUNS 1
#define TRIAL_WARMUP 0

/* What the user chooses of it; the first member of a config. */
struct trial_choice {
	struct compare_choice compare;
	u64 pairs;
	u64 runs;
	u64 warmup;
	u64 time_limit_s;
	const char *results; /* directory; NULL: a temporary one */
};

#define TRIAL_CHOICE_DEFAULTS                                   \
	.compare = COMPARE_CHOICE_DEFAULTS, .runs = TRIAL_RUNS, \
	.warmup = TRIAL_WARMUP, .time_limit_s = 600

/* For a config that begins with a struct trial_choice. */
extern const struct option_row trial_choice_rows[];

/*
 * The benchmark @bench: a path, or a name in @directory (NULL: where the
 * benchmarks of kvmeter are). A usage_error() if there is none. Lives until the
 * process ends.
 */
const char *trial_program(const char *bench, const char *directory);

/* Directories, time limit and number as chosen; no sides yet. */
void trial_init(struct trial *t, const struct trial_choice *choice);

/* Of a side that has its directory; @typed after --runs and --warmup. */
void trial_set_side(struct trial *t, int side, const char *program,
		    char *const *typed, const struct trial_choice *choice);

/* Where the results are, if they are kept, for who watches. */
void trial_tell_results(const struct trial *t,
			const struct trial_choice *choice);

/*
 * Runs all of it, in the order of turns.h; file NNN.json is the one of
 * invocation NNN from 1, with NNN.txt beside it for what the benchmark printed.
 * Names are in the order of time: three digits, or more if there are as many.
 * Ends the process, with what the benchmark said, at the first one that does
 * not pass: by EXIT_SKIP or EXIT_USAGE if that is how it ended, else EXIT_FAIL;
 * and upon a signal.
 */
void trial_run(const struct trial *t);

#endif
