/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdlib.h>
#include <string.h>
#include "clock.h"
#include "escape.h"
#include "run.h"
#include "util.h"

#define SUBTEST "    "

size_t run_count(const struct suite_run *r, enum outcome outcome)
{
	size_t found = 0;

	for (size_t i = 0; i < r->nr; i++)
		found += r->entries[i].outcome == outcome;
	return found;
}

/* A line for people. */
static void __printf(3, 4)
	say(FILE *out, const char *indent, const char *fmt, ...)
{
	char *text;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		die("out of memory");
	va_end(ap);
	for (size_t len = strlen(text); len && text[len - 1] == ' ';)
		text[--len] = '\0';
	fprintf(out, "%s#%s", indent, *text ? " " : "");
	escape_line(text, out);
	fputc('\n', out);
	free(text);
}

static void say_lines(FILE *out, const char *indent, const char *text)
{
	while (*text) {
		int len = (int)strcspn(text, "\n");

		say(out, indent, "%.*s", len, text);
		text += len + (text[len] == '\n');
	}
}

void run_ktap_begin(const struct suite_run *r, enum detail detail, FILE *out)
{
	fprintf(out, "KTAP version 1\n1..%zu\n", r->nr);
	if (detail == DETAIL_ALL)
		say(out, "", "kvmeter run %s: results in %s", r->suite, r->dir);
}

/* The words of ktap.rst, and TAP's, that change what a result means. */
static bool begins_as_directive(const char *text)
{
	static const char *const words[] = { "SKIP", "TODO", "XFAIL", "TIMEOUT",
					     "ERROR" };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (!strncasecmp(text, words[i], strlen(words[i])))
			return true;
	return false;
}

/* The end of a result line: what is known beside its name. */
static void print_detail(const char *kind, const char *detail, FILE *out)
{
	if (*kind || *detail)
		fputs(" # ", out);
	if (begins_as_directive(*kind ? kind : detail))
		fputs("- ", out);
	fputs(kind, out);
	escape_ktap_detail(detail, out);
	fputc('\n', out);
}

static void print_skip(const char *kind, const char *why, FILE *out)
{
	fprintf(out, " # SKIP %s", kind);
	escape_ktap_detail(why, out);
	fputc('\n', out);
}

static void print_head(const struct entry *e, const char *result, size_t number,
		       const char *name, FILE *out)
{
	fprintf(out, SUBTEST "%s %zu - ", result, number);
	escape_ktap(name, out);
	/* for kunit.py a result of this name ends the subtests */
	if (!strcmp(name, e->name) || !*name)
		fputs(": result", out);
}

/* As the benchmark has printed it, but for what strictness makes of it. */
static void print_result(const struct suite_run *r, const struct entry *e,
			 const struct ktap_line *line, size_t number, FILE *out)
{
	static const char *const kinds[] = {
		[KTAP_SKIP] = "",
		[KTAP_UNVERIFIED] = "not verified: ",
		[KTAP_NOT_APPLICABLE] = "not applicable: ",
	};
	bool fails = entry_line_fails(line, r->strict);

	print_head(e, fails ? "not ok" : "ok", number, line->text, out);
	if (!line->why)
		print_detail("", line->detail ? line->detail : "", out);
	else if (fails)
		print_detail(line->kind == KTAP_SKIP ? "skipped: " :
						       kinds[line->kind],
			     line->why, out);
	else
		print_skip(kinds[line->kind], line->why, out);
}

/* The lines of its program, the plan being what there is. */
static void print_subtests(const struct suite_run *r, const struct entry *e,
			   enum detail detail, FILE *out)
{
	bool wrong = e->abnormal && e->outcome != OUTCOME_SKIP;
	size_t number = 0;

	fprintf(out, SUBTEST "KTAP version 1\n" SUBTEST "# Subtest: %s\n",
		e->name);
	fprintf(out, SUBTEST "1..%zu\n",
		(entry_has_results(e) ? e->ktap.nr_results : 0) + wrong);
	for (size_t i = 0; i < e->ktap.nr; i++) {
		const struct ktap_line *line = &e->ktap.lines[i];

		if (line->kind == KTAP_TEXT && detail == DETAIL_ALL)
			say(out, SUBTEST, "%s", line->text);
		if (line->kind != KTAP_TEXT && entry_has_results(e))
			print_result(r, e, line, ++number, out);
	}
	if (e->ktap.omitted && detail == DETAIL_ALL)
		say(out, SUBTEST, "%zu more lines in %s", e->ktap.omitted,
		    e->ktap_path);
	if (!wrong)
		return;
	print_head(e, "not ok", ++number, "run", out);
	print_detail("", e->reason, out);
}

/* A skip, and what was never run, have no subtests but a reason. */
static bool is_leaf(const struct entry *e)
{
	return e->outcome == OUTCOME_SKIP ||
	       (e->outcome == OUTCOME_NOT_RUN && !e->end.interrupted);
}

void run_ktap_entry(const struct suite_run *r, size_t index, enum detail detail,
		    FILE *out)
{
	const struct entry *e = &r->entries[index];
	bool ok = e->outcome == OUTCOME_PASS || is_leaf(e);
	char *command = words_quote(e->command);

	if (!is_leaf(e))
		print_subtests(r, e, detail, out);
	if (detail == DETAIL_ALL && e->outcome != OUTCOME_NOT_RUN)
		say(out, "", "%s: %s: %.1f s%s", e->name, command,
		    (double)e->end.ns / NSEC_PER_SEC,
		    e->reused ? ", earlier (--resume)" : "");
	if (detail == DETAIL_ALL && e->outcome == OUTCOME_FAIL && e->errors)
		say_lines(out, "", e->errors);
	fprintf(out, "%s %zu - %s", ok ? "ok" : "not ok", index + 1, e->name);
	if (is_leaf(e))
		print_skip(e->outcome == OUTCOME_SKIP ? "" : "not run: ",
			   e->reason, out);
	else
		fputc('\n', out);
	free(command);
}

/* ---- at the end ---- */

static size_t count_fine(const struct suite_run *r, const struct entry *e)
{
	size_t nr = 0;

	for (size_t i = 0; i < e->ktap.nr; i++)
		nr += e->ktap.lines[i].kind != KTAP_TEXT &&
		      !entry_line_fails(&e->ktap.lines[i], r->strict);
	return nr;
}

static void print_row(const struct suite_run *r, const struct entry *e,
		      int width, FILE *out)
{
	char *checks =
		xasprintf("%zu of %zu", count_fine(r, e), e->ktap.nr_results);

	say(out, "", "%-*s  %-7s  %9s  %7.1f s  %.*s", width, e->name,
	    outcome_name(e->outcome), entry_has_results(e) ? checks : "-",
	    (double)e->end.ns / NSEC_PER_SEC,
	    e->reason ? (int)strcspn(e->reason, "\n") : 0,
	    e->reason ? e->reason : "");
	free(checks);
}

static void print_table(const struct suite_run *r, FILE *out)
{
	size_t width = strlen("entry");
	u64 ns = 0;

	for (size_t i = 0; i < r->nr; i++) {
		width = max_u64(width, strlen(r->entries[i].name));
		ns += r->entries[i].end.ns;
	}
	say(out, "", "%s", "");
	say(out, "", "%-*s  %-7s  %9s  %9s", (int)width, "entry", "result",
	    "checks", "time");
	for (size_t i = 0; i < r->nr; i++)
		print_row(r, &r->entries[i], (int)width, out);
	say(out, "",
	    "%zu passed, %zu failed, %zu skipped, %zu not run in %.1f s: %s",
	    run_count(r, OUTCOME_PASS), run_count(r, OUTCOME_FAIL),
	    run_count(r, OUTCOME_SKIP), run_count(r, OUTCOME_NOT_RUN),
	    (double)ns / NSEC_PER_SEC, r->dir);
	say(out, "", "%s", "");
}

/* Results of one kind with their reasons; returns how many there are. */
static size_t list_results(const struct suite_run *r, enum ktap_kind kind,
			   const char *label, FILE *out)
{
	size_t nr = 0;

	for (size_t i = 0; i < r->nr; i++) {
		const struct entry *e = &r->entries[i];

		for (size_t k = 0; k < e->ktap.nr && entry_has_results(e);
		     k++) {
			const struct ktap_line *line = &e->ktap.lines[k];

			if (line->kind != kind)
				continue;
			say(out, "", "%s: %s: %s: %s", label, e->name,
			    line->text, line->why);
			nr++;
		}
	}
	return nr;
}

/* Entries that measured nothing; returns how many there are. */
static size_t list_entries(const struct suite_run *r, FILE *out)
{
	size_t nr = 0;

	for (size_t i = 0; i < r->nr; i++) {
		const struct entry *e = &r->entries[i];
		const char *label = NULL;
		char *text;

		if (e->outcome == OUTCOME_NOT_RUN)
			label = "not run";
		else if (e->end.code == EXIT_SKIP)
			label = "skipped";
		if (!label)
			continue;
		text = xasprintf("%s: %s: %s", label, e->name, e->reason);
		say_lines(out, "", text);
		free(text);
		nr++;
	}
	return nr;
}

void run_ktap_end(const struct suite_run *r, enum detail detail, FILE *out)
{
	size_t nr;

	if (detail == DETAIL_ALL)
		print_table(r, out);
	nr = list_entries(r, out);
	nr += list_results(r, KTAP_SKIP, "skipped", out);
	nr += list_results(r, KTAP_UNVERIFIED, "not verified", out);
	nr += list_results(r, KTAP_NOT_APPLICABLE, "not applicable", out);
	if (!nr)
		say(out, "", "nothing was skipped");
}
