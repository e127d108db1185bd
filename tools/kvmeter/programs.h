/* SPDX-License-Identifier: GPL-2.0-only */
/* The benchmarks that are there, and what each says of itself. */
#ifndef KVMETER_PROGRAMS_H
#define KVMETER_PROGRAMS_H

#include <jansson.h>
#include <stddef.h>

struct program {
	const char *name; /* "page_table_test" */
	const char *path;
	/* what --describe prints: include/bench_describe.h */
	json_t *description;
};

/* In order of their names. Lives until the process ends. */
struct programs {
	size_t nr;
	struct program *list;
	const char *directory; /* where they were found */
};

/*
 * Asks every benchmark of @directory what it is. NULL: $KVMETER_TESTS if that
 * is set, else the first that has any of where kvmeter itself is (an installed
 * one, a selftest's) and ../../tests from there (a build's). None at all is a
 * usage_error() that names these places; so is a benchmark that cannot tell.
 *
 * A benchmark is an executable file NAME_test that holds the name of
 * --describe's format: no other program is run.
 */
void programs_find(struct programs *p, const char *directory);

/* NULL if there is none of this name. */
const struct program *program_lookup(const struct programs *p,
				     const char *name);

/* The same; usage_error() that names those there are. */
const struct program *program_by_name(const struct programs *p,
				      const char *name);

/* "page_table_test, dirty_log_perf_test"; to be freed. */
char *programs_names(const struct programs *p);

/* A member of the description that is a string; "" if there is none. */
const char *program_text(const struct program *p, const char *member);

#endif
