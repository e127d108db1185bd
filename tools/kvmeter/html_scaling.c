/* SPDX-License-Identifier: GPL-2.0-only */
/* How a metric grows over one swept option while the other stays. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "html_figures.h"
#include "scaling.h"
#include "units.h"
#include "util.h"

#define HEIGHT 270

enum swept { OVER_VCPUS, OVER_BYTES };

/* One side, with all other options at one value. */
struct line {
	size_t side;
	const struct view_point *first; /* for all but the swept option */
	size_t nr;
	struct line_point {
		u64 x;
		struct view_value value;
		struct scaling_point at;
		double ideal;
	} * points;
};

struct lines {
	enum swept swept;
	size_t nr;
	struct line list[SVG_SERIES];
};

static u64 x_of(enum swept swept, const struct view_point *p)
{
	return swept == OVER_VCPUS ? p->vcpus : p->bytes;
}

/* All but the swept option is equal. */
static bool is_beside(enum swept swept, const struct view_point *a,
		      const struct view_point *b)
{
	struct view_point other = *b;

	if (swept == OVER_VCPUS)
		other.vcpus = a->vcpus;
	else
		other.bytes = a->bytes;
	return view_same_point(a, &other);
}

static int compare_x(const void *a, const void *b)
{
	const struct line_point *x = a, *y = b;

	return (x->x > y->x) - (x->x < y->x);
}

/* Sorted by x; the ideal is that of the first. */
static void collect_line(struct line *line, enum swept swept,
			 const struct view *v, const struct view_metric *m)
{
	size_t i;

	line->nr = 0;
	line->points = xcalloc(v->nr_points, sizeof(*line->points));
	for (i = 0; i < v->nr_points; i++) {
		const struct view_point *p = &v->points[i];
		const struct series *s;
		struct line_point *point;

		if (!is_beside(swept, p, line->first))
			continue;
		s = view_series(v, line->side, p, m);
		if (!s)
			continue;
		point = &line->points[line->nr++];
		point->x = x_of(swept, p);
		point->value = view_value(s);
		point->at = (struct scaling_point){ point->value.median,
						    p->vcpus,
						    point->value.work };
	}
	qsort(line->points, line->nr, sizeof(*line->points), compare_x);
	for (i = 0; i < line->nr; i++)
		line->points[i].ideal = scaling_ideal(
			m->unit, &line->points[0].at, &line->points[i].at);
}

static char *label_of(const struct view *v, const struct lines *lines,
		      const struct line *line)
{
	const struct view_point *p = line->first;
	const char *variant = strchr(p->variant, '=');
	char other[UNIT_LEN], *rest, *label;

	if (lines->swept == OVER_VCPUS)
		format_size(other, p->bytes);
	else
		snprintf(other, sizeof(other), "%llu vCPU%s",
			 (unsigned long long)p->vcpus,
			 p->vcpus == 1 ? "" : "s");
	rest = xasprintf("%s%s%s", other, variant ? ", " : "",
			 variant ? variant + 1 : "");
	if (view_sides_of(v, p->bench) == 1)
		return rest;
	label = xasprintf("%c %s, %s", (char)('A' + line->side),
			  view_kernel(&v->sides[line->side]), rest);
	free(rest);
	return label;
}

/* "2 vCPUs", "16M" */
static const char *format_x(char buf[UNIT_LEN], enum swept swept, u64 x)
{
	if (swept == OVER_BYTES)
		return format_size(buf, x);
	snprintf(buf, UNIT_LEN, "%llu vCPU%s", (unsigned long long)x,
		 x == 1 ? "" : "s");
	return buf;
}

/* What the first line says, whose ideal the reader is told. */
static const char *ideal_of(const struct lines *lines, const char *unit)
{
	const struct line *line = &lines->list[0];
	const struct line_point *first = line->points;
	const struct line_point *last = line->points + line->nr - 1;

	if (isnan(last->ideal))
		return "What would be ideal is not known here.";
	if (strcmp(unit, "ns") != 0)
		return lines->swept == OVER_VCPUS ?
			       "Ideal: n vCPUs together reach n times the rate "
			       "of one." :
			       "Ideal: the rate does not depend on memory.";
	if (last->at.work == first->at.work)
		return "Ideal: the same time, as the busiest thread has the "
		       "same number of pages to go through.";
	if (last->at.work < first->at.work)
		return "Ideal: the time falls as the number of pages that the "
		       "busiest vCPU goes through.";
	return "Ideal: the time grows as the number of pages that the busiest "
	       "thread goes through.";
}

static char *describe_line(const struct view *v, const struct lines *lines,
			   const struct line *line, const struct view_metric *m)
{
	const struct line_point *first = line->points;
	const struct line_point *last = line->points + line->nr - 1;
	char a[UNIT_LEN], b[UNIT_LEN], from[UNIT_LEN], to[UNIT_LEN];
	double ratio = last->value.median / first->value.median;
	double of_ideal = last->value.median / last->ideal;
	char *label = label_of(v, lines, line), *text, *ideal;

	ideal = isfinite(of_ideal) ?
			xasprintf(" and %.3g times the ideal", of_ideal) :
			xstrdup("");
	if (isfinite(ratio))
		text = xasprintf("%s: from %s to %s, %s become %s, %.3g "
				 "times as much%s.",
				 label, format_x(from, lines->swept, first->x),
				 format_x(to, lines->swept, last->x),
				 report_value(a, m->unit, first->value.median),
				 report_value(b, m->unit, last->value.median),
				 ratio, ideal);
	else
		text = xasprintf("%s: the first median is 0.", label);
	free(ideal);
	free(label);
	return text;
}

static double growth_of(const struct line *line)
{
	return line->points[line->nr - 1].value.median /
	       line->points[0].value.median;
}

/* Of many lines those that grow least and most. */
static char *describe(const struct view *v, const struct lines *lines,
		      const struct view_metric *m)
{
	const struct line *least = lines->list, *most = lines->list;
	char *text, *line, *both;
	size_t i;

	for (i = 1; i < lines->nr; i++) {
		const struct line *here = &lines->list[i];

		if (growth_of(here) < growth_of(least))
			least = here;
		if (growth_of(here) > growth_of(most))
			most = here;
	}
	text = describe_line(v, lines, least, m);
	if (least == most)
		return text;
	line = describe_line(v, lines, most, m);
	both = xasprintf("%s%s %s", lines->nr > 2 ? "Least and most: " : "",
			 text, line);
	free(line);
	free(text);
	return both;
}

static void print_lines(const struct lines *lines, const struct plot_axis *y,
			FILE *script)
{
	size_t i, k;

	for (i = 0; i < lines->nr; i++) {
		const struct line *line = &lines->list[i];

		fprintf(script, "$line%zu << END\n", i + 1);
		for (k = 0; k < line->nr; k++) {
			const struct line_point *p = &line->points[k];
			const struct view_value *v = &p->value;

			fprintf(script, "%llu %.10g %.10g %.10g ",
				(unsigned long long)p->x, v->median / y->factor,
				(v->has_interval ? v->low : v->median) /
					y->factor,
				(v->has_interval ? v->high : v->median) /
					y->factor);
			/* gnuplot's word for a number that is none */
			if (isnan(p->ideal))
				fputs("NaN\n", script);
			else
				fprintf(script, "%.10g\n",
					p->ideal / y->factor);
		}
		fputs("END\n", script);
	}
}

static bool has_ideal(const struct line *line)
{
	return !isnan(line->points[line->nr - 1].ideal);
}

/* CPUs that all sides have; 0: they differ, or no vCPUs are beyond. */
static u64 cpus_of(const struct view *v, const struct lines *lines)
{
	u64 cpus = 0, most = 0;
	size_t i;

	for (i = 0; i < lines->nr; i++) {
		const struct line *line = &lines->list[i];
		const struct results *r = v->sides[line->side].files[0];
		json_int_t here = json_integer_value(json_object_get(
			json_object_get(r->root, "host"), "cpus"));

		if (here <= 0 || (cpus && cpus != (u64)here))
			return 0;
		cpus = here;
		most = max_u64(most, line->points[line->nr - 1].x);
	}
	return most > cpus ? cpus : 0;
}

static void print_plot(const struct lines *lines, FILE *script)
{
	const char *sep = "plot";
	size_t i;

	for (i = 0; i < lines->nr; i++) {
		if (!has_ideal(&lines->list[i]))
			continue;
		fprintf(script,
			"%s $line%zu using 1:5 with lines dashtype (6,4) "
			"linewidth 1.2 linecolor rgb '#00000%zu'",
			sep, i + 1, i + 1);
		sep = ",";
	}
	for (i = 0; i < lines->nr; i++) {
		fprintf(script,
			"%s $line%zu using 1:2:3:4 with yerrorbars pointtype %d "
			"pointsize 0.01 linewidth 1.5 linecolor rgb '#00000%zu'",
			sep, i + 1, plot_symbol((int)i + 1), i + 1);
		sep = ",";
		fprintf(script,
			", $line%zu using 1:2 with linespoints pointtype %d "
			"pointsize 0.8 linewidth 1.8 linecolor rgb '#00000%zu'",
			i + 1, plot_symbol((int)i + 1) + SVG_FILLED, i + 1);
	}
	fputc('\n', script);
}

/* Tics at the swept values, unless these are many. */
static void print_x(const struct lines *lines, FILE *script)
{
	u64 least = ~UINT64_C(0), most = 0, last = 0;
	const struct line *longest = &lines->list[0];
	char label[UNIT_LEN];
	size_t i;

	for (i = 0; i < lines->nr; i++) {
		const struct line *line = &lines->list[i];

		least = min_u64(least, line->points[0].x);
		most = max_u64(most, line->points[line->nr - 1].x);
		longest = line->nr > longest->nr ? line : longest;
	}
	fprintf(script,
		"set logscale x 2\nset xrange [%.10g:%.10g]\nset xtics (",
		least / 1.15, most * 1.15);
	for (i = 0; i < longest->nr; i++) {
		u64 x = longest->points[i].x;

		/* too near to the one before to have a label */
		if (i && x < last * (most > 64 * least ? 1.9 : 1.3))
			continue;
		if (lines->swept == OVER_BYTES)
			format_size(label, x);
		else
			snprintf(label, sizeof(label), "%llu",
				 (unsigned long long)x);
		fprintf(script, "%s\"%s\" %llu", i ? ", " : "", label,
			(unsigned long long)x);
		last = x;
	}
	fprintf(script, ")\nset xlabel '%s'\n",
		lines->swept == OVER_VCPUS ? "vCPUs" : "bytes");
}

static void set_y(struct plot_axis *y, const struct lines *lines,
		  const char *unit)
{
	double least = INFINITY, most = 0;
	size_t i, k;

	for (i = 0; i < lines->nr; i++) {
		for (k = 0; k < lines->list[i].nr; k++) {
			const struct line_point *p = &lines->list[i].points[k];

			/* fmin() and fmax() pass over NAN */
			least = fmin(fmin(least, p->ideal), p->value.median);
			most = fmax(fmax(most, p->ideal), p->value.median);
			if (!p->value.has_interval)
				continue;
			least = fmin(least, p->value.low);
			most = fmax(most, p->value.high);
		}
	}
	plot_axis_init(y, 'y', PLOT_FROM_ZERO, unit, least, most);
}

static void add_keys(struct figure *one, const struct view *v,
		     const struct lines *lines, u64 cpus)
{
	bool ideal = false;
	size_t i;

	for (i = 0; i < lines->nr; i++) {
		ideal |= has_ideal(&lines->list[i]);
		figure_add_key(one, (struct figure_key){
					    .series = (int)i + 1,
					    .label = label_of(v, lines,
							      &lines->list[i]),
				    });
	}
	if (ideal)
		figure_add_key(
			one, (struct figure_key){ .line = KEY_IDEAL,
						  .label = xstrdup("ideal") });
	if (cpus)
		figure_add_key(
			one,
			(struct figure_key){
				.line = KEY_CPUS,
				.label = xasprintf("the host's %llu CPUs",
						   (unsigned long long)cpus) });
}

static void draw(struct figures *f, const struct view *v,
		 const struct view_metric *m, const struct lines *lines)
{
	u64 cpus = lines->swept == OVER_VCPUS ? cpus_of(v, lines) : 0;
	struct figure *one = figures_add(f,
					 lines->swept == OVER_VCPUS ?
						 "Scaling over vCPUs" :
						 "Scaling over memory",
					 PLOT_WIDTH, HEIGHT);
	struct plot_axis y;

	set_y(&y, lines, m->unit);
	plot_axis_set(&y, f->script);
	print_x(lines, f->script);
	plot_axis_name(&y, f->script);
	if (cpus)
		fprintf(f->script,
			"set arrow 1 from %llu, graph 0 to %llu, graph 1 nohead "
			"dashtype (1,3) linewidth 1.5 linecolor rgb '%s'\n",
			(unsigned long long)cpus, (unsigned long long)cpus,
			SVG_FAINT);
	print_lines(lines, &y, f->script);
	print_plot(lines, f->script);
	one->finding = describe(v, lines, m);
	one->remark = xstrdup(ideal_of(lines, m->unit));
	add_keys(one, v, lines, cpus);
}

static void draw_and_clear(struct figures *f, const struct view *v,
			   const struct view_metric *m, struct lines *lines)
{
	size_t i;

	if (lines->nr)
		draw(f, v, m, lines);
	for (i = 0; i < lines->nr; i++)
		free(lines->list[i].points);
	lines->nr = 0;
}

/* No point before stands for it. */
static bool is_first(const struct view *v, enum swept swept, size_t point)
{
	size_t i;

	for (i = 0; i < point; i++)
		if (is_beside(swept, &v->points[i], &v->points[point]))
			return false;
	return true;
}

static void add_over(struct figures *f, const struct view *v,
		     const struct view_metric *m, enum swept swept)
{
	struct lines lines = { .swept = swept };
	size_t point, side;

	for (point = 0; point < v->nr_points; point++) {
		if (strcmp(v->points[point].bench, m->bench) != 0 ||
		    !is_first(v, swept, point))
			continue;
		for (side = 0; side < v->nr_sides; side++) {
			struct line *line = &lines.list[lines.nr];

			*line = (struct line){
				.side = side,
				.first = &v->points[point],
			};
			collect_line(line, swept, v, m);
			if (line->nr < 2)
				free(line->points);
			else if (++lines.nr == SVG_SERIES)
				draw_and_clear(f, v, m, &lines);
		}
		/* sides belong side by side, others fit one figure */
		if (view_sides_of(v, m->bench) > 1)
			draw_and_clear(f, v, m, &lines);
	}
	draw_and_clear(f, v, m, &lines);
}

void figures_add_scaling(struct figures *f, const struct view *v,
			 const struct view_metric *m)
{
	add_over(f, v, m, OVER_VCPUS);
	add_over(f, v, m, OVER_BYTES);
}
