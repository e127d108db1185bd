/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A suite for each entry, a test case for each of its results. What ended
 * otherwise than by a result is an error; a check that is not ok, and what
 * --strict does not forgive, is a failure.
 */
#include <stdlib.h>
#include "clock.h"
#include "escape.h"
#include "run.h"
#include "util.h"

static void attribute(const char *name, const char *value, FILE *out)
{
	fprintf(out, " %s=\"", name);
	escape_xml(value, out);
	fputc('"', out);
}

static double seconds(u64 ns)
{
	return (double)ns / NSEC_PER_SEC;
}

static bool is_skip(const struct ktap_line *line)
{
	return line->kind == KTAP_SKIP || line->kind == KTAP_UNVERIFIED ||
	       line->kind == KTAP_NOT_APPLICABLE;
}

struct counts {
	size_t tests, failures, errors, skipped;
};

/* The entry as a test case of its own: where no result says how it ended. */
static bool has_own_case(const struct entry *e)
{
	return e->abnormal || e->outcome == OUTCOME_NOT_RUN;
}

static struct counts count(const struct suite_run *r, const struct entry *e)
{
	struct counts c = { 0 };

	for (size_t i = 0; i < e->ktap.nr && entry_has_results(e); i++) {
		const struct ktap_line *line = &e->ktap.lines[i];

		if (line->kind == KTAP_TEXT)
			continue;
		c.tests++;
		if (entry_line_fails(line, r->strict))
			c.failures++;
		else if (is_skip(line))
			c.skipped++;
	}
	if (!has_own_case(e))
		return c;
	c.tests++;
	if (e->outcome == OUTCOME_FAIL)
		c.errors++;
	else
		c.skipped++;
	return c;
}

static void element(const char *name, const char *message, FILE *out)
{
	fprintf(out, "      <%s", name);
	attribute("message", message, out);
	fputs("/>\n", out);
}

static void text_element(const char *indent, const char *name, const char *text,
			 FILE *out)
{
	fprintf(out, "%s<%s>", indent, name);
	escape_xml(text, out);
	fprintf(out, "</%s>\n", name);
}

static void begin_case(const struct entry *e, const char *point,
		       const char *name, u64 ns, FILE *out)
{
	char *class = point ? xasprintf("%s.%s", e->name, point) :
			      xstrdup(e->name);

	fputs("    <testcase", out);
	attribute("classname", class, out);
	attribute("name", name, out);
	fprintf(out, " time=\"%.3f\">\n", seconds(ns));
	free(class);
}

static void result_case(const struct suite_run *r, const struct entry *e,
			const struct ktap_line *line, FILE *out)
{
	const char *detail = line->detail ? line->detail : line->text;

	begin_case(e, line->point, line->check ? line->check : line->text, 0,
		   out);
	if (entry_line_fails(line, r->strict))
		element("failure", line->why ? line->why : detail, out);
	else if (is_skip(line))
		element("skipped", line->why, out);
	else
		text_element("      ", "system-out", detail, out);
	fputs("    </testcase>\n", out);
}

/* What kind of end, for those who sort by it; to be freed. */
static char *error_type(const struct entry *e)
{
	if (!e->program || e->end.error)
		return xstrdup("not started");
	if (e->end.timed_out)
		return xstrdup("time limit");
	if (e->end.signal)
		return xasprintf("signal %d", e->end.signal);
	return xasprintf("exit code %d", e->end.code);
}

static void own_case(const struct entry *e, FILE *out)
{
	char *type = error_type(e);

	begin_case(e, NULL, "run", e->end.ns, out);
	if (e->outcome == OUTCOME_FAIL) {
		fputs("      <error", out);
		attribute("type", type, out);
		attribute("message", e->reason, out);
		fputc('>', out);
		escape_xml(e->errors ? e->errors : "", out);
		fputs("</error>\n", out);
	} else {
		element("skipped", e->reason, out);
	}
	fputs("    </testcase>\n", out);
	free(type);
}

static void print_property(const char *name, const char *value, FILE *out)
{
	fputs("      <property", out);
	attribute("name", name, out);
	attribute("value", value, out);
	fputs("/>\n", out);
}

static void print_suite(const struct suite_run *r, const struct entry *e,
			FILE *out)
{
	char *command = words_quote(e->command);
	struct counts c = count(r, e);

	fputs("  <testsuite", out);
	attribute("name", e->name, out);
	fprintf(out,
		" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" "
		"skipped=\"%zu\" time=\"%.3f\"",
		c.tests, c.failures, c.errors, c.skipped, seconds(e->end.ns));
	attribute("timestamp", r->started, out);
	fputs(">\n    <properties>\n", out);
	print_property("command", command, out);
	if (e->kernel)
		print_property("kernel", e->kernel, out);
	fputs("    </properties>\n", out);
	for (size_t i = 0; i < e->ktap.nr && entry_has_results(e); i++)
		if (e->ktap.lines[i].kind != KTAP_TEXT)
			result_case(r, e, &e->ktap.lines[i], out);
	if (has_own_case(e))
		own_case(e, out);
	/* an error has it already */
	if (e->errors && !(has_own_case(e) && e->outcome == OUTCOME_FAIL))
		text_element("    ", "system-err", e->errors, out);
	fputs("  </testsuite>\n", out);
	free(command);
}

void run_junit(const struct suite_run *r, FILE *out)
{
	struct counts all = { 0 };
	u64 ns = 0;

	for (size_t i = 0; i < r->nr; i++) {
		struct counts c = count(r, &r->entries[i]);

		all.tests += c.tests;
		all.failures += c.failures;
		all.errors += c.errors;
		all.skipped += c.skipped;
		ns += r->entries[i].end.ns;
	}
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites", out);
	attribute("name", r->suite, out);
	fprintf(out,
		" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" "
		"skipped=\"%zu\" time=\"%.3f\">\n",
		all.tests, all.failures, all.errors, all.skipped, seconds(ns));
	for (size_t i = 0; i < r->nr; i++)
		print_suite(r, &r->entries[i], out);
	fputs("</testsuites>\n", out);
}
