/* SPDX-License-Identifier: GPL-2.0-only */
/* For a cover letter: plain text of 72 columns. And its rows as Markdown. */
#include <string.h>
#include <stdlib.h>
#include "compare.h"
#include "escape.h"
#include "units.h"
#include "util.h"

#define WIDTH 72
#define ROOM_MIN 20
#define NAME_WIDTH 15

/* How much of @text fits @room: to a space, or what is left of it. */
static size_t fitting(const char *text, size_t room)
{
	size_t len = strlen(text), at = room;

	if (len <= room)
		return len;
	while (at > 0 && text[at] != ' ')
		at--;
	if (at > 0)
		return at;
	/* one long word: cut, but not within a character */
	for (at = room; at > 1 && (text[at] & 0xc0) == 0x80;)
		at--;
	return at;
}

void report_filled(FILE *out, const char *label, const char *text)
{
	size_t indent = strlen(label);
	/* beside a label that leaves none, lines are longer than WIDTH */
	size_t room = indent < WIDTH - ROOM_MIN ? WIDTH - indent : ROOM_MIN;
	char *line;

	escape_line(label, out);
	for (;;) {
		size_t len = fitting(text, room);

		line = xasprintf("%.*s", (int)len, text);
		escape_line(line, out);
		free(line);
		fputc('\n', out);
		text += len;
		text += *text == ' ';
		if (!*text)
			break;
		fprintf(out, "%*s", (int)indent, "");
	}
}

/* "Linux 6.18.44, 9 runs, 1 boot" */
static char *describe_side(const struct side *s)
{
	size_t boots = side_boots(s), least = s->series[0].nr, most = least, i;
	const char *kernel = s->files[0]->kernel;
	char *runs, *text;

	for (i = 0; i < s->nr_series; i++) {
		least = min_u64(least, s->series[i].nr);
		most = max_u64(most, s->series[i].nr);
	}
	for (i = 0; kernel && i < s->nr_files; i++)
		if (!s->files[i]->kernel ||
		    strcmp(s->files[i]->kernel, kernel) != 0)
			kernel = "of several kernels";
	runs = least == most ? xasprintf("%zu", most) :
			       xasprintf("%zu to %zu", least, most);
	text = xasprintf("Linux %s, %s run%s, %zu boot%s",
			 kernel ? kernel : "unknown", runs,
			 most == 1 ? "" : "s", boots, boots == 1 ? "" : "s");
	free(runs);
	return text;
}

static void print_sides(const struct report *r, FILE *out)
{
	size_t i;

	for (i = 0; i < r->nr_sides; i++) {
		char label[] = { (char)('A' + i), ':', ' ', '\0' };
		char *what = describe_side(&r->sides[i]);

		report_filled(out, label, r->sides[i].operand);
		report_filled(out, "   ", what);
		free(what);
	}
}

static void print_doubts(const struct report *r, FILE *out)
{
	size_t i, k;

	for (i = 0; i < r->nr_pairs; i++) {
		const struct pair *pair = &r->pairs[i];

		for (k = 0; k < pair->differences.nr; k++) {
			const struct difference *d = &pair->differences.list[k];
			char *text = xasprintf("%s: %s in %c, %s in %c",
					       d->what, d->before,
					       pair->name_before, d->after,
					       pair->name_after);

			report_filled(out, "differs: ", text);
			free(text);
		}
	}
	for (i = 0; i < r->nr_warnings; i++)
		report_filled(out, "warning: ", r->warnings[i]);
}

static void print_row(const struct series *s, const struct comparison *c,
		      FILE *out)
{
	char before[UNIT_LEN], after[UNIT_LEN], change[UNIT_LEN],
		interval[UNIT_LEN];

	if (strlen(s->metric) > NAME_WIDTH)
		fprintf(out, "%s\n%*s", s->metric, NAME_WIDTH, "");
	else
		fprintf(out, "%-*s", NAME_WIDTH, s->metric);
	fprintf(out, " %9s %9s %8s %15s  %s\n",
		report_value(before, s->unit, c->median_before),
		report_value(after, s->unit, c->median_after),
		report_change(change, c->change), report_interval(interval, c),
		judgement_name(c->judgement));
}

/* "outliers, all kept: 1 of 7 in A, 2 of 7 in B"; NULL: none. */
static char *outliers_of(const struct pair *pair, const struct comparison *c)
{
	size_t before = report_outliers(c->before, c->nr_before);
	size_t after = report_outliers(c->after, c->nr_after);

	if (!before && !after)
		return NULL;
	return xasprintf("outliers, all kept: %zu of %zu in %c, %zu of %zu in "
			 "%c",
			 before, c->nr_before, pair->name_before, after,
			 c->nr_after, pair->name_after);
}

/* Below the rows of a point: what they do not show. */
static void print_remarks(const struct report *r, const struct pair *pair,
			  size_t i, FILE *out)
{
	char *reason = report_reason(r, &pair->comparisons[i]);
	char *outliers = outliers_of(pair, &pair->comparisons[i]);
	char *text = xasprintf("%s: %s%s%s", pair->series[i]->metric,
			       reason ? reason : "",
			       reason && outliers ? "; " : "",
			       outliers ? outliers : "");

	if (reason || outliers)
		report_filled(out, "  ", text);
	free(text);
	free(outliers);
	free(reason);
}

/* The index after the last metric of the point that begins at @first. */
static size_t point_end(const struct pair *pair, size_t first)
{
	size_t end = first + 1;

	while (end < pair->nr &&
	       series_same_point(pair->series[first], pair->series[end]))
		end++;
	return end;
}

static void print_pair(const struct report *r, const struct pair *pair,
		       FILE *out)
{
	size_t first, end, i;
	char *point, *title;

	for (first = 0; first < pair->nr; first = end) {
		end = point_end(pair, first);
		point = report_point(pair->series[first]);
		title = xasprintf("%s, %c to %c", point, pair->name_before,
				  pair->name_after);
		fputc('\n', out);
		report_filled(out, "", title);
		fprintf(out, "%-*s %9s %9s %8s %15s  %s\n", NAME_WIDTH,
			"metric", "before", "after", "change", "95% interval",
			"verdict");
		for (i = first; i < end; i++)
			print_row(pair->series[i], &pair->comparisons[i], out);
		for (i = first; i < end; i++)
			print_remarks(r, pair, i, out);
		free(title);
		free(point);
	}
}

void report_text(const struct report *r, FILE *out)
{
	char *method = report_method(r);
	size_t i;

	print_sides(r, out);
	print_doubts(r, out);
	for (i = 0; i < r->nr_pairs; i++)
		print_pair(r, &r->pairs[i], out);
	fputc('\n', out);
	report_filled(out, "", method);
	free(method);
}
