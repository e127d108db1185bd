/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Percentiles of latencies that a metric carries as "histogram": its "buckets"
 * are [from, to, count] in nanoseconds, to exclusive.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "html_figures.h"
#include "units.h"
#include "util.h"

#define HEIGHT 270

/* How the axis shows a share: -log10 of what lies above it. */
#define TAIL_MAX 7

struct bucket {
	double from, to, count;
};

/* Of all files of a side, at one point. */
struct latencies {
	size_t side;
	const struct view_point *point;
	size_t nr;
	struct bucket *buckets;
	double total, max;
};

static double member(const json_t *bucket, size_t i)
{
	return json_number_value(json_array_get(bucket, i));
}

/* Buckets of all vCPUs, files and phases have the same bounds. */
static void add_buckets(struct latencies *l, const json_t *metric)
{
	const json_t *histogram = json_object_get(metric, "histogram");
	const json_t *buckets = json_object_get(histogram, "buckets");
	const json_t *bucket;
	size_t i;

	json_array_foreach(buckets, i, bucket)
	{
		struct bucket b = { member(bucket, 0), member(bucket, 1),
				    member(bucket, 2) };

		if (!(b.from >= 0 && b.to >= b.from && b.count > 0))
			continue;
		l->buckets =
			xrealloc(l->buckets, l->nr + 1, sizeof(*l->buckets));
		l->buckets[l->nr++] = b;
		l->total += b.count;
	}
	l->max = fmax(l->max,
		      json_number_value(json_object_get(histogram, "max_ns")));
}

static int compare_from(const void *a, const void *b)
{
	const struct bucket *x = a, *y = b;

	return (x->from > y->from) - (x->from < y->from);
}

static void collect(struct latencies *l, const struct series *s)
{
	size_t i;

	for (i = 0; i < s->nr_files; i++)
		add_buckets(l, s->file_json[i]);
	if (l->nr)
		qsort(l->buckets, l->nr, sizeof(*l->buckets), compare_from);
}

/* The middle of the bucket with the value of that rank. */
static double quantile(const struct latencies *l, double share)
{
	double below = 0;
	size_t i;

	for (i = 0; i + 1 < l->nr; i++) {
		below += l->buckets[i].count;
		if (below >= share * l->total)
			break;
	}
	return (l->buckets[i].from + l->buckets[i].to) / 2;
}

static void print_data(const struct latencies *l, const struct plot_axis *y,
		       size_t line, FILE *script)
{
	double below = 0;
	size_t i;

	fprintf(script, "$line%zu << END\n", line);
	for (i = 0; i < l->nr; i++) {
		double middle = (l->buckets[i].from + l->buckets[i].to) / 2;
		double above;

		below += l->buckets[i].count;
		/* the last is at the share that one value more would have */
		above = fmax(l->total - below, 0.5) / l->total;
		fprintf(script, "%.10g %.10g\n", fmin(-log10(above), TAIL_MAX),
			middle / y->factor);
	}
	fputs("END\n", script);
}

/* Where the figure has a symbol. */
static void print_marks(const struct latencies *l, const struct plot_axis *y,
			size_t line, FILE *script)
{
	static const double shares[] = { 0.5, 0.9, 0.99, 0.999, 0.9999 };
	size_t i;

	fprintf(script, "$marks%zu << END\n", line);
	for (i = 0; i < ARRAY_SIZE(shares); i++)
		if (i == 0 || l->total * (1 - shares[i]) >= 0.5)
			fprintf(script, "%.10g %.10g\n", -log10(1 - shares[i]),
				quantile(l, shares[i]) / y->factor);
	fputs("END\n", script);
}

static char *label_of(const struct view *v, const struct latencies *l)
{
	char *point = view_point_label(v, l->point), *label;

	if (view_sides_of(v, l->point->bench) == 1)
		return point;
	label = xasprintf("%c %s, %s", (char)('A' + l->side),
			  view_kernel(&v->sides[l->side]), point);
	free(point);
	return label;
}

static char *describe(const struct view *v, const struct latencies *list,
		      size_t nr)
{
	char *text = xstrdup(""), *both, *label;
	size_t i;

	for (i = 0; i < nr; i++) {
		char median[UNIT_LEN], p99[UNIT_LEN], p999[UNIT_LEN],
			last[UNIT_LEN];

		label = label_of(v, &list[i]);
		both = xasprintf("%s%s%s: p50 %s, p99 %s, p99.9 %s, at most "
				 "%s.",
				 text, i ? " " : "", label,
				 format_ns(median, quantile(&list[i], 0.5)),
				 format_ns(p99, quantile(&list[i], 0.99)),
				 format_ns(p999, quantile(&list[i], 0.999)),
				 format_ns(last, list[i].max));
		free(label);
		free(text);
		text = both;
	}
	return text;
}

static void print_x(const struct latencies *list, size_t nr, FILE *script)
{
	static const char *const shares[] = { "0",	"90",	 "99",
					      "99.9",	"99.99", "99.999",
					      "99.9999" };
	double most = 1;
	size_t i;

	for (i = 0; i < nr; i++)
		most = fmax(most, log10(2 * list[i].total));
	most = fmin(most, TAIL_MAX);
	fprintf(script, "set xrange [0:%g]\nset xtics (\"50\" 0.30103",
		most * 1.03);
	for (i = 1; i < ARRAY_SIZE(shares) && i <= most; i++)
		fprintf(script, ", \"%s\" %zu", shares[i], i);
	fprintf(script,
		")\nset xlabel 'percentile'\n"
		"set grid xtics linetype 1 linecolor rgb '%s'\n",
		SVG_SOFT);
}

static void draw(struct figures *f, const struct view *v,
		 const struct latencies *list, size_t nr)
{
	struct figure *one = figures_add(f, "Latencies", PLOT_WIDTH, HEIGHT);
	double least = INFINITY, most = 0;
	struct plot_axis y;
	size_t i;

	for (i = 0; i < nr; i++) {
		const struct bucket *last = &list[i].buckets[list[i].nr - 1];

		least = fmin(least,
			     (list[i].buckets[0].from + list[i].buckets[0].to) /
				     2);
		most = fmax(most, (last->from + last->to) / 2);
	}
	plot_axis_init(&y, 'y', PLOT_FROM_ZERO, "ns", least, most);
	plot_axis_set(&y, f->script);
	print_x(list, nr, f->script);
	plot_axis_name(&y, f->script);
	for (i = 0; i < nr; i++)
		print_data(&list[i], &y, i + 1, f->script);
	for (i = 0; i < nr; i++)
		print_marks(&list[i], &y, i + 1, f->script);
	for (i = 0; i < nr; i++) {
		fprintf(f->script,
			"%s $line%zu using 1:2 with steps linewidth 1.6 "
			"linecolor rgb '#00000%zu', $marks%zu using 1:2 with "
			"points pointtype %d pointsize 0.8 linecolor rgb "
			"'#00000%zu'",
			i ? "," : "plot", i + 1, i + 1, i + 1,
			plot_symbol((int)i + 1) + SVG_FILLED, i + 1);
		figure_add_key(one, (struct figure_key){
					    .series = (int)i + 1,
					    .label = label_of(v, &list[i]) });
	}
	fputc('\n', f->script);
	one->finding = describe(v, list, nr);
	one->remark = xstrdup("How long at most the given share of accesses "
			      "took: further right are the rare ones.");
}

static void draw_and_clear(struct figures *f, const struct view *v,
			   struct latencies *list, size_t *nr)
{
	size_t i;

	if (*nr)
		draw(f, v, list, *nr);
	for (i = 0; i < *nr; i++)
		free(list[i].buckets);
	*nr = 0;
}

void figures_add_latencies(struct figures *f, const struct view *v,
			   const struct view_metric *m)
{
	struct latencies list[SVG_SERIES];
	size_t nr = 0, point, side;

	for (point = 0; point < v->nr_points; point++) {
		for (side = 0; side < v->nr_sides; side++) {
			const struct series *s =
				view_series(v, side, &v->points[point], m);

			if (!s)
				continue;
			list[nr] = (struct latencies){
				.side = side, .point = &v->points[point]
			};
			collect(&list[nr], s);
			if (list[nr].nr && ++nr == SVG_SERIES)
				draw_and_clear(f, v, list, &nr);
		}
	}
	draw_and_clear(f, v, list, &nr);
}
