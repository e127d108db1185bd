/* SPDX-License-Identifier: GPL-2.0-only */
/* One invocation of "kvmeter run", and what it leaves. */
#ifndef KVMETER_RUN_H
#define KVMETER_RUN_H

#include <stdio.h>
#include "entry.h"

struct suite_run {
	const char *suite; /* its name */
	const char *dir;   /* of results */
	const char *tests; /* where the benchmarks are */
	enum strictness strict;
	char started[sizeof("2026-11-30T09:00:00Z")];
	size_t nr;
	struct entry *entries;
	json_t *index; /* run_index.c's */
};

/* How much of it one wants to read. */
enum detail {
	DETAIL_RESULTS, /* result lines, nothing for people */
	DETAIL_ALL,
};

/*
 * KTAP version 1: a result for each entry, those of its program as subtests of
 * it. run_ktap_begin(), run_ktap_entry() in order, run_ktap_end().
 */
void run_ktap_begin(const struct suite_run *r, enum detail detail, FILE *out);
void run_ktap_entry(const struct suite_run *r, size_t index, enum detail detail,
		    FILE *out);
/* A table, and in any case the lists of what was skipped. */
void run_ktap_end(const struct suite_run *r, enum detail detail, FILE *out);

/* JUnit's XML: a suite for each entry. */
void run_junit(const struct suite_run *r, FILE *out);

/* How many have this outcome. */
size_t run_count(const struct suite_run *r, enum outcome outcome);

/*
 * How the programs of a directory ended, for --resume: read at the beginning,
 * written whole after each entry. Ends by usage_error() if it is not of this
 * kernel.
 */
void run_index_read(struct suite_run *r);
void run_index_begin(struct suite_run *r);
/* Has @e run before: this program, not built anew, with this command? Then sets
 * its end. */
bool run_index_find(const struct suite_run *r, struct entry *e);
void run_index_add(struct suite_run *r, const struct entry *e);

/* The directory has such an index. */
bool run_index_exists(const char *dir);

/*
 * Its entries, an object whose keys are their names in the order in which they
 * ran, as a new reference; NULL if there is none, or one of another form.
 */
json_t *run_index_entries(const char *dir);

#endif
