/* SPDX-License-Identifier: GPL-2.0-only */
/* Results as a page shows them: every metric at every point, of every side. */
#ifndef KVMETER_HTML_VIEW_H
#define KVMETER_HTML_VIEW_H

#include "compare.h"

struct view_point {
	const char *bench;
	u64 vcpus, bytes;
	const char *variant; /* "tracking=ring"; "": there are none */
};

struct view_metric {
	const char *bench, *name, *unit;
	enum better better;
};

/* All are in the order of their first appearance, side A first. */
struct view {
	size_t nr_sides;
	struct side *sides; /* borrowed */
	size_t nr_benches;
	const char **benches;
	size_t nr_points;
	struct view_point *points;
	size_t nr_metrics;
	struct view_metric *metrics;
	/* Without pairs if there is one side. */
	struct report first;
	/* Without pairs unless there are three sides or more. */
	struct report previous;
};

/* Of one side, at one point. */
struct view_value {
	size_t runs;
	double median;
	bool has_interval; /* 95 %, of the median */
	double low, high;
	double min, max; /* of all samples, not of runs */
	u64 pages;	 /* that one sample is about; 0: no such number */
	u64 work;	 /* thread_accesses; 0: unknown */
};

/* What is amiss goes to @p. The view lives as long as the process. */
void view_build(struct view *v, struct side *sides, size_t nr,
		struct problems *p);

bool view_same_point(const struct view_point *a, const struct view_point *b);

/* NULL: this side has none. */
const struct series *view_series(const struct view *v, size_t side,
				 const struct view_point *point,
				 const struct view_metric *metric);

struct view_value view_value(const struct series *s);

/* Of a report of the view; NULL: not compared. @side is the later one. */
const struct comparison *view_comparison(const struct report *r, size_t side,
					 const struct series *before);

/*
 * "2 vCPUs, 16M, ring", without what is the same at all points of the
 * benchmark; to be freed.
 */
char *view_point_label(const struct view *v, const struct view_point *point);

/* "6.12.3", "several kernels", "unknown kernel" */
const char *view_kernel(const struct side *s);

/*
 * As much of it as tells the sides apart, up to @max characters: "6.12.3" of
 * "6.12.3-amd64" unless another side has "6.12.3-rt", "6.19.0-rc2" of
 * "6.19.0-rc2-next". To be freed.
 */
char *view_short_kernel(const struct view *v, size_t side, size_t max);

/* Whether a benchmark was measured at one point alone. */
bool view_is_single(const struct view *v, const char *bench);

/* Sides that have results of a benchmark. */
size_t view_sides_of(const struct view *v, const char *bench);

/* Strings of JSON, or @none. */
const char *view_string(const json_t *object, const char *key,
			const char *none);

/* Of the value, as report_value() has it; all with one unit: "8.1 to 9.3 ms".
 */
char *view_range(const char *unit, double low, double high);

#endif
