/* SPDX-License-Identifier: GPL-2.0-only */
/* Comparisons as tables, and the figures of a metric. */
#include <stdlib.h>
#include <string.h>
#include "html_page.h"
#include "html_text.h"
#include "units.h"
#include "util.h"

static const char *class_of(enum judgement j)
{
	return j == SLOWER ? "b class=\"bad\"" :
	       j == FASTER ? "b class=\"good\"" :
			     "span";
}

/* With the benchmark, where there are several. */
static char *point_of(const struct view *v, const struct series *s)
{
	struct view_point point = { s->bench, s->vcpus, s->bytes, s->variant };
	char *label = view_point_label(v, &point), *text;

	if (v->nr_benches == 1)
		return label;
	text = xasprintf("%s: %s", s->bench, label);
	free(label);
	return text;
}

static void print_row(const struct page *p, const struct report *r,
		      const struct series *s, const struct comparison *c)
{
	char before[UNIT_LEN], after[UNIT_LEN], change[UNIT_LEN],
		interval[UNIT_LEN];
	char *point = point_of(p->view, s), *reason = report_reason(r, c);

	fputs("<tr>", p->out);
	html_element(p->out, "th scope=\"row\" class=\"nowrap\"", point);
	html_element(p->out, "th scope=\"row\"", s->metric);
	html_element(p->out, "td class=\"n\"",
		     report_value(before, s->unit, c->median_before));
	html_element(p->out, "td class=\"n\"",
		     report_value(after, s->unit, c->median_after));
	html_element(p->out, "td class=\"n\"",
		     report_change(change, c->change));
	html_element(p->out, "td class=\"n\"", report_interval(interval, c));
	fputs("<td class=\"w\">", p->out);
	html_element(p->out, class_of(c->judgement),
		     judgement_name(c->judgement));
	if (reason)
		html_format(p->out, ": %s", reason);
	fputs("</td></tr>\n", p->out);
	free(reason);
	free(point);
}

static size_t count(const struct pair *pair, enum judgement j)
{
	size_t found = 0, i;

	for (i = 0; i < pair->nr; i++)
		found += pair->comparisons[i].judgement == j;
	return found;
}

static void print_pair(const struct page *p, const struct report *r,
		       const struct pair *pair)
{
	char *caption = xasprintf(
		"%c (%s) to %c (%s): %zu slower, %zu faster, %zu the same, %zu "
		"can't tell, %zu not judged",
		pair->name_before, view_kernel(pair->before), pair->name_after,
		view_kernel(pair->after), count(pair, SLOWER),
		count(pair, FASTER), count(pair, SAME),
		count(pair, CANNOT_TELL), count(pair, NOT_JUDGED));
	size_t i;

	page_open_table(p, caption);
	fprintf(p->out,
		"<thead><tr><th scope=\"col\">point</th><th "
		"scope=\"col\">metric</th><th scope=\"col\" "
		"class=\"n\">%c</th><th scope=\"col\" class=\"n\">%c</th><th "
		"scope=\"col\" class=\"n\">change</th><th scope=\"col\" "
		"class=\"n\">95 %% interval</th><th "
		"scope=\"col\">verdict</th></tr></thead>\n<tbody>\n",
		pair->name_before, pair->name_after);
	for (i = 0; i < pair->nr; i++)
		print_row(p, r, pair->series[i], &pair->comparisons[i]);
	page_close_table(p);
	free(caption);
}

void page_print_comparison(const struct page *p)
{
	const struct report *r = &p->view->first;
	size_t i;

	if (!r->nr_comparisons)
		return;
	fputs("<section><h2 id=\"compared\">Comparison</h2>\n", p->out);
	for (i = 0; i < r->nr_pairs; i++)
		if (r->pairs[i].nr)
			print_pair(p, r, &r->pairs[i]);
	fputs("</section>\n", p->out);
}

/* ---- figures ---- */

static void print_key(const struct page *p, const struct figure_key *key)
{
	fputs("<li><svg viewBox=\"-12 -6 24 12\" aria-hidden=\"true\">",
	      p->out);
	if (key->series)
		fprintf(p->out,
			"<g color=\"var(--c%d)\"><path d=\"M-12 0H12\" "
			"stroke=\"currentColor\" stroke-width=\"1.8\"/><use "
			"href=\"#p%d\" transform=\"scale(4)\"/></g>",
			key->series, plot_symbol(key->series) + SVG_FILLED);
	else if (key->line == KEY_IDEAL)
		fputs("<path d=\"M-12 0H12\" stroke=\"var(--ink)\" "
		      "stroke-width=\"1.2\" stroke-dasharray=\"6 4\"/>",
		      p->out);
	else
		fputs("<path d=\"M0-6V6\" stroke=\"var(--faint)\" "
		      "stroke-width=\"1.5\" stroke-dasharray=\"1 3\"/>",
		      p->out);
	fputs("</svg>", p->out);
	html_text(p->out, key->label);
	fputs("</li>\n", p->out);
}

static void print_figure(const struct page *p, const struct figure *f,
			 const char *metric)
{
	size_t i;

	fputs("<figure>", p->out);
	html_element(p->out, "h4", f->kind);
	fprintf(p->out,
		"<svg class=\"plot\" viewBox=\"0 0 %u %u\" role=\"img\" "
		"aria-label=\"",
		f->width, f->height);
	html_format(p->out, "%s of %s. %s", f->kind, metric, f->finding);
	fprintf(p->out, "\">\n%s</svg>\n<figcaption>", f->svg);
	if (f->nr_keys)
		fputs("<ul class=\"keys\">\n", p->out);
	for (i = 0; i < f->nr_keys; i++)
		print_key(p, &f->keys[i]);
	if (f->nr_keys)
		fputs("</ul>\n", p->out);
	html_element(p->out, "p", f->finding);
	if (f->remark)
		html_element(p->out, "p class=\"how\"", f->remark);
	fputs("</figcaption></figure>\n", p->out);
}

void page_print_figures(const struct page *p, size_t index)
{
	const struct view_metric *m = &p->view->metrics[index];
	size_t i;

	/* one figure alone shares a row with those of other metrics */
	fprintf(p->out, "<section class=\"metric%s\"><h3 id=\"metric%zu\">",
		p->starts[index + 1] - p->starts[index] > 1 ? " wide" : "",
		index + 1);
	html_text(p->out, m->name);
	fprintf(p->out, "</h3>\n<p class=\"lead\">");
	html_format(p->out, "%s, %s is better",
		    strcmp(m->unit, "ns") == 0 ? "time" : m->unit,
		    m->better == BETTER_NEITHER ? "neither less nor more" :
		    m->better == BETTER_HIGHER	? "more" :
						  "less");
	fputs("</p>\n", p->out);
	if (page_has_failed(p, m))
		fputs("<div class=\"note isbad\"><p>A check of it failed: see "
		      "the proofs above.</p></div>\n",
		      p->out);
	fputs("<div class=\"figures\">\n", p->out);
	for (i = p->starts[index]; i < p->starts[index + 1]; i++)
		print_figure(p, &p->figures->list[i], m->name);
	fputs("</div></section>\n", p->out);
}
