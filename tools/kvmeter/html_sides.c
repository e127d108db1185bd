/* SPDX-License-Identifier: GPL-2.0-only */
/* Which side is what, and what to know before believing a figure. */
#include <stdlib.h>
#include <string.h>
#include "html_page.h"
#include "html_text.h"
#include "util.h"

/* A member of the first file's host. */
static const char *host_fact(const struct side *s, const char *key)
{
	return view_string(json_object_get(s->files[0]->root, "host"), key,
			   "unknown");
}

static const char *module_of(const struct side *s)
{
	const json_t *host = json_object_get(s->files[0]->root, "host");

	return view_string(json_object_get(host, "kvm"), "module", "unknown");
}

static void print_runs(const struct page *p, const struct side *s)
{
	size_t least = SIZE_MAX, most = 0, boots = side_boots(s), i;

	for (i = 0; i < s->nr_series; i++) {
		least = min_u64(least, s->series[i].nr);
		most = max_u64(most, s->series[i].nr);
	}
	if (!s->nr_series)
		html_format(p->out, "none");
	else if (least == most)
		html_format(p->out, "%zu", most);
	else
		html_format(p->out, "%zu to %zu", least, most);
	html_format(p->out, ", %zu boot%s", boots, boots == 1 ? "" : "s");
}

static void print_counts(const struct page *p, const struct page_checks *c)
{
	if (c->ok + c->failed + c->unverified == 0)
		return;
	html_format(p->out, ": %zu checks ok", c->ok);
	if (c->failed) {
		fputs(", <b class=\"bad\">", p->out);
		html_format(p->out, "%zu not ok", c->failed);
		fputs("</b>", p->out);
	}
	if (c->unverified) {
		fputs(", <b class=\"open\">", p->out);
		html_format(p->out, "%zu not verified", c->unverified);
		fputs("</b>", p->out);
	}
}

static bool has_passed(const struct results *r)
{
	return strcmp(view_string(r->root, "verdict", ""), "pass") == 0 &&
	       !page_count_checks(r).failed;
}

static void print_verdict(const struct page *p, const struct results *r,
			  bool named)
{
	const char *reason = view_string(r->root, "reason", NULL);
	struct page_checks checks = page_count_checks(r);

	fputs("<li>", p->out);
	if (strcmp(view_string(r->root, "verdict", ""), "skip") == 0)
		html_element(p->out, "b class=\"open\"", "skipped");
	else
		html_element(p->out, "b class=\"bad\"", "failed");
	print_counts(p, &checks);
	if (reason)
		html_format(p->out, ": %s", reason);
	if (named)
		html_format(p->out, " (%s)", r->path);
	fputs("</li>\n", p->out);
}

/* Those that have passed in one line, the others each. */
static void print_verdicts(const struct page *p, const struct side *s)
{
	struct page_checks all = { 0, 0, 0 };
	size_t passed = 0, i;

	for (i = 0; i < s->nr_files; i++) {
		struct page_checks one = page_count_checks(s->files[i]);

		if (!has_passed(s->files[i])) {
			print_verdict(p, s->files[i], s->nr_files > 1);
			continue;
		}
		passed++;
		all.ok += one.ok;
		all.unverified += one.unverified;
	}
	for (i = 0; s->left_out && s->left_out[i]; i++)
		html_element(p->out, "li", s->left_out[i]);
	if (!passed)
		return;
	fputs("<li>", p->out);
	html_element(p->out, "b class=\"good\"", "pass");
	print_counts(p, &all);
	if (s->nr_files > 1)
		html_format(p->out, " in %zu files", passed);
	fputs("</li>\n", p->out);
}

static void print_side(const struct page *p, size_t index)
{
	const struct side *s = &p->view->sides[index];

	fprintf(p->out, "<tr><th scope=\"row\">%c</th>\n", (char)('A' + index));
	html_element(p->out, "td class=\"m\"", s->operand);
	html_element(p->out, "td class=\"m\"", view_kernel(s));
	html_element(p->out, "td", module_of(s));
	html_element(p->out, "td class=\"m\"", host_fact(s, "cpu"));
	html_element(p->out, "td class=\"nowrap\"", s->files[0]->started);
	fputs("<td class=\"nowrap\">", p->out);
	print_runs(p, s);
	fputs("</td>\n<td class=\"w\"><ul>\n", p->out);
	print_verdicts(p, s);
	fputs("</ul></td></tr>\n", p->out);
}

static void print_checks(const struct page *p)
{
	struct page_checks all = { 0, 0, 0 };
	size_t i, k;

	for (i = 0; i < p->view->nr_sides; i++) {
		for (k = 0; k < p->view->sides[i].nr_files; k++) {
			struct page_checks one =
				page_count_checks(p->view->sides[i].files[k]);

			all.ok += one.ok;
			all.failed += one.failed;
			all.unverified += one.unverified;
		}
	}
	fprintf(p->out, "<div class=\"note %s\"><p>",
		all.failed		  ? "isbad" :
		all.unverified || !all.ok ? "isopen" :
					    "isgood");
	if (all.failed || all.unverified)
		html_format(p->out,
			    "Of %zu checks %zu failed and %zu could not be "
			    "verified: see the proofs below.",
			    all.ok + all.failed + all.unverified, all.failed,
			    all.unverified);
	else if (all.ok)
		html_format(p->out,
			    "All %zu checks hold: every phase did what its "
			    "name says.",
			    all.ok);
	else
		html_format(p->out, "There are no checks: nobody can tell "
				    "whether the phases did what they should.");
	fputs("</p></div>\n", p->out);
}

static const struct difference *find_difference(const struct pair *pair,
						const char *what)
{
	size_t i;

	for (i = 0; i < pair->differences.nr; i++)
		if (strcmp(pair->differences.list[i].what, what) == 0)
			return &pair->differences.list[i];
	return NULL;
}

/* Each side's value; where a pair does not differ, it is that of A. */
static void print_difference(const struct page *p, const struct difference *d)
{
	const struct report *r = &p->view->first;
	size_t i;

	fputs("<tr>", p->out);
	html_element(p->out, "th scope=\"row\"", d->what);
	html_element(p->out, "td class=\"m\"", d->before);
	for (i = 0; i < r->nr_pairs; i++) {
		const struct difference *here =
			find_difference(&r->pairs[i], d->what);

		html_element(p->out, "td class=\"m\"",
			     here ? here->after : d->before);
	}
	fputs("</tr>\n", p->out);
}

/* Of no pair before @pair. */
static bool is_new(const struct report *r, size_t pair, const char *what)
{
	size_t i;

	for (i = 0; i < pair; i++)
		if (find_difference(&r->pairs[i], what))
			return false;
	return true;
}

static void print_differences(const struct page *p)
{
	const struct report *r = &p->view->first;
	size_t i, k;

	page_open_table(p, "How the sides differ, besides their kernels");
	page_print_letters(p);
	for (i = 0; i < r->nr_pairs; i++) {
		for (k = 0; k < r->pairs[i].differences.nr; k++) {
			const struct difference *d =
				&r->pairs[i].differences.list[k];

			if (is_new(r, i, d->what))
				print_difference(p, d);
		}
	}
	page_close_table(p);
}

static void print_doubts(const struct page *p)
{
	const struct report *r = &p->view->first;
	size_t differences = 0, i;

	for (i = 0; i < r->nr_pairs; i++)
		differences += r->pairs[i].differences.nr;
	if (differences)
		print_differences(p);
	if (!r->nr_warnings)
		return;
	fputs("<div class=\"note isopen\"><p>What to know before:</p>\n<ul>\n",
	      p->out);
	for (i = 0; i < r->nr_warnings; i++)
		html_element(p->out, "li", r->warnings[i]);
	fputs("</ul></div>\n", p->out);
}

void page_print_sides(const struct page *p)
{
	size_t i;

	fputs("<section><h2 id=\"measured\">What was measured</h2>\n", p->out);
	print_checks(p);
	page_open_table(p, "Results");
	fputs("<thead><tr><th scope=\"col\">side</th><th scope=\"col\">file or "
	      "directory</th><th scope=\"col\">kernel</th><th "
	      "scope=\"col\">KVM</th><th scope=\"col\">CPU</th><th "
	      "scope=\"col\">started</th><th scope=\"col\">runs</th><th "
	      "scope=\"col\">verdict</th></tr></thead>\n<tbody>\n",
	      p->out);
	for (i = 0; i < p->view->nr_sides; i++)
		print_side(p, i);
	page_close_table(p);
	print_doubts(p);
	fputs("</section>\n", p->out);
}
