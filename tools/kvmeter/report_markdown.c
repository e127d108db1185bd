/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdlib.h>
#include <string.h>
#include "compare.h"
#include "escape.h"
#include "units.h"
#include "util.h"

static void print_item(const char *text, FILE *out)
{
	fputs("- ", out);
	escape_markdown(text, out);
	fputc('\n', out);
}

static void print_head(const struct report *r, FILE *out)
{
	size_t i, k;
	char *text;

	for (i = 0; i < r->nr_sides; i++) {
		text = xasprintf("%c: %s", (char)('A' + i),
				 r->sides[i].operand);
		print_item(text, out);
		free(text);
	}
	for (i = 0; i < r->nr_pairs; i++) {
		for (k = 0; k < r->pairs[i].differences.nr; k++) {
			const struct difference *d =
				&r->pairs[i].differences.list[k];

			text = xasprintf("differs: %s: %s in %c, %s in %c",
					 d->what, d->before,
					 r->pairs[i].name_before, d->after,
					 r->pairs[i].name_after);
			print_item(text, out);
			free(text);
		}
	}
	for (i = 0; i < r->nr_warnings; i++) {
		text = xasprintf("warning: %s", r->warnings[i]);
		print_item(text, out);
		free(text);
	}
}

static void print_row(const struct report *r, const struct series *s,
		      const struct comparison *c, FILE *out)
{
	char before[UNIT_LEN], after[UNIT_LEN], change[UNIT_LEN],
		interval[UNIT_LEN];
	char *reason = report_reason(r, c), *point = report_point(s);

	fputs("| ", out);
	escape_markdown(point, out);
	fputs(" | ", out);
	escape_markdown(s->metric, out);
	/* the unit is the file's */
	fputs(" | ", out);
	escape_markdown(report_value(before, s->unit, c->median_before), out);
	fputs(" | ", out);
	escape_markdown(report_value(after, s->unit, c->median_after), out);
	fprintf(out, " | %s | %s | %s%s", report_change(change, c->change),
		report_interval(interval, c), judgement_name(c->judgement),
		reason ? ": " : "");
	escape_markdown(reason ? reason : "", out);
	fputs(" |\n", out);
	free(reason);
	free(point);
}

void report_markdown(const struct report *r, FILE *out)
{
	char *method = report_method(r);
	size_t i, k;

	print_head(r, out);
	for (i = 0; i < r->nr_pairs; i++) {
		const struct pair *pair = &r->pairs[i];

		fprintf(out,
			"\n| point | metric | %c | %c | change | 95 %% interval | verdict |\n| --- | --- | ---: | ---: | ---: | ---: | --- |\n",
			pair->name_before, pair->name_after);
		for (k = 0; k < pair->nr; k++)
			print_row(r, pair->series[k], &pair->comparisons[k],
				  out);
	}
	fprintf(out, "\n%s\n", method);
	free(method);
}
