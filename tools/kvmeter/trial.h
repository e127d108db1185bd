/* SPDX-License-Identifier: GPL-2.0-only */
/* A benchmark run many times, in turn for two sides. Main thread only. */
#ifndef KVMETER_TRIAL_H
#define KVMETER_TRIAL_H

#include "setting.h"

enum { TRIAL_A, TRIAL_B, TRIAL_SIDES };

struct trial_side {
	const char *program;
	char *const *options;  /* ended by NULL */
	const char *directory; /* where its results go: NNN.json */
};

struct trial {
	struct trial_side sides[TRIAL_SIDES];
	size_t pairs;	/* invocations of each side */
	u64 timeout_ns; /* of an invocation */
	const struct settings *settings;
};

/* --runs and --warmup of an invocation, unless the user chooses. */
#define TRIAL_RUNS 3
#define TRIAL_WARMUP 1

/* These and @typed; words to be freed never. */
char **trial_options(u64 runs, u64 warmup, char *const *typed);

/* Which side invocation @i, from 0, is: A B B A B A A B ... */
int trial_order(size_t i);

/*
 * Runs all of it; file NNN.json is the one of invocation NNN from 1, with
 * NNN.txt beside it for what the benchmark printed. Ends the process, with
 * what the benchmark said, at the first one that does not pass: by EXIT_SKIP
 * or EXIT_USAGE if that is how it ended, else EXIT_FAIL; and upon a signal.
 */
void trial_run(const struct trial *t);

/*
 * Makes @path, or a temporary directory if NULL, with the directories A and B
 * in it. One that has results already is a usage_error(). What is temporary
 * goes away when the process exits.
 */
const char *trial_directory(const char *path);

#endif
