/* SPDX-License-Identifier: GPL-2.0-only */
/* The page of kvmeter report: one HTML file that needs nothing else. */
#ifndef KVMETER_HTML_PAGE_H
#define KVMETER_HTML_PAGE_H

#include "html_plot.h"
#include "html_view.h"

/* How a page tells that something failed, and how much of it. */
struct page_checks {
	size_t ok, failed, unverified;
};

struct page {
	const struct view *view;
	/*
	 * Of each metric of the view, drawn; NULL: none were asked for. The
	 * figures of metric i are those from starts[i] to below starts[i + 1].
	 */
	const struct figures *figures;
	size_t *starts;
	FILE *out;
};

void page_print(const struct page *p);

/* ---- its parts ---- */

extern const char page_style[];

/* Which side is what, in how far they differ, warnings. */
void page_print_sides(const struct page *p);
/* All options and facts of hosts, for the end of the page. */
void page_print_facts(const struct page *p);
/* Metrics and checks at every point of benchmark @bench. */
void page_print_points(const struct page *p, const char *bench);
/* The comparison of each side with the first. */
void page_print_comparison(const struct page *p);
/* Figures of metric @index of the view. */
void page_print_figures(const struct page *p, size_t index);

/* A check of the metric is not ok, of any side at any point. */
bool page_has_failed(const struct page *p, const struct view_metric *m);

/* Of all points of one file. */
struct page_checks page_count_checks(const struct results *r);

/* Around a table, so that it scrolls by itself where it is too wide. */
void page_open_table(const struct page *p, const char *caption);
void page_close_table(const struct page *p);
/* Its heading, where each side has a column; the first one is for names. */
void page_print_letters(const struct page *p);

#endif
