/* SPDX-License-Identifier: GPL-2.0-only */
/* Which metrics are compared with which, and what to know before. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "boots.h"
#include "compare.h"
#include "util.h"

void report_warn(struct report *r, const char *fmt, ...)
{
	char *text;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		die("out of memory");
	va_end(ap);
	r->warnings =
		xrealloc(r->warnings, r->nr_warnings + 1, sizeof(*r->warnings));
	r->warnings[r->nr_warnings++] = text;
}

bool report_names(const char *only, const char *name)
{
	size_t len = strlen(name), word;

	if (!only)
		return true;

	for (; only; only = only[word] ? only + word + 1 : NULL) {
		word = strcspn(only, ",");
		if (word == len && strncmp(only, name, len) == 0)
			return true;
	}
	return false;
}

/* All of all sides is: what differs from boot to boot is the same for each. */
static bool is_one_boot(const struct report *r)
{
	const char *first = r->sides[0].files[0]->boot;
	size_t i;

	for (i = 0; i < r->nr_sides; i++) {
		const char *boot = r->sides[i].files[0]->boot;

		if (side_boots(&r->sides[i]) > 1 || !boot || !first ||
		    strcmp(boot, first) != 0)
			return false;
	}
	return true;
}

static void warn_of_boots(struct report *r)
{
	char *names = xstrdup(""), *longer;
	size_t found = 0, i;

	for (i = 0; i < r->nr_sides; i++) {
		if (side_boots(&r->sides[i]) > 1)
			continue;
		longer = xasprintf("%s%s%c", names, found++ ? ", " : "",
				   (char)('A' + i));
		free(names);
		names = longer;
	}
	if (found)
		report_warn(r, "one boot only: %s; %s", names,
			    is_one_boot(r) ? "another one may show another "
					     "change" :
					     "what differs from boot to boot "
					     "looks like a change");
	free(names);
}

static u64 stopped_runs(const struct side *s)
{
	const json_t *points, *point;
	u64 runs = 0;
	size_t i, k;

	for (i = 0; i < s->nr_files; i++) {
		points = json_object_get(s->files[i]->root, "points");
		json_array_foreach(points, k, point) runs += json_integer_value(
			json_object_get(point, "stopped_runs"));
	}
	return runs;
}

static void warn_of_stops(struct report *r)
{
	size_t i;

	for (i = 0; i < r->nr_sides; i++) {
		u64 runs = stopped_runs(&r->sides[i]);

		if (runs)
			report_warn(r,
				    "%c: the process was stopped in %llu "
				    "run%s, whose times contain that",
				    (char)('A' + i), (unsigned long long)runs,
				    runs == 1 ? "" : "s");
	}
}

/* Files of one side are runs of one experiment, if maybe of several hosts. */
static void check_side(struct report *r, size_t side, struct problems *p)
{
	struct differences d = { 0, NULL };
	size_t i;

	differ_within(&d, &r->sides[side]);
	for (i = 0; i < d.nr; i++) {
		const struct difference *one = &d.list[i];

		if (difference_is_option(one))
			problem(p, "%s: files of one side differ in %s: %s, %s",
				r->sides[side].operand, one->what, one->before,
				one->after);
		else
			report_warn(r, "files of %c differ in %s: %s, %s",
				    (char)('A' + side), one->what, one->before,
				    one->after);
	}
	differences_fini(&d);
}

static const char *last_start(const struct side *s)
{
	const char *last = s->files[0]->started;
	size_t i;

	for (i = 1; i < s->nr_files; i++)
		if (strcmp(s->files[i]->started, last) > 0)
			last = s->files[i]->started;
	return last;
}

static void warn_of_order(struct report *r, const struct pair *pair)
{
	char first = pair->name_before, second = pair->name_after;

	if (strcmp(last_start(pair->after), side_first_start(pair->before)) <
	    0) {
		first = pair->name_after;
		second = pair->name_before;
	} else if (strcmp(last_start(pair->before),
			  side_first_start(pair->after)) >= 0) {
		return;
	}
	report_warn(r,
		    "all of %c was measured before %c: drift looks like a "
		    "change; alternate them",
		    first, second);
}

static void warn_of_missing(struct report *r, const struct side *in, char name,
			    const struct side *not_in, const char *only)
{
	size_t i;

	for (i = 0; i < in->nr_series; i++) {
		const struct series *s = &in->series[i];
		char *point;

		if (side_find(not_in, s) || !report_names(only, s->metric))
			continue;
		point = report_point(s);
		report_warn(r, "only in %c: %s %s", name, point, s->metric);
		free(point);
	}
}

static void pair_up(struct pair *pair, const char *only, bool may_be_unlike,
		    struct problems *p)
{
	const struct side *before = pair->before;
	size_t i;

	pair->series = xcalloc(before->nr_series, sizeof(*pair->series));
	for (i = 0; i < before->nr_series; i++) {
		const struct series *a = &before->series[i];
		const struct series *b = side_find(pair->after, a);

		if (!b || !report_names(only, a->metric))
			continue;
		if (!series_agree(a, b))
			problem(p, "%s: %s has another unit than in %s",
				pair->after->operand, a->metric,
				before->operand);
		pair->series[pair->nr++] = a;
	}
	if (pair->nr == 0 && !may_be_unlike)
		problem(p, "%s, %s: nothing to compare: no %s in common",
			before->operand, pair->after->operand,
			only ? "metric of this name" : "metric");
}

struct values {
	const double *list;
	size_t nr;
};

static struct values values_of(const struct report *r, const struct series *s)
{
	switch (r->unit) {
	case BY_FILES:
		return (struct values){ s->file_medians, s->nr_files };
	case BY_BOOTS:
		return (struct values){ series_boots(s)->medians,
					series_boots(s)->nr };
	default:
		return (struct values){ s->values, s->nr };
	}
}

static struct comparison comparison_of(const struct report *r,
				       const struct series *a,
				       const struct series *b)
{
	struct values before = values_of(r, a), after = values_of(r, b);

	return (struct comparison){
		.before = before.list,
		.after = after.list,
		.nr_before = before.nr,
		.nr_after = after.nr,
		.better = series_better(a, b),
	};
}

static void fill_comparisons(struct report *r)
{
	struct comparison *c;
	size_t i, k;

	for (i = 0; i < r->nr_pairs; i++)
		r->nr_comparisons += r->pairs[i].nr;
	r->comparisons = xcalloc(r->nr_comparisons, sizeof(*r->comparisons));
	c = r->comparisons;
	for (i = 0; i < r->nr_pairs; i++) {
		struct pair *pair = &r->pairs[i];

		pair->comparisons = c;
		for (k = 0; k < pair->nr; k++) {
			const struct series *a = pair->series[k];
			const struct series *b = side_find(pair->after, a);

			*c++ = comparison_of(r, a, b);
		}
	}
}

/* What one has and the other has not; all of it goes without saying. */
static void warn_of_both(struct report *r, const struct pair *pair,
			 const char *only)
{
	if (pair->nr == 0)
		return;
	warn_of_order(r, pair);
	warn_of_missing(r, pair->before, pair->name_before, pair->after, only);
	warn_of_missing(r, pair->after, pair->name_after, pair->before, only);
}

static void build_pair(struct report *r, size_t i, const char *only,
		       struct problems *p)
{
	size_t before = r->against == AGAINST_FIRST ? 0 : i;
	struct pair *pair = &r->pairs[i];

	*pair = (struct pair){
		.before = &r->sides[before],
		.after = &r->sides[i + 1],
		.name_before = (char)('A' + before),
		.name_after = (char)('B' + i),
	};
	differ_sides(&pair->differences, pair->before, pair->after);
	pair_up(pair, only, r->may_be_unlike, p);
	warn_of_both(r, pair, only);
}

static void warn_of_left_out(struct report *r, size_t side)
{
	char *const *text = r->sides[side].left_out;

	for (; text && *text; text++)
		report_warn(r, "left out of %c: %s", (char)('A' + side), *text);
}

/* "POINT create, update" from the @first on; how many that were. */
static size_t partial_text(const struct side *side, size_t first,
			   const char *only, char **text)
{
	const struct series *s = &side->partial[first];
	char *names = NULL, *longer, *point;
	size_t i;

	for (i = first; i < side->nr_partial; i++) {
		const struct series *one = &side->partial[i];

		if (!series_same_point(one, s) || one->nr_files != s->nr_files)
			break;
		if (!report_names(only, one->metric))
			continue;
		longer = xasprintf("%s%s%s", names ? names : "",
				   names ? ", " : "", one->metric);
		free(names);
		names = longer;
	}
	point = report_point(s);
	*text = names ? xasprintf("%s %s", point, names) : NULL;
	free(point);
	free(names);
	return i - first;
}

static void warn_of_partial(struct report *r, size_t side, const char *only)
{
	const struct side *s = &r->sides[side];
	char *text;
	size_t i, nr;

	for (i = 0; i < s->nr_partial; i += nr) {
		nr = partial_text(s, i, only, &text);
		if (text)
			report_warn(r,
				    "left out of %c: %s, of %zu file%s: "
				    "nothing tells which samples are of one "
				    "run",
				    (char)('A' + side), text,
				    s->partial[i].nr_files,
				    s->partial[i].nr_files == 1 ? "" : "s");
		free(text);
	}
}

void report_build(struct report *r, const char *only, struct problems *p)
{
	size_t i;

	for (i = 0; i < r->nr_sides; i++)
		check_side(r, i, p);
	for (i = 0; i < r->nr_sides; i++)
		warn_of_left_out(r, i);
	for (i = 0; i < r->nr_sides; i++)
		warn_of_partial(r, i, only);
	warn_of_boots(r);
	warn_of_stops(r);
	r->nr_pairs = r->nr_sides - 1;
	r->pairs = xcalloc(r->nr_pairs, sizeof(*r->pairs));
	for (i = 0; i < r->nr_pairs; i++)
		build_pair(r, i, only, p);
	if (p->nr)
		return;
	report_choose_unit(r);
	fill_comparisons(r);
	r->rule.same_runs = r->nr_pairs == 1;
	r->nr_judged = judge_count(r->comparisons, r->nr_comparisons);
	if (r->nr_comparisons)
		r->method = judge(r->comparisons, r->nr_comparisons, &r->rule);
}
