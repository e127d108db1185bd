/* SPDX-License-Identifier: GPL-2.0-only */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "report_scaling.h"
#include "scaling.h"
#include "stats.h"
#include "units.h"
#include "util.h"

/* Points of a line besides the first: what fits 100 columns. */
#define POINTS_PER_LINE 3

/* One swept option, while the other stays. */
struct axis {
	const char *name;
	const char *fixed_name;
	u64 (*value)(const struct point *p);
	u64 (*fixed)(const struct point *p);
	const char *(*format)(char buf[UNIT_LEN], u64 value);
	const char *(*format_fixed)(char buf[UNIT_LEN], u64 value);
};

/* Points that differ in the axis alone, in the order in which they ran. */
struct row_of_points {
	const struct axis *axis;
	const struct point **points;
	unsigned int nr;
};

static u64 vcpus_of(const struct point *p)
{
	return p->vcpus;
}

static u64 bytes_of(const struct point *p)
{
	return p->bytes;
}

static const char *format_vcpus(char buf[UNIT_LEN], u64 vcpus)
{
	snprintf(buf, UNIT_LEN, "%llu vCPU%s", (unsigned long long)vcpus,
		 vcpus == 1 ? "" : "s");
	return buf;
}

static const char *format_number(char buf[UNIT_LEN], u64 value)
{
	snprintf(buf, UNIT_LEN, "%llu", (unsigned long long)value);
	return buf;
}

static const struct axis axes[] = {
	{ "vcpus", "bytes", vcpus_of, bytes_of, format_vcpus, format_size },
	{ "bytes", "vcpus", bytes_of, vcpus_of, format_size, format_number },
	{ .name = NULL },
};

/* Five characters for anything from 0.001 to 99999. */
static const char *format_ratio(char buf[UNIT_LEN], double ratio)
{
	int digits = ratio < 0.0995 ? 3 :
		     ratio < 9.995  ? 2 :
		     ratio < 99.95  ? 1 :
				      0;

	if (isnan(ratio) || isinf(ratio))
		return "-";
	if (ratio != 0 && (ratio < 0.0005 || ratio >= 99999.5))
		snprintf(buf, UNIT_LEN, "%.0e", ratio);
	else
		snprintf(buf, UNIT_LEN, "%.*f", digits, ratio);
	return buf;
}

static double median_of_runs(const struct series *s)
{
	if (s->nr_runs)
		return stats_summary(s->run_medians, s->nr_runs).median;
	return stats_summary(s->samples, s->nr).median;
}

static struct scaling_point at(const struct point *p, unsigned int metric)
{
	const struct series *s = &p->series[metric];

	return (struct scaling_point){
		.median = median_of_runs(s),
		.vcpus = p->vcpus,
		.work = s->thread_pages,
	};
}

static void print_median(const struct session *s, unsigned int metric,
			 double median)
{
	char buf[UNIT_LEN];

	fprintf(s->text, " %10s",
		metric_format(buf, s->bench->metrics[metric].unit, median));
}

static void print_cell(const struct session *s, unsigned int metric,
		       const struct point *first, const struct point *p)
{
	const char *unit = metric_unit_name(s->bench->metrics[metric].unit);
	char of_first[UNIT_LEN], of_ideal[UNIT_LEN];
	struct scaling_point a, b;

	if (!p->series[metric].nr) {
		fprintf(s->text, " %10s %5s %5s", "-", "-", "-");
		return;
	}
	a = at(first, metric);
	b = at(p, metric);
	print_median(s, metric, b.median);
	fprintf(s->text, " %5s %5s",
		format_ratio(of_first, b.median / a.median),
		format_ratio(of_ideal, b.median / scaling_ideal(unit, &a, &b)));
}

/* The first point, and those from @from to below @to. */
static void print_lines(const struct session *s, const struct row_of_points *r,
			unsigned int from, unsigned int to)
{
	const struct axis *axis = r->axis;
	char value[UNIT_LEN];

	fprintf(s->text, "# %-16s %10s", "phase",
		axis->format(value, axis->value(r->points[0])));
	for (unsigned int i = from; i < to; i++)
		fprintf(s->text, " %10s %5s %5s",
			axis->format(value, axis->value(r->points[i])), "ratio",
			"ideal");
	fputc('\n', s->text);
	for (unsigned int m = 0; m < s->nr_metrics; m++) {
		if (!r->points[0]->series[m].nr)
			continue;
		fprintf(s->text, "# %-16s", s->bench->metrics[m].name);
		print_median(s, m, at(r->points[0], m).median);
		for (unsigned int i = from; i < to; i++)
			print_cell(s, m, r->points[0], r->points[i]);
		fputc('\n', s->text);
	}
}

/* No contention of KVM's is needed for this to cost time. */
static void warn_of_cpus(const struct session *s, const struct row_of_points *r)
{
	u64 most = 0;

	for (unsigned int i = 0; i < r->nr; i++)
		most = max_u64(most, r->points[i]->vcpus);
	if (r->axis->value == vcpus_of && s->host.cpus && most > s->host.cpus)
		fprintf(s->text,
			"# note: beyond %llu vCPU%s they take turns on the "
			"CPUs of this host\n",
			(unsigned long long)s->host.cpus,
			s->host.cpus == 1 ? "" : "s");
}

static void print_row(const struct session *s, const struct row_of_points *r)
{
	const char *variant = point_variant(s, r->points[0]);
	const struct axis *axis = r->axis;
	char first[UNIT_LEN], fixed[UNIT_LEN];

	fprintf(s->text,
		"#\n# scaling over %s, %s=%s%s%s: medians, as a multiple of that "
		"with %s and of the ideal\n",
		axis->name, axis->fixed_name,
		axis->format_fixed(fixed, axis->fixed(r->points[0])),
		variant ? " " : "", variant ? variant : "",
		axis->format(first, axis->value(r->points[0])));
	for (unsigned int i = 1; i < r->nr; i += POINTS_PER_LINE)
		print_lines(s, r, i, min_u64(r->nr, i + POINTS_PER_LINE));
	warn_of_cpus(s, r);
}

/* Nothing but the swept value may differ. */
static bool is_fixed(const struct axis *axis, const struct point *a,
		     const struct point *b)
{
	return axis->fixed(a) == axis->fixed(b) && a->variant == b->variant;
}

/* True if an earlier point stands for all with the same fixed value. */
static bool is_known(const struct session *s, const struct axis *axis,
		     unsigned int index)
{
	for (unsigned int i = 0; i < index; i++)
		if (s->points[i].finished &&
		    is_fixed(axis, &s->points[i], &s->points[index]))
			return true;
	return false;
}

static void collect(struct row_of_points *r, const struct session *s,
		    unsigned int index)
{
	r->nr = 0;
	for (unsigned int i = index; i < s->nr_points; i++)
		if (s->points[i].finished &&
		    is_fixed(r->axis, &s->points[i], &s->points[index]))
			r->points[r->nr++] = &s->points[i];
}

void report_scaling(struct session *s)
{
	struct row_of_points r = { .points = NULL };

	if (s->common->quiet)
		return;
	r.points = xcalloc(s->nr_points, sizeof(*r.points));
	for (r.axis = axes; r.axis->name; r.axis++) {
		for (unsigned int i = 0; i < s->nr_points; i++) {
			if (!s->points[i].finished || is_known(s, r.axis, i))
				continue;
			collect(&r, s, i);
			if (r.nr > 1)
				print_row(s, &r);
		}
	}
	free(r.points);
	report_flush(s);
}
