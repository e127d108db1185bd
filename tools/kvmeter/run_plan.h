/* SPDX-License-Identifier: GPL-2.0-only */
/* What "kvmeter run" is about to do, and whether it can. */
#ifndef KVMETER_RUN_PLAN_H
#define KVMETER_RUN_PLAN_H

#include "run.h"

struct run_plan {
	const char *suite;
	const char *tests; /* directory, or NULL */
	const char *dir;   /* of results, or NULL: one that is named by time */
	char *const *more; /* options for all, ended by NULL */
	u64 timeout_s;
	bool resume;
};

/*
 * Fills @r with entries and their programs, none of them run. What makes no
 * sense, a line of the suite or an option that a benchmark refuses, ends the
 * process with EXIT_USAGE, all of it named.
 */
void run_plan_entries(struct suite_run *r, const struct run_plan *plan);

/* The directory of results, which is there from then on. Likewise. */
void run_plan_directory(struct suite_run *r, const struct run_plan *plan);

#endif
