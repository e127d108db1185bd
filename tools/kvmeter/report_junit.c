/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * JUnit's XML: a metric at a point is a test case. Slower is a failure, "can't
 * tell" is skipped, and what is not judged has its figures alone.
 */
#include <stdlib.h>
#include <string.h>
#include "compare.h"
#include "escape.h"
#include "units.h"
#include "util.h"

static void print_attribute(const char *name, const char *value, FILE *out)
{
	fprintf(out, " %s=\"", name);
	escape_xml(value, out);
	fputc('"', out);
}

static size_t count(const struct pair *pair, enum judgement j)
{
	size_t found = 0, i;

	for (i = 0; i < pair->nr; i++)
		found += pair->comparisons[i].judgement == j;
	return found;
}

static void print_result(const char *element, const char *message, FILE *out)
{
	fprintf(out, "      <%s", element);
	print_attribute("message", message, out);
	fputs("/>\n", out);
}

static void print_case(const struct report *r, const struct series *s,
		       const struct comparison *c, FILE *out)
{
	char before[UNIT_LEN], after[UNIT_LEN], change[UNIT_LEN],
		interval[UNIT_LEN];
	char *point = report_point(s), *reason = report_reason(r, c);
	char *figures = xasprintf(
		"%s%s%s to %s, %s (%s)",
		c->judgement == NOT_JUDGED ? "" : judgement_name(c->judgement),
		c->judgement == NOT_JUDGED ? "" : ": ",
		report_value(before, s->unit, c->median_before),
		report_value(after, s->unit, c->median_after),
		report_change(change, c->change), report_interval(interval, c));

	fputs("    <testcase", out);
	print_attribute("classname", point, out);
	print_attribute("name", s->metric, out);
	fputs(">\n", out);
	if (c->judgement == SLOWER)
		print_result("failure", figures, out);
	if (c->judgement == CANNOT_TELL)
		print_result("skipped", reason, out);
	fputs("      <system-out>", out);
	escape_xml(figures, out);
	fputs("</system-out>\n    </testcase>\n", out);
	free(figures);
	free(reason);
	free(point);
}

static void print_suite(const struct report *r, const struct pair *pair,
			FILE *out)
{
	char *name = xasprintf("%s to %s", pair->before->operand,
			       pair->after->operand);
	size_t i;

	fputs("  <testsuite", out);
	print_attribute("name", name, out);
	fprintf(out, " tests=\"%zu\" failures=\"%zu\" skipped=\"%zu\">\n",
		pair->nr, count(pair, SLOWER), count(pair, CANNOT_TELL));
	for (i = 0; i < pair->nr; i++)
		print_case(r, pair->series[i], &pair->comparisons[i], out);
	fputs("  </testsuite>\n", out);
	free(name);
}

void report_junit(const struct report *r, FILE *out)
{
	size_t i;

	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n",
	      out);
	for (i = 0; i < r->nr_pairs; i++)
		print_suite(r, &r->pairs[i], out);
	fputs("</testsuites>\n", out);
}
