/* SPDX-License-Identifier: GPL-2.0-only */
/* A line of a suite, how its program ended, and what that means. */
#ifndef KVMETER_ENTRY_H
#define KVMETER_ENTRY_H

#include "child.h"
#include "ktap.h"
#include "programs.h"
#include "suite.h"

enum outcome {
	OUTCOME_NOT_RUN, /* kvmeter was interrupted before, or meanwhile */
	OUTCOME_PASS,
	OUTCOME_FAIL,
	OUTCOME_SKIP,
};

struct entry {
	const char *name;
	const struct program *program; /* NULL: there is none */
	char **command; /* its name and options, without those that we add */
	u64 timeout_s;
	/* files of its own in the directory of results */
	char *json_path, *ktap_path, *stderr_path;

	/* set by entry_run(), or as they were in an earlier invocation */
	struct child_end end;
	bool reused;

	/* set by entry_judge() */
	enum outcome outcome;
	char *reason; /* NULL: passed */
	struct ktap ktap;
	/*
	 * It ended otherwise than its results tell, so that the reason has to
	 * be one more.
	 */
	bool abnormal;
	char *kernel; /* by its results; NULL: none, or not usable */
	char *errors; /* the end of its standard error, or NULL */
};

enum strictness {
	SKIPS_PASS,
	SKIPS_FAIL, /* also that of a single check */
};

/* Program, command and limit are left for the caller to fill. */
void entry_init(struct entry *e, const struct suite_line *line);

/* Where its files are. */
void entry_place(struct entry *e, const char *dir);

/* As before entry_run(). */
void entry_forget(struct entry *e);

/* Runs it; what earlier files it has are lost. */
void entry_run(struct entry *e);

/* Reads what it has written and judges it. @tests: where programs are. */
void entry_judge(struct entry *e, enum strictness strict, const char *tests);

/* Has it ended by itself and told all, so that --resume need not run it? */
bool entry_is_complete(const struct entry *e);

/* Does a result fail? */
bool entry_line_fails(const struct ktap_line *line, enum strictness strict);

/* Those of a program that skips say no more than its reason: none. */
bool entry_has_results(const struct entry *e);

/* "pass", "fail", "skip", "not run" */
const char *outcome_name(enum outcome outcome);

#endif
