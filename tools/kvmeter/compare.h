/* SPDX-License-Identifier: GPL-2.0-only */
/* A comparison of results, and the forms in which it is printed. */
#ifndef KVMETER_COMPARE_H
#define KVMETER_COMPARE_H

#include <stdio.h>
#include "differ.h"
#include "judge.h"
#include "option_row.h"

/* A side and one to compare with it. */
struct pair {
	const struct side *before, *after;
	char name_before, name_after; /* 'A', 'B' ... */
	struct differences differences;
	size_t nr;
	const struct series **series; /* of the side before */
	struct comparison *comparisons;
};

enum report_against {
	AGAINST_FIRST,
	AGAINST_PREVIOUS, /* each side against the one before it */
};

/* What counts as one value: files.c. Else its median is that value. */
enum report_unit {
	BY_RUNS,
	BY_FILES,
	BY_BOOTS,
};

struct report {
	struct judge_rule rule;
	enum report_against against;
	/* sides that have nothing in common are not compared, and no problem */
	bool may_be_unlike;
	enum judge_method method;
	enum report_unit unit;
	size_t nr_sides;
	struct side *sides;
	size_t nr_warnings;
	char **warnings; /* sentences without a final stop */
	size_t nr_pairs;
	struct pair *pairs;
	size_t nr_comparisons; /* of all pairs: judged together */
	size_t nr_judged;      /* of them: those that have a direction */
	struct comparison *comparisons;
};

/* What the user may choose of it; the first member of a command's config. */
struct compare_choice {
	int format;
	const char *threshold; /* percent */
	const char *alpha;
	const char *metric; /* list with commas; NULL: all */
};

#define COMPARE_CHOICE_DEFAULTS                   \
	{                                         \
		.threshold = "1", .alpha = "0.01" \
	}

extern const struct option_row compare_format_rows[];
extern const struct option_row compare_rule_rows[];

/* The rule that was chosen. */
struct judge_rule compare_rule(const struct compare_choice *choice);

/* Reads @nr files or directories; ends by EXIT_USAGE if one is of no use. */
void compare_read(struct report *r, char *const *operands, size_t nr,
		  enum input_failed failed);

/*
 * Judges the sides of @r and prints what comes out. EXIT_FAIL if anything is
 * slower, else EXIT_PASS; ends by EXIT_USAGE if they cannot be compared.
 */
int compare_judge(struct report *r, const struct compare_choice *choice);

/*
 * Chooses @r->unit: values of one file, or of one boot, that resemble each
 * other must not count as if they were independent. Warns where that can't be
 * seen.
 */
void report_choose_unit(struct report *r);

/* "run" */
const char *report_unit_name(enum report_unit unit);

void report_warn(struct report *r, const char *fmt, ...) __printf(2, 3);

/*
 * Pairs up the metrics that both sides of a pair have, and judges them. @only
 * is a list with commas, NULL for all metrics. What is amiss goes to @p. One
 * side alone has warnings, but no pairs.
 */
void report_build(struct report *r, const char *only, struct problems *p);

/* Whether @name is in the list @only; NULL is the list of all. */
bool report_names(const char *only, const char *name);

/* "page_table_test vcpus=1 bytes=64M"; to be freed. */
char *report_point(const struct series *s);

/* "142.1 ms"; the buffer is UNIT_LEN bytes. */
const char *report_value(char *buf, const char *unit, double value);

/* "-4.5%", "x12.3"; likewise. */
const char *report_change(char *buf, double change);

/* "-6.1..-2.9%"; "-" if there is none. */
const char *report_interval(char *buf, const struct comparison *c);

/* How many runs lie too far off to be from the bulk. */
size_t report_outliers(const double *values, size_t nr);

/* Why nothing can be told, to be freed; NULL unless that is the verdict. */
char *report_reason(const struct report *r, const struct comparison *c);

/* How it was judged, a sentence or two; to be freed. */
char *report_method(const struct report *r);

/*
 * @text after @label, in lines of at most 72 columns that all begin where the
 * text does.
 */
void report_filled(FILE *out, const char *label, const char *text);

void report_text(const struct report *r, FILE *out);
void report_markdown(const struct report *r, FILE *out);
void report_json(const struct report *r, FILE *out);
void report_junit(const struct report *r, FILE *out);

#endif
