/* SPDX-License-Identifier: GPL-2.0-only */
/* kvmeter report A [B ...] */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "html_figures.h"
#include "html_page.h"
#include "kvmeter.h"
#include "options.h"
#include "outfile.h"
#include "remedy.h"
#include "util.h"

/* Their names are letters. */
#define SIDES_MAX 26

enum order { ORDER_GIVEN, ORDER_KERNEL, ORDER_TIME };

struct report_config {
	const char *output;
	int order;
	bool no_figures;
	bool help;
};

static const char *const order_names[] = { "given", "kernel", "time", NULL };

static const struct report_config defaults = { .output = "-" };

/* clang-format off */
static const struct option_row rows[] = {
	{ OPT_STRING, 'o', "output", "FILE",
	  offsetof(struct report_config, output),
	  "write the page there, - for standard output",
	  0, 0, NULL, NULL, true },
	{ OPT_CHOICE, 0, "order", "HOW", offsetof(struct report_config, order),
	  "which side comes first: as given, by the kernel's version, or by time",
	  0, 0, order_names, NULL, true },
	{ OPT_FLAG, 0, "no-figures", NULL,
	  offsetof(struct report_config, no_figures),
	  "tables alone, which needs no gnuplot", FLAG_ROW },
	{ OPT_FLAG, 'h', "help", NULL, offsetof(struct report_config, help),
	  "print this", FLAG_ROW },
	{ .type = OPT_END },
};
/* clang-format on */

static const struct option_row *const tables[] = { rows, NULL };
static const struct option_set set = {
	.program = "kvmeter report",
	.summary =
		"Makes one HTML file of results: tables, figures, comparisons.\n"
		"A, B: files written by --json, or directories of them.\n"
		"Exit: 0, or 2 if the input cannot be used, or 4 if there is no gnuplot.",
	.tables = tables,
	.operands = "A [B]...",
};

static bool is_candidate(const char *kernel)
{
	return strncmp(kernel + strcspn(kernel, "-+ "), "-rc", 3) == 0;
}

/* As strverscmp(), but 6.19.0-rc2 comes before 6.19.0. */
static int compare_kernels(const char *a, const char *b)
{
	char *a_numbers = xasprintf("%.*s", (int)strcspn(a, "-+ "), a);
	char *b_numbers = xasprintf("%.*s", (int)strcspn(b, "-+ "), b);
	int order = strverscmp(a_numbers, b_numbers);

	if (order == 0)
		order = is_candidate(b) - is_candidate(a);
	if (order == 0)
		order = strverscmp(a, b);
	free(a_numbers);
	free(b_numbers);
	return order;
}

static bool is_later(enum order order, const struct side *a,
		     const struct side *b)
{
	if (order == ORDER_TIME)
		return strcmp(side_first_start(a), side_first_start(b)) > 0;
	return order == ORDER_KERNEL &&
	       compare_kernels(view_kernel(a), view_kernel(b)) > 0;
}

/* Equal ones stay as they are, which qsort() does not promise. */
static void sort_sides(struct side *sides, size_t nr, enum order order)
{
	size_t i, k;

	for (i = 1; i < nr; i++) {
		struct side one = sides[i];

		for (k = i; k > 0 && is_later(order, &sides[k - 1], &one); k--)
			sides[k] = sides[k - 1];
		sides[k] = one;
	}
}

static void refuse(const struct problems *p)
{
	if (p->nr)
		end(EXIT_USAGE, "%s", p->text);
}

static void read_sides(struct view *v, char **operands, size_t nr,
		       enum order order)
{
	struct problems p = { 0, NULL };
	struct side *sides = xcalloc(nr, sizeof(*sides));
	size_t i;

	for (i = 0; i < nr; i++)
		side_read(&sides[i], operands[i], INPUT_ALL_TAKEN, &p);
	refuse(&p);
	sort_sides(sides, nr, order);
	view_build(v, sides, nr, &p);
	refuse(&p);
}

static void draw_figures(struct page *page, struct figures *f)
{
	const struct view *v = page->view;
	size_t i;

	figures_init(f);
	page->starts = xcalloc(v->nr_metrics + 1, sizeof(*page->starts));
	for (i = 0; i < v->nr_metrics; i++) {
		page->starts[i] = f->nr;
		figures_add_runs(f, v, &v->metrics[i]);
		figures_add_scaling(f, v, &v->metrics[i]);
		figures_add_trend(f, v, &v->metrics[i]);
		figures_add_latencies(f, v, &v->metrics[i]);
	}
	page->starts[i] = f->nr;
	figures_draw(f);
	page->figures = f;
}

static void write_page(const char *path, const char *text, size_t bytes)
{
	struct outfile f;
	int error;

	if (strcmp(path, "-") == 0) {
		error = flush_stream(stdout);
		if (!error)
			error = write_all(STDOUT_FILENO, text, bytes);
		if (error)
			die("standard output: %s", errno_text(error));
		return;
	}
	error = outfile_open(&f, path);
	if (!error) {
		fwrite(text, 1, bytes, f.out);
		error = outfile_close(&f);
	}
	if (error)
		die("--output %s: %s%s", path, outfile_error(error),
		    file_remedy(error));
}

int command_report(int argc, char **argv)
{
	struct report_config config = defaults;
	/* lives as long as the process, as leak checkers see */
	static struct view view;
	static struct figures figures;
	struct page page = { .view = &view };
	char *text;
	size_t bytes;
	int first = options_parse(&set, &config, argc, argv);

	if (config.help) {
		options_help(&set, &defaults, stdout);
		return EXIT_PASS;
	}
	if (first == argc)
		usage_error("no file or directory");
	if (argc - first > SIDES_MAX)
		usage_error("more than %d files or directories", SIDES_MAX);
	read_sides(&view, argv + first, argc - first, config.order);
	if (!config.no_figures)
		draw_figures(&page, &figures);
	page.out = open_memstream(&text, &bytes);
	if (!page.out)
		die("out of memory");
	page_print(&page);
	if (fclose(page.out))
		die("out of memory");
	write_page(config.output, text, bytes);
	free(text);
	free(page.starts);
	return EXIT_PASS;
}
