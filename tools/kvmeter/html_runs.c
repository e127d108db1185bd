/* SPDX-License-Identifier: GPL-2.0-only */
/* Every run as a dot, unless there are too many to be told apart. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "html_figures.h"
#include "spread.h"
#include "units.h"
#include "util.h"

#define ROWS_MAX 12
#define ROW_HEIGHT 30
#define FRAME_HEIGHT 62

/* Characters of a row's name, and of a kernel's version in it. */
#define LABEL_MAX 28
#define KERNEL_MAX 16

/* Half of what a median's tick, an interval's bar and the dots take. */
#define TICK 0.32
#define BAR 0.32
#define DOTS 0.2

/* Dots of a row; of more runs those that reach farthest are drawn. */
#define ALL_DOTS_MAX 2000

struct row {
	size_t side;
	const struct view_point *point;
	const struct series *series;
	struct view_value value;
	size_t nr_outliers;
};

struct rows {
	size_t nr;
	struct row list[ROWS_MAX];
};

/* "B 2 vCPUs, 16M" */
static char *label_of(const struct view *v, const struct row *row)
{
	char *point = view_point_label(v, row->point), *label;

	if (view_sides_of(v, row->point->bench) == 1)
		return point;
	if (view_is_single(v, row->point->bench)) {
		free(point);
		point = view_short_kernel(v, row->side, KERNEL_MAX);
	}
	label = xasprintf("%c %s", (char)('A' + row->side), point);
	free(point);
	return label;
}

static void print_rows(const struct view *v, const struct rows *rows,
		       FILE *script)
{
	size_t i;

	fprintf(script, "set yrange [%g:-0.6]\nset ytics scale 0 (",
		rows->nr - 0.4);
	for (i = 0; i < rows->nr; i++) {
		char *label = label_of(v, &rows->list[i]);
		char word[LABEL_MAX + 1];

		fprintf(script, "%s\"%s\" %zu", i ? ", " : "",
			plot_word(word, label, LABEL_MAX), i);
		free(label);
	}
	fputs(")\nset border 1\n", script);
}

/* Low, high and median, a line each; where there is none, the median. */
static void print_intervals(const struct rows *rows,
			    const struct plot_axis *axis, FILE *script)
{
	size_t i;

	fputs("$intervals << END\n", script);
	for (i = 0; i < rows->nr; i++) {
		const struct view_value *v = &rows->list[i].value;

		fprintf(script, "%.10g %.10g %.10g %zu\n",
			(v->has_interval ? v->low : v->median) / axis->factor,
			(v->has_interval ? v->high : v->median) / axis->factor,
			v->median / axis->factor, i);
	}
	fputs("END\n", script);
}

/* One row's. */
struct dots {
	const struct series *series;
	size_t row;
	bool *outlier; /* which runs are */
	const struct plot_axis *axis;
	FILE *script;
};

/* In the order in which they ran, from the top of the row to its bottom. */
static void print_dot(const struct dots *d, size_t run)
{
	size_t nr = d->series->nr;
	double place = nr < 2 ? 0 : 2.0 * run / (nr - 1) - 1;

	fprintf(d->script, "%.10g %.10g %d\n",
		d->series->values[run] / d->axis->factor, d->row + DOTS * place,
		d->outlier[run]);
}

/* The least and the largest of each part. */
static void print_extremes(const struct dots *d)
{
	const double *v = d->series->values;
	size_t nr = d->series->nr, parts = ALL_DOTS_MAX / 2, i, k;

	for (i = 0; i < parts; i++) {
		size_t least = nr * i / parts, most = least;

		for (k = least; k < nr * (i + 1) / parts; k++) {
			least = v[k] < v[least] ? k : least;
			most = v[k] > v[most] ? k : most;
		}
		print_dot(d, least);
		print_dot(d, most);
	}
}

static void print_row(struct dots *d)
{
	size_t i;

	if (d->series->nr > ALL_DOTS_MAX) {
		print_extremes(d);
		return;
	}
	for (i = 0; i < d->series->nr; i++)
		print_dot(d, i);
}

static void print_dots(struct rows *rows, const struct plot_axis *axis,
		       FILE *script)
{
	size_t i;

	fputs("$dots << END\n", script);
	for (i = 0; i < rows->nr; i++) {
		const struct series *s = rows->list[i].series;
		struct dots d = { s, i, NULL, axis, script };

		d.outlier = xcalloc(s->nr, sizeof(*d.outlier));
		rows->list[i].nr_outliers =
			flag_outliers(s->values, s->nr, d.outlier);
		print_row(&d);
		free(d.outlier);
	}
	fputs("END\n", script);
}

static void print_plot(FILE *script)
{
	fprintf(script,
		"plot $intervals using ($1+($2-$1)/2):4:(($2-$1)/2):(%g) with boxxyerror "
		"fillstyle solid noborder linecolor rgb '%s', "
		"$dots using 1:($3==0 ? $2 : NaN) with points pointtype %d "
		"pointsize 0.45 linecolor rgb '%s', "
		"'' using 1:($3==1 ? $2 : NaN) with points pointtype %d "
		"pointsize 0.5 linecolor rgb '%s', "
		"$intervals using 3:($4-%g):(0):(%g) with vectors nohead "
		"linewidth 2.5 linecolor rgb '%s'\n",
		BAR, SVG_BAND, SVG_CIRCLE + SVG_FILLED, SVG_COLOR(1),
		SVG_CIRCLE, SVG_COLOR(1), TICK, 2 * TICK, SVG_INK);
}

static double spread_of(const struct view_value *v)
{
	if (!v->has_interval || v->median <= 0)
		return 0;
	return fmax(v->median - v->low, v->high - v->median) / v->median;
}

static char *describe_one(const struct view_metric *m, const struct row *row)
{
	char median[UNIT_LEN];
	char *range = view_range(m->unit, row->value.low, row->value.high);
	char *text;

	report_value(median, m->unit, row->value.median);
	if (row->value.has_interval)
		text = xasprintf("The median of %zu runs is %s, its 95 %% "
				 "interval %s; outliers: %zu.",
				 row->value.runs, median, range,
				 row->nr_outliers);
	else
		text = xasprintf("The median of %zu run%s is %s; too few for "
				 "an interval.",
				 row->value.runs,
				 row->value.runs == 1 ? "" : "s", median);
	free(range);
	return text;
}

static char *describe(const struct view *v, const struct view_metric *m,
		      const struct rows *rows)
{
	const struct row *least = rows->list, *most = rows->list;
	size_t outliers = 0, runs = 0, i;
	char a[UNIT_LEN], b[UNIT_LEN], *low, *high, *text;
	double spread = 0;

	if (rows->nr == 1)
		return describe_one(m, rows->list);
	for (i = 0; i < rows->nr; i++) {
		const struct row *row = &rows->list[i];

		least = row->value.median < least->value.median ? row : least;
		most = row->value.median > most->value.median ? row : most;
		spread = fmax(spread, spread_of(&row->value));
		outliers += row->nr_outliers;
		runs += row->value.runs;
	}
	report_value(a, m->unit, least->value.median);
	if (least->value.median == most->value.median)
		return xasprintf("All %zu medians are %s; outliers: %zu of %zu "
				 "runs.",
				 rows->nr, a, outliers, runs);
	low = label_of(v, least);
	high = label_of(v, most);
	text = xasprintf("Medians reach from %s (%s) to %s (%s). The widest "
			 "interval reaches %.*f %% from its median; outliers: "
			 "%zu of %zu runs.",
			 a, low, report_value(b, m->unit, most->value.median),
			 high, spread < 0.0995 ? 1 : 0, 100 * spread, outliers,
			 runs);
	free(low);
	free(high);
	return text;
}

static void draw(struct figures *f, const struct view *v,
		 const struct view_metric *m, struct rows *rows)
{
	double least = INFINITY, largest = 0;
	struct plot_axis axis;
	struct figure *one;
	size_t i, k;

	for (i = 0; i < rows->nr; i++) {
		const struct series *s = rows->list[i].series;

		for (k = 0; k < s->nr; k++) {
			least = fmin(least, s->values[k]);
			largest = fmax(largest, s->values[k]);
		}
	}
	plot_axis_init(&axis, 'x', PLOT_FROM_MIN, m->unit, least, largest);
	one = figures_add(f, "Runs", PLOT_WIDTH,
			  FRAME_HEIGHT + ROW_HEIGHT * rows->nr);
	print_rows(v, rows, f->script);
	plot_axis_set(&axis, f->script);
	fprintf(f->script, "set xlabel '%s%s'\n", axis.unit,
		axis.log ? ", logarithmic" : "");
	print_intervals(rows, &axis, f->script);
	print_dots(rows, &axis, f->script);
	print_plot(f->script);
	one->finding = describe(v, m, rows);
	for (i = 0; i < rows->nr && !one->remark; i++)
		if (rows->list[i].series->nr > ALL_DOTS_MAX)
			one->remark = xasprintf(
				"Of more than %d runs the least and the "
				"largest of each %dth part are drawn.",
				ALL_DOTS_MAX, ALL_DOTS_MAX / 2);
}

void figures_add_runs(struct figures *f, const struct view *v,
		      const struct view_metric *m)
{
	struct rows rows = { .nr = 0 };
	size_t point, side;

	for (point = 0; point < v->nr_points; point++) {
		for (side = 0; side < v->nr_sides; side++) {
			const struct series *s =
				view_series(v, side, &v->points[point], m);

			if (!s)
				continue;
			if (rows.nr == ROWS_MAX) {
				draw(f, v, m, &rows);
				rows.nr = 0;
			}
			rows.list[rows.nr++] = (struct row){
				.side = side,
				.point = &v->points[point],
				.series = s,
				.value = view_value(s),
			};
		}
	}
	if (rows.nr)
		draw(f, v, m, &rows);
}
