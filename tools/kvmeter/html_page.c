/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdlib.h>
#include <string.h>
#include "html_page.h"
#include "html_text.h"
#include "units.h"
#include "util.h"
#include "version.h"

/* Benchmarks that a title names. */
#define TITLE_MAX 2

struct page_checks page_count_checks(const struct results *r)
{
	struct page_checks all = { 0, 0, 0 };
	const json_t *point, *check;
	size_t i, k;

	json_array_foreach(json_object_get(r->root, "points"), i, point)
	{
		json_array_foreach(json_object_get(point, "checks"), k, check)
		{
			const char *result = view_string(check, "result", "");

			if (strcmp(result, "ok") == 0)
				all.ok++;
			else if (strcmp(result, "not ok") == 0)
				all.failed++;
			else
				all.unverified++;
		}
	}
	return all;
}

void page_open_table(const struct page *p, const char *caption)
{
	fputs("<div class=\"table\" role=\"region\" tabindex=\"0\" "
	      "aria-label=\"",
	      p->out);
	html_text(p->out, caption);
	fputs("\"><table>\n", p->out);
	html_element(p->out, "caption", caption);
}

void page_close_table(const struct page *p)
{
	fputs("</tbody></table></div>\n", p->out);
}

/* Their names, unless these are many. */
static void print_title(const struct page *p)
{
	size_t i;

	if (p->view->nr_benches > TITLE_MAX)
		html_format(p->out, "%zu experiments", p->view->nr_benches);
	for (i = 0; p->view->nr_benches <= TITLE_MAX && i < p->view->nr_benches;
	     i++)
		html_format(p->out, "%s%s", i ? ", " : "", p->view->benches[i]);
}

static void print_head(const struct page *p)
{
	fputs("<!DOCTYPE html>\n"
	      "<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n"
	      "<head>\n<meta charset=\"utf-8\"/>\n"
	      /* nothing is fetched, run, or sent, whatever the page holds */
	      "<meta http-equiv=\"Content-Security-Policy\" "
	      "content=\"default-src 'none'; style-src 'unsafe-inline'; "
	      "base-uri 'none'; form-action 'none'\"/>\n"
	      "<meta name=\"viewport\" "
	      "content=\"width=device-width, initial-scale=1\"/>\n"
	      "<meta name=\"generator\" content=\"kvmeter " KVMETER_VERSION
	      "\"/>\n<meta name=\"referrer\" content=\"no-referrer\"/>\n"
	      "<title>",
	      p->out);
	print_title(p);
	fprintf(p->out, "</title>\n<style>\n%s</style>\n</head>\n<body>\n",
		page_style);
}

/* The question that a benchmark answers is not in the files: the tool's own
 * words say what a reader sees. */
static void print_header(const struct page *p)
{
	const struct view *v = p->view;
	size_t i;

	fputs("<header>\n<h1>", p->out);
	print_title(p);
	fputs("</h1>\n<p class=\"lead\">", p->out);
	for (i = 0; i < v->nr_sides && i < 4; i++)
		html_format(p->out, "%sLinux %s", i ? ", " : "",
			    view_kernel(&v->sides[i]));
	if (i < v->nr_sides)
		html_format(p->out, " and %zu more", v->nr_sides - i);
	fputs("</p>\n</header>\n", p->out);
}

static void print_navigation(const struct page *p)
{
	const struct view *v = p->view;
	size_t i;

	fputs("<nav aria-label=\"Contents\"><ul>\n"
	      "<li><a href=\"#measured\">What was measured</a></li>\n",
	      p->out);
	if (v->first.nr_comparisons)
		fputs("<li><a href=\"#compared\">Comparison</a></li>\n",
		      p->out);
	for (i = 0; i < v->nr_benches; i++) {
		fprintf(p->out, "<li><a href=\"#bench%zu\">", i + 1);
		html_text(p->out, v->benches[i]);
		fputs("</a></li>\n", p->out);
	}
	fputs("<li><a href=\"#facts\">Options and hosts</a></li>\n"
	      "<li><a href=\"#reading\">How to read it</a></li>\n</ul></nav>\n",
	      p->out);
}

static bool is_of(const struct view_metric *m, const char *bench)
{
	return strcmp(m->bench, bench) == 0;
}

/* Links to the figures of a benchmark. */
static void print_metrics(const struct page *p, const char *bench)
{
	const struct view *v = p->view;
	size_t i;

	fputs("<nav aria-label=\"Figures of ", p->out);
	html_text(p->out, bench);
	fputs("\"><ul>\n", p->out);
	for (i = 0; i < v->nr_metrics; i++) {
		if (!is_of(&v->metrics[i], bench))
			continue;
		fprintf(p->out, "<li><a href=\"#metric%zu\">", i + 1);
		html_text(p->out, v->metrics[i].name);
		fputs("</a></li>\n", p->out);
	}
	fputs("</ul></nav>\n", p->out);
}

static bool has_metrics(const struct view *v, const char *bench)
{
	size_t i;

	for (i = 0; i < v->nr_metrics; i++)
		if (is_of(&v->metrics[i], bench))
			return true;
	return false;
}

static void print_bench(const struct page *p, size_t bench)
{
	const struct view *v = p->view;
	size_t i;

	fprintf(p->out, "<section class=\"bench\"><h2 id=\"bench%zu\">",
		bench + 1);
	html_text(p->out, v->benches[bench]);
	fputs("</h2>\n", p->out);
	if (!has_metrics(v, v->benches[bench])) {
		fputs("<p>Nothing was measured.</p></section>\n", p->out);
		return;
	}
	if (p->figures)
		print_metrics(p, v->benches[bench]);
	page_print_points(p, v->benches[bench]);
	fputs("<div class=\"figures metrics\">\n", p->out);
	for (i = 0; p->figures && i < v->nr_metrics; i++)
		if (is_of(&v->metrics[i], v->benches[bench]))
			page_print_figures(p, i);
	fputs("</div></section>\n", p->out);
}

static void print_reading(const struct page *p)
{
	char *method;

	fputs("<section><h2 id=\"reading\">How to read it</h2>\n<ul>\n"
	      "<li>One run is a fresh VM. It counts by the median of its "
	      "samples; the median is that of the runs. Minimum and maximum "
	      "are of all samples.</li>\n"
	      "<li>The 95 % interval of the median is bounded by two of the "
	      "runs, chosen by rank. Fewer than six runs have none.</li>\n"
	      "<li>A check is the proof that a phase did what its name says. "
	      "Where one is <b class=\"bad\">not ok</b> the time means "
	      "nothing; where it is <b class=\"open\">not verified</b> this "
	      "host could not tell.</li>\n",
	      p->out);
	if (p->figures)
		fputs("<li>In figures of runs each dot is one, from the first "
		      "at the top of its row to the last; hollow dots lie too "
		      "far off to be from the bulk, and are kept. The bar is "
		      "the interval, the tick the median.</li>\n",
		      p->out);
	if (p->view->first.nr_comparisons) {
		method = report_method(&p->view->first);
		fputs("<li>", p->out);
		html_text(p->out, method);
		fputs("</li>\n", p->out);
		free(method);
	}
	fputs("</ul></section>\n", p->out);
}

void page_print(const struct page *p)
{
	size_t i;

	print_head(p);
	if (p->figures)
		svg_print_symbols(p->out);
	print_header(p);
	fputs("<main>\n", p->out);
	print_navigation(p);
	page_print_sides(p);
	page_print_comparison(p);
	for (i = 0; i < p->view->nr_benches; i++)
		print_bench(p, i);
	page_print_facts(p);
	print_reading(p);
	fputs("</main>\n<footer>Made by kvmeter " KVMETER_VERSION
	      ".</footer>\n</body>\n</html>\n",
	      p->out);
}
