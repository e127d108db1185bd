/* SPDX-License-Identifier: GPL-2.0-only */
/* Metrics and checks at every point. */
#include <stdlib.h>
#include <string.h>
#include "html_page.h"
#include "html_text.h"
#include "units.h"
#include "util.h"

static void print_number(const struct page *p, const char *text)
{
	html_element(p->out, "td class=\"n\"", text);
}

static void print_value(const struct page *p, const char *unit, double value)
{
	char buf[UNIT_LEN];

	print_number(p, report_value(buf, unit, value));
}

static const json_t *find_point(const struct results *r,
				const struct view_point *point)
{
	const json_t *one;
	size_t i;

	json_array_foreach(json_object_get(r->root, "points"), i, one)
	{
		const json_t *c = json_object_get(one, "config");
		struct view_point here = {
			.bench = r->bench,
			.vcpus =
				json_integer_value(json_object_get(c, "vcpus")),
			.bytes =
				json_integer_value(json_object_get(c, "bytes")),
			.variant = input_variant(c),
		};
		bool found = view_same_point(&here, point);

		free((char *)here.variant);
		if (found)
			return one;
	}
	return NULL;
}

/* 0: ok, 1: not verified, 2: not ok */
static int badness(const char *result)
{
	return strcmp(result, "not ok") == 0 ? 2 : strcmp(result, "ok") != 0;
}

/* Whether it is @metric that the check is about: "create: mappings". */
static bool is_about(const char *check, const char *metric)
{
	size_t len = strlen(metric);

	return strncmp(check, metric, len) == 0 && check[len] == ':';
}

/* The worst of all files of a side at the point. */
static const json_t *worst_check(const struct side *s,
				 const struct view_point *point,
				 const char *name)
{
	const json_t *worst = NULL, *check;
	size_t i, k;

	for (i = 0; i < s->nr_files; i++) {
		const json_t *at;

		if (!s->files[i]->bench ||
		    strcmp(s->files[i]->bench, point->bench) != 0)
			continue;
		at = find_point(s->files[i], point);
		json_array_foreach(json_object_get(at, "checks"), k, check)
		{
			if (strcmp(view_string(check, "name", ""), name) != 0)
				continue;
			if (!worst ||
			    badness(view_string(check, "result", "")) >
				    badness(view_string(worst, "result", "")))
				worst = check;
		}
	}
	return worst;
}

static bool has_failed(const struct results *r, const struct view_metric *m)
{
	const json_t *point, *check;
	size_t i, k;

	if (!r->bench || strcmp(r->bench, m->bench) != 0)
		return false;
	json_array_foreach(json_object_get(r->root, "points"), i, point)
	{
		json_array_foreach(json_object_get(point, "checks"), k, check)
		{
			if (is_about(view_string(check, "name", ""), m->name) &&
			    badness(view_string(check, "result", "")) == 2)
				return true;
		}
	}
	return false;
}

bool page_has_failed(const struct page *p, const struct view_metric *m)
{
	size_t i, k;

	for (i = 0; i < p->view->nr_sides; i++)
		for (k = 0; k < p->view->sides[i].nr_files; k++)
			if (has_failed(p->view->sides[i].files[k], m))
				return true;
	return false;
}

static void print_check(const struct page *p, const json_t *check,
			const char *name)
{
	static const char *const classes[] = { "b class=\"good\"",
					       "b class=\"open\"",
					       "b class=\"bad\"" };
	const char *result = view_string(check, "result", "not verified");

	html_element(p->out, classes[badness(result)], result);
	html_format(p->out, " %s: %s", name,
		    view_string(check, "detail",
				"the benchmark ended before it"));
}

/* Names of checks of all files of a side, in order of appearance. */
static const char **check_names(const struct side *s,
				const struct view_point *point, size_t *nr)
{
	const char **names = NULL;
	const json_t *check;
	size_t i, k, n;

	*nr = 0;
	for (i = 0; i < s->nr_files; i++) {
		const json_t *at = find_point(s->files[i], point);

		if (!s->files[i]->bench ||
		    strcmp(s->files[i]->bench, point->bench) != 0)
			continue;
		json_array_foreach(json_object_get(at, "checks"), k, check)
		{
			const char *name = view_string(check, "name", "");

			for (n = 0; n < *nr; n++)
				if (strcmp(names[n], name) == 0)
					break;
			if (n < *nr)
				continue;
			names = xrealloc(names, *nr + 1, sizeof(*names));
			names[(*nr)++] = name;
		}
	}
	return names;
}

/* Checks of the metric, or what was seen instead. */
static void print_proof(const struct page *p, size_t side,
			const struct view_point *point,
			const struct series *series)
{
	const struct side *s = &p->view->sides[side];
	const char *remark = view_string(series->json, "remark", NULL);
	size_t nr, i;
	const char **names = check_names(s, point, &nr);

	fputs("<td class=\"w\"><ul>\n", p->out);
	for (i = 0; i < nr; i++) {
		if (!is_about(names[i], series->metric))
			continue;
		fputs("<li>", p->out);
		print_check(p, worst_check(s, point, names[i]),
			    names[i] + strlen(series->metric) + 2);
		fputs("</li>\n", p->out);
	}
	if (remark)
		html_element(p->out, "li", remark);
	/* a list has one item at least */
	if (!remark) {
		for (i = 0; i < nr; i++)
			if (is_about(names[i], series->metric))
				break;
		if (i == nr)
			fputs("<li>-</li>\n", p->out);
	}
	fputs("</ul></td>", p->out);
	free(names);
}

static void print_row(const struct page *p, size_t side,
		      const struct view_point *point, const struct series *s)
{
	struct view_value v = view_value(s);
	char each[UNIT_LEN], runs[UNIT_LEN], *range;

	print_value(p, s->unit, v.median);
	range = v.has_interval ? view_range(s->unit, v.low, v.high) :
				 xstrdup("-");
	print_number(p, range);
	free(range);
	print_value(p, s->unit, v.min);
	print_value(p, s->unit, v.max);
	snprintf(runs, sizeof(runs), "%zu", v.runs);
	print_number(p, runs);
	if (v.pages && strcmp(s->unit, "ns") == 0)
		print_number(p, format_ns(each, v.median / v.pages));
	else
		print_number(p, "-");
	print_proof(p, side, point, s);
	fputs("</tr>\n", p->out);
}

static void print_metric(const struct page *p, const struct view_point *point,
			 const struct view_metric *m)
{
	const struct view *v = p->view;
	size_t side, nr = 0;
	bool first = true;

	for (side = 0; side < v->nr_sides; side++)
		nr += view_series(v, side, point, m) != NULL;
	for (side = 0; side < v->nr_sides; side++) {
		const struct series *s = view_series(v, side, point, m);

		if (!s)
			continue;
		fputs("<tr>", p->out);
		if (first) {
			fprintf(p->out,
				"<th scope=\"rowgroup\" rowspan=\"%zu\">", nr);
			html_text(p->out, m->name);
			fputs("</th>", p->out);
		}
		first = false;
		if (v->nr_sides > 1)
			fprintf(p->out, "<td>%c</td>", (char)('A' + side));
		print_row(p, side, point, s);
	}
}

/* Checks that are about no metric of the table, and notes. */
static void print_others(const struct page *p, size_t side,
			 const struct view_point *point)
{
	const struct side *s = &p->view->sides[side];
	const json_t *notes, *note;
	size_t nr, i, k;
	const char **names = check_names(s, point, &nr);

	for (i = 0; i < nr; i++) {
		for (k = 0; k < p->view->nr_metrics; k++)
			if (is_about(names[i], p->view->metrics[k].name) &&
			    view_series(p->view, side, point,
					&p->view->metrics[k]))
				break;
		if (k < p->view->nr_metrics)
			continue;
		fputs("<li>", p->out);
		if (p->view->nr_sides > 1)
			html_format(p->out, "%c: ", (char)('A' + side));
		print_check(p, worst_check(s, point, names[i]), names[i]);
		fputs("</li>\n", p->out);
	}
	free(names);
	for (i = 0; i < s->nr_files; i++) {
		if (!s->files[i]->bench ||
		    strcmp(s->files[i]->bench, point->bench) != 0)
			continue;
		notes = json_object_get(find_point(s->files[i], point),
					"notes");
		json_array_foreach(notes, k, note)
		{
			fputs("<li>", p->out);
			if (p->view->nr_sides > 1)
				html_format(p->out, "%c: ", (char)('A' + side));
			html_text(p->out, json_is_string(note) ?
						  json_string_value(note) :
						  "");
			fputs("</li>\n", p->out);
		}
	}
}

static void print_point(const struct page *p, const struct view_point *point)
{
	const struct view *v = p->view;
	char size[UNIT_LEN], *caption, *list = NULL;
	struct page rest = *p;
	size_t bytes, i;

	caption = xasprintf("%llu vCPU%s, %s bytes%s%s",
			    (unsigned long long)point->vcpus,
			    point->vcpus == 1 ? "" : "s",
			    format_size(size, point->bytes),
			    *point->variant ? ", " : "", point->variant);
	page_open_table(p, caption);
	free(caption);
	fprintf(p->out,
		"<thead><tr><th scope=\"col\">metric</th>%s<th scope=\"col\" "
		"class=\"n\">median</th><th scope=\"col\" class=\"n\">95 %% "
		"interval</th><th scope=\"col\" class=\"n\">min</th><th "
		"scope=\"col\" class=\"n\">max</th><th scope=\"col\" "
		"class=\"n\">runs</th><th scope=\"col\" class=\"n\">per "
		"page</th><th scope=\"col\">proof</th></tr></thead>\n<tbody>\n",
		v->nr_sides > 1 ? "<th scope=\"col\">side</th>" : "");
	for (i = 0; i < v->nr_metrics; i++)
		if (strcmp(v->metrics[i].bench, point->bench) == 0)
			print_metric(p, point, &v->metrics[i]);
	page_close_table(p);
	rest.out = open_memstream(&list, &bytes);
	if (!rest.out)
		die("out of memory");
	for (i = 0; i < v->nr_sides; i++)
		print_others(&rest, i, point);
	fclose(rest.out);
	if (bytes)
		fprintf(p->out, "<ul class=\"others\">\n%s</ul>\n", list);
	free(list);
}

void page_print_points(const struct page *p, const char *bench)
{
	size_t i;

	for (i = 0; i < p->view->nr_points; i++)
		if (strcmp(p->view->points[i].bench, bench) == 0)
			print_point(p, &p->view->points[i]);
}
