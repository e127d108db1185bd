/* SPDX-License-Identifier: GPL-2.0-only */
/* From side to side: what each kernel has changed. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "html_figures.h"
#include "units.h"
#include "util.h"

#define HEIGHT 270
#define ROTATED_HEIGHT 60 /* besides */

/* Characters of a kernel's version below the axis, all of them together. */
#define LABELS_MAX 40
#define LABEL_MAX 14

struct line {
	const struct view_point *point;
	const struct series **series; /* of each side; NULL: none */
};

struct lines {
	size_t nr;
	struct line list[SVG_SERIES];
};

static const struct comparison *
comparison_at(const struct view *v, const struct line *line, size_t side)
{
	return side && line->series[side - 1] ?
		       view_comparison(&v->previous, side,
				       line->series[side - 1]) :
		       NULL;
}

static bool is_change(const struct comparison *c)
{
	return c && (c->judgement == FASTER || c->judgement == SLOWER);
}

/* Kernels below the axis are, unless they fit. */
static bool is_rotated(const struct view *v)
{
	size_t total = 0, i;

	for (i = 0; i < v->nr_sides; i++) {
		char *kernel = view_short_kernel(v, i, LABEL_MAX);

		total += 3 + strlen(kernel);
		free(kernel);
	}
	return total > LABELS_MAX;
}

static void print_x(const struct view *v, FILE *script)
{
	char word[LABEL_MAX + 1], *kernel;
	bool rotated = is_rotated(v);
	size_t i;

	fprintf(script, "set xrange [-0.4:%g]\nset xtics %s(",
		v->nr_sides - 0.6, rotated ? "rotate by 90 right " : "");
	for (i = 0; i < v->nr_sides; i++) {
		kernel = view_short_kernel(v, i, LABEL_MAX);
		fprintf(script, "%s\"%c %s\" %zu", i ? ", " : "",
			(char)('A' + i), plot_word(word, kernel, LABEL_MAX), i);
		free(kernel);
	}
	fputs(")\n", script);
	/* what gnuplot itself leaves is too little for them */
	if (rotated)
		fputs("set bmargin 6\n", script);
}

static void print_data(const struct view *v, const struct lines *lines,
		       const struct plot_axis *y, FILE *script)
{
	size_t i, side;

	for (i = 0; i < lines->nr; i++) {
		fprintf(script, "$line%zu << END\n", i + 1);
		for (side = 0; side < v->nr_sides; side++) {
			const struct series *s = lines->list[i].series[side];
			struct view_value value;

			if (!s) {
				/* an empty line interrupts the line */
				fputc('\n', script);
				continue;
			}
			value = view_value(s);
			if (!value.has_interval)
				value.low = value.high = value.median;
			fprintf(script, "%zu %.10g %.10g %.10g\n", side,
				value.median / y->factor, value.low / y->factor,
				value.high / y->factor);
		}
		fputs("END\n", script);
	}
}

/* Where a line of text finds no other one, as a part of the axis. */
#define LABEL_HEIGHT 0.13

static double height_of(const struct plot_axis *y, double value)
{
	if (y->log)
		return log(value / y->min) / log(y->max / y->min);
	return (value - y->min) / (y->max - y->min);
}

/*
 * "+20.1%" above what is slower or faster than the side before. The text below
 * the figure has those that find no room.
 */
static void print_changes(const struct view *v, const struct lines *lines,
			  const struct plot_axis *y, FILE *script)
{
	double heights[SVG_SERIES];
	char change[UNIT_LEN];
	size_t i, k, side, nr;

	for (side = 1; side < v->nr_sides; side++) {
		for (nr = 0, i = 0; i < lines->nr; i++) {
			const struct comparison *c =
				comparison_at(v, &lines->list[i], side);
			double value;

			if (!is_change(c))
				continue;
			value = view_value(lines->list[i].series[side]).median /
				y->factor;
			heights[nr] = height_of(y, value);
			for (k = 0; k < nr; k++)
				if (fabs(heights[k] - heights[nr]) <
				    LABEL_HEIGHT)
					break;
			if (k < nr++)
				continue;
			fprintf(script,
				"set label '%s' at %zu, %.10g center offset 0,0.9 "
				"front textcolor rgb '%s'\n",
				report_change(change, c->change), side, value,
				c->judgement == SLOWER ? SVG_BAD : SVG_GOOD);
		}
	}
}

static void print_plot(const struct lines *lines, FILE *script)
{
	size_t i;

	for (i = 0; i < lines->nr; i++)
		fprintf(script,
			"%s $line%zu using 1:2:3:4 with yerrorbars pointtype %d "
			"pointsize 0.01 linewidth 1.5 linecolor rgb '#00000%zu', "
			"$line%zu using 1:2 with linespoints pointtype %d "
			"pointsize 0.8 linewidth 1.8 linecolor rgb '#00000%zu'",
			i ? "," : "plot", i + 1, plot_symbol((int)i + 1), i + 1,
			i + 1, plot_symbol((int)i + 1) + SVG_FILLED, i + 1);
	fputc('\n', script);
}

static void set_y(struct plot_axis *y, const struct view *v,
		  const struct lines *lines, const char *unit)
{
	double least = INFINITY, most = 0;
	size_t i, side;

	for (i = 0; i < lines->nr; i++) {
		for (side = 0; side < v->nr_sides; side++) {
			const struct series *s = lines->list[i].series[side];
			struct view_value value;

			if (!s)
				continue;
			value = view_value(s);
			least = fmin(least, value.has_interval ? value.low :
								 value.median);
			most = fmax(most, value.has_interval ? value.high :
							       value.median);
		}
	}
	/* room for what stands above the points */
	plot_axis_init(y, 'y', PLOT_FROM_ZERO, unit, least, most * 1.08);
}

static char *append(char *text, const char *sep, char *more)
{
	char *both = xasprintf("%s%s%s", text, *text ? sep : "", more);

	free(text);
	free(more);
	return both;
}

/* "B 6.12.3 is slower (+20.1%), C 7.0.1 is the same" */
static char *describe_line(const struct view *v, const struct line *line)
{
	size_t same = 0, open = 0, unjudged = 0, side;
	char change[UNIT_LEN], *text = xstrdup("");

	for (side = 1; side < v->nr_sides; side++) {
		const struct comparison *c = comparison_at(v, line, side);

		if (!c)
			continue;
		same += c->judgement == SAME;
		open += c->judgement == CANNOT_TELL;
		unjudged += c->judgement == NOT_JUDGED;
		if (is_change(c))
			text = append(
				text, ", ",
				xasprintf("%c %s is %s (%s)",
					  (char)('A' + side),
					  view_kernel(&v->sides[side]),
					  judgement_name(c->judgement),
					  report_change(change, c->change)));
	}
	if (same)
		text = append(text, ", ", xasprintf("the same: %zu", same));
	if (open)
		text = append(text, ", ",
			      xasprintf("not known to differ: %zu", open));
	if (unjudged)
		text = append(text, ", ",
			      xasprintf("not judged: %zu", unjudged));
	return append(text, "", xstrdup("."));
}

static char *describe(const struct view *v, const struct lines *lines)
{
	char *text = xstrdup(""), *label;
	size_t i;

	for (i = 0; i < lines->nr; i++) {
		const struct line *line = &lines->list[i];

		if (!view_is_single(v, line->point->bench)) {
			label = view_point_label(v, line->point);
			text = append(text, " ", xasprintf("%s:", label));
			free(label);
		}
		text = append(text, " ", describe_line(v, line));
	}
	return text;
}

static void draw(struct figures *f, const struct view *v,
		 const struct view_metric *m, const struct lines *lines)
{
	struct figure *one =
		figures_add(f, "Trend", PLOT_WIDTH,
			    is_rotated(v) ? HEIGHT + ROTATED_HEIGHT : HEIGHT);
	struct plot_axis y;
	size_t i;

	set_y(&y, v, lines, m->unit);
	plot_axis_set(&y, f->script);
	print_x(v, f->script);
	plot_axis_name(&y, f->script);
	print_data(v, lines, &y, f->script);
	print_changes(v, lines, &y, f->script);
	print_plot(lines, f->script);
	one->finding = describe(v, lines);
	one->remark = xstrdup("Each is judged against the one before it.");
	if (view_is_single(v, m->bench))
		return;
	for (i = 0; i < lines->nr; i++)
		figure_add_key(one, (struct figure_key){
					    .series = (int)i + 1,
					    .label = view_point_label(
						    v, lines->list[i].point) });
}

static void draw_and_clear(struct figures *f, const struct view *v,
			   const struct view_metric *m, struct lines *lines)
{
	size_t i;

	if (lines->nr)
		draw(f, v, m, lines);
	for (i = 0; i < lines->nr; i++)
		free(lines->list[i].series);
	lines->nr = 0;
}

void figures_add_trend(struct figures *f, const struct view *v,
		       const struct view_metric *m)
{
	struct lines lines = { .nr = 0 };
	size_t point, side, found;

	if (v->nr_sides < 3)
		return;
	for (point = 0; point < v->nr_points; point++) {
		struct line line = { .point = &v->points[point] };

		line.series = xcalloc(v->nr_sides, sizeof(*line.series));
		for (found = 0, side = 0; side < v->nr_sides; side++) {
			line.series[side] = view_series(v, side, line.point, m);
			found += line.series[side] != NULL;
		}
		if (found < 2) {
			free(line.series);
			continue;
		}
		lines.list[lines.nr++] = line;
		if (lines.nr == SVG_SERIES)
			draw_and_clear(f, v, m, &lines);
	}
	draw_and_clear(f, v, m, &lines);
}
