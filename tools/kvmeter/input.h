/* SPDX-License-Identifier: GPL-2.0-only */
/* Results files as a comparison wants them: one value for each run. */
#ifndef KVMETER_INPUT_H
#define KVMETER_INPUT_H

#include <jansson.h>
#include "better.h"
#include "types.h"

/* A metric at one point, or of all files of a side there. */
struct series {
	const char *bench;
	u64 vcpus, bytes;
	const char *variant; /* "tracking=ring"; "": the benchmark has none */
	const char *metric;
	const char *unit;
	enum better better;
	size_t nr;
	double *values; /* medians of runs, in the order in which they ran */
	const json_t
		*json; /* the metric in the file; of a side: in its first */
	/* of a side: where in them each file begins, and the files' medians */
	size_t nr_files;
	size_t *starts;
	double *file_medians;
	const json_t **file_json;
	const char **file_boots; /* NULL: unknown */
	struct boots *boots;	 /* boots.h */
};

/* A results file. Strings are those of the JSON tree. */
struct results {
	const char *path;
	json_t *root; /* an object with the members of kvmeter/1 that we use */
	const char *bench;
	const char *started;
	const char *boot; /* NULL: unknown */
	const char *kernel;
	size_t nr_series;
	struct series *series;
	/* names alone: of the others it is not known what belongs to a run */
	size_t nr_partial;
	struct series *partial;
};

/* A or B: all files that were named for it. */
struct side {
	const char *operand;
	/* entries of suites that have no results: "NAME: why", ended by NULL */
	char **left_out;
	size_t nr_files;
	struct results **files;
	size_t nr_series;
	struct series *series; /* merged, in order of appearance */
	size_t nr_partial;     /* likewise; nr_files: so many files have it */
	struct series *partial;
};

/* What cannot be used, to be told all at once. */
struct problems {
	size_t nr;
	char *text; /* a line each, no final newline; NULL: none */
};

void problem(struct problems *p, const char *fmt, ...) __printf(2, 3);

enum input_failed {
	INPUT_FAILED_REFUSED, /* verdict "fail", or a check that is not ok */
	INPUT_FAILED_TAKEN,
	INPUT_FAILED_FINAL, /* refused, where no option takes them */
	INPUT_ALL_TAKEN,    /* and files in which nothing was measured */
};

/*
 * Reads a file, or all *.json of a directory, in order of their names.
 *
 * A directory of results of "kvmeter run", or one of such directories, is read
 * by the entries of the suite: each is an experiment of its own, whose
 * benchmark is called "ENTRY: BENCHMARK". Those that were skipped, or of which
 * there are no results, are left out.
 */
void side_read(struct side *side, const char *operand, enum input_failed failed,
	       struct problems *p);

/* NULL if the side has none for the point and metric of @like. */
const struct series *side_find(const struct side *side,
			       const struct series *like);

/* Are they of one benchmark, at one point? */
bool series_same_point(const struct series *a, const struct series *b);

/*
 * What is better of a metric that is @a and @b: neither if one of them says so,
 * as files of before its direction was taken away say otherwise.
 */
enum better series_better(const struct series *a, const struct series *b);

/* Whether the unit is the same, and no direction the opposite. */
bool series_agree(const struct series *a, const struct series *b);

/* When its first file began: RFC 3339 in UTC, in the order of time as text is.
 */
const char *side_first_start(const struct side *side);

/* Boots that the files are from; each one that tells none counts as its own. */
size_t side_boots(const struct side *side);

/*
 * What a point is besides vCPUs and bytes, "tracking=ring"; "" if nothing. To
 * be freed.
 */
const char *input_variant(const json_t *config);

/* With a problem if there is none; @path is copied. */
struct results *input_read(const char *path, enum input_failed failed,
			   struct problems *p);

/*
 * The same of JSON that has been read, and is taken; NULL is a file without.
 * @path names it in problems.
 */
struct results *input_take(json_t *root, const char *path,
			   enum input_failed failed, struct problems *p);

/* Takes @r. Its metrics are merged into those of the side. */
void side_add(struct side *side, struct results *r, struct problems *p);

#endif
