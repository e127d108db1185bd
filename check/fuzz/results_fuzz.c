/* SPDX-License-Identifier: GPL-2.0-only */
/* Results files, as kvmeter compare and kvmeter report read them. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "../../tools/kvmeter/compare.h"
#include "../../tools/kvmeter/html_figures.h"
#include "../../tools/kvmeter/html_page.h"
#include "fuzz.h"
#include "util.h"

/* As in the commands, what lives until the end is where leak checkers look. */
static struct report report;
static struct view view;
static struct figures figures;
static struct page page;
static struct problems problems;
static struct side *sides;
static size_t nr_sides;

static bool has_problems(void)
{
	if (!problems.nr)
		return false;
	if (!problems.text || !*problems.text)
		fuzz_fault("a problem that is not told");
	return true;
}

/* A file alone is compared with itself. */
static void read_sides(size_t nr, enum input_failed failed)
{
	size_t i;

	problems = (struct problems){ 0, NULL };
	nr_sides = max_u64(nr, 2);
	sides = xcalloc(nr_sides, sizeof(*sides));
	for (i = 0; i < nr_sides; i++)
		side_read(&sides[i], fuzz_target.files[nr == 1 ? 0 : i], failed,
			  &problems);
}

static void
print_as(void (*print)(const struct report *r, FILE *out), const char *what,
	 void (*judge)(const char *what, const char *text, size_t bytes))
{
	const char *text;
	size_t bytes;

	print(&report, fuzz_stream_open());
	text = fuzz_stream_end(&bytes);
	judge(what, text, bytes);
	free((char *)text);
}

static void judge_json(const char *what, const char *text, size_t bytes)
{
	json_error_t error;
	json_t *root = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, &error);

	if (!root)
		fuzz_fault("%s: %s", what, error.text);
	json_decref(root);
}

static void compare(size_t nr)
{
	read_sides(nr, INPUT_FAILED_TAKEN);
	if (has_problems())
		return;
	report = (struct report){
		.rule = { .alpha = JUDGE_ALPHA, .threshold = JUDGE_THRESHOLD },
		.nr_sides = nr_sides,
		.sides = sides,
	};
	report_build(&report, NULL, &problems);
	if (has_problems())
		return;
	print_as(report_text, "compare -f text", judge_plain);
	print_as(report_markdown, "compare -f markdown", judge_plain);
	print_as(report_json, "compare -f json", judge_json);
	print_as(report_junit, "compare -f junit", judge_markup);
}

/* What gnuplot would run is plain, and holds no way to run something else. */
static void judge_script(const char *text, size_t bytes)
{
	static const char *const active[] = { "system", "shell", "load",
					      "call",	"eval",	 "!" };
	size_t i;

	judge_plain("a gnuplot script", text, bytes);
	if (memchr(text, '`', bytes))
		fuzz_fault("a gnuplot script: a ` in it");
	for (; text; text = strchr(text, '\n')) {
		text += *text == '\n';
		for (i = 0; i < ARRAY_SIZE(active); i++)
			if (!strncmp(text, active[i], strlen(active[i])))
				fuzz_fault("a gnuplot script: %.60s", text);
	}
}

/* All but that gnuplot draws them. */
static void add_figures(void)
{
	size_t i;

	figures_init(&figures);
	page.starts = xcalloc(view.nr_metrics + 1, sizeof(*page.starts));
	for (i = 0; i < view.nr_metrics; i++) {
		page.starts[i] = figures.nr;
		figures_add_runs(&figures, &view, &view.metrics[i]);
		figures_add_scaling(&figures, &view, &view.metrics[i]);
		figures_add_trend(&figures, &view, &view.metrics[i]);
		figures_add_latencies(&figures, &view, &view.metrics[i]);
	}
	page.starts[i] = figures.nr;
	if (fclose(figures.script))
		fuzz_fault("a stream into memory");
	judge_script(figures.text, figures.bytes);
	for (i = 0; i < figures.nr; i++)
		figures.list[i].svg = "<svg></svg>";
	page.figures = &figures;
}

static void make_page(size_t nr)
{
	const char *text;
	size_t bytes;

	read_sides(nr, INPUT_ALL_TAKEN);
	/* the page of one file is another one */
	nr_sides = nr;
	if (has_problems())
		return;
	view_build(&view, sides, nr_sides, &problems);
	if (has_problems())
		return;
	page = (struct page){ .view = &view };
	add_figures();
	page.out = fuzz_stream_open();
	page_print(&page);
	text = fuzz_stream_end(&bytes);
	judge_markup("the page", text, bytes);
	free((char *)text);
}

const struct fuzz_target fuzz_target = {
	.files = { "a.json", "b.json", "c.json", "d.json", NULL },
	.runs = { compare, make_page, NULL },
};
