/* SPDX-License-Identifier: GPL-2.0-only */
/* kvmeter list [BENCHMARK]... */
#include <stdlib.h>
#include <string.h>
#include "child.h"
#include "escape.h"
#include "foreign.h"
#include "kvmeter.h"
#include "options.h"
#include "programs.h"
#include "util.h"

struct list_config {
	int format;
	const char *tests;
	bool help;
};

/* What is listed: all, or those that were named, in that order. */
struct listed {
	size_t nr;
	const struct program **list;
};

static void put(const char *text, int width)
{
	char *clean;
	size_t size;
	FILE *out = open_memstream(&clean, &size);

	if (!out)
		die("out of memory");
	escape_line(text, out);
	if (fclose(out))
		die("out of memory");
	printf("%-*s", width, clean);
	free(clean);
}

static const char *text_of(const json_t *object, const char *member)
{
	const char *text = json_string_value(json_object_get(object, member));

	return text ? text : "-";
}

static const struct column {
	const char *member, *title;
} columns[] = {
	{ "name", "metric" },
	{ "unit", "unit" },
	{ "better", "better" },
	{ "help", "what it is" },
};

/* Of each column, for all that is listed. */
struct widths {
	size_t v[ARRAY_SIZE(columns)];
};

static void widen(struct widths *w, const json_t *metrics)
{
	const json_t *metric;
	size_t i, c;

	json_array_foreach(metrics, i, metric)
	{
		for (c = 0; c < ARRAY_SIZE(columns); c++)
			w->v[c] = max_u64(
				w->v[c],
				strlen(text_of(metric, columns[c].member)));
	}
}

/* The last one is as long as it is. */
static void print_cell(const struct widths *w, size_t c, const char *text)
{
	bool last = c + 1 == ARRAY_SIZE(columns);

	fputs("  ", stdout);
	put(text, last ? 0 : (int)w->v[c]);
	if (last)
		putchar('\n');
}

static void print_metrics(const struct program *p, const struct widths *w)
{
	const json_t *metric;
	size_t i, c;

	for (c = 0; c < ARRAY_SIZE(columns); c++)
		print_cell(w, c, columns[c].title);
	json_array_foreach(json_object_get(p->description, "metrics"), i,
			   metric)
	{
		for (c = 0; c < ARRAY_SIZE(columns); c++)
			print_cell(w, c, text_of(metric, columns[c].member));
	}
}

static void list_text(const struct listed *l)
{
	struct widths w;

	for (size_t c = 0; c < ARRAY_SIZE(columns); c++)
		w.v[c] = strlen(columns[c].title);
	for (size_t i = 0; i < l->nr; i++)
		widen(&w, json_object_get(l->list[i]->description, "metrics"));
	for (size_t i = 0; i < l->nr; i++) {
		const struct program *p = l->list[i];

		printf("%s%s\n  ", i ? "\n" : "", p->name);
		put(program_text(p, "question"), 0);
		fputs("\n\n", stdout);
		print_metrics(p, &w);
	}
}

static void list_json(const struct listed *l)
{
	json_t *array = json_array(), *root;

	for (size_t i = 0; i < l->nr; i++) {
		const struct program *p = l->list[i];

		json_array_append_new(array,
				      json_pack("{s:o, s:o, s:O}", "name",
						foreign_text(p->name), "path",
						foreign_text(p->path),
						"description", p->description));
	}
	root = json_pack("{s:s, s:o}", "schema", "kvmeter-list/1", "benchmarks",
			 array);
	if (!root)
		die("the list cannot be written as JSON");
	json_dumpf(root, stdout, JSON_INDENT(2));
	putchar('\n');
	json_decref(root);
}

static const char *const format_names[] = { "text", "json", NULL };
static void (*const formats[])(const struct listed *l) = { list_text,
							   list_json };

static const struct list_config defaults;

/* clang-format off */
static const struct option_row rows[] = {
	{ OPT_CHOICE, 'f', "format", "FORMAT",
	  offsetof(struct list_config, format),
	  "how to print it", 0, 0, format_names, NULL, true },
	{ OPT_STRING, 0, "tests", "DIR", offsetof(struct list_config, tests),
	  "where the benchmarks are, else KVMETER_TESTS or as installed or built",
	  0, 0, NULL, NULL, true },
	{ OPT_FLAG, 'h', "help", NULL, offsetof(struct list_config, help),
	  "print this", FLAG_ROW },
	{ .type = OPT_END },
};
/* clang-format on */

static const struct option_row *const tables[] = { rows, NULL };
static const struct option_set set = {
	.program = "kvmeter list",
	.summary = "Names the benchmarks, the question that each answers, and "
		   "what it measures.",
	.tables = tables,
	.operands = "[BENCHMARK]...",
};

int command_list(int argc, char **argv)
{
	struct list_config config = defaults;
	static struct programs programs; /* for leak checkers, as compare.c */
	struct listed l = { 0, NULL };
	int first = options_parse(&set, &config, argc, argv);

	if (config.help) {
		options_help(&set, &defaults, stdout);
		return EXIT_PASS;
	}
	programs_find(&programs, config.tests);
	child_fini();
	l.nr = first < argc ? (size_t)(argc - first) : programs.nr;
	l.list = xcalloc(l.nr, sizeof(*l.list));
	for (size_t i = 0; i < l.nr; i++)
		l.list[i] = first < argc ? program_by_name(&programs,
							   argv[first + i]) :
					   &programs.list[i];
	formats[config.format](&l);
	free(l.list);
	return EXIT_PASS;
}
