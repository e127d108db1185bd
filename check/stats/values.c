/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads pairs of sets from standard input, three lines each: both sets, and
 * some p values to adjust; prints what lib/ makes of them, one JSON object a
 * line. The previous pair, if its sets were as large, is a second metric of the
 * same runs. For values.t, which knows other ways to the same values.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bootstrap.h"
#include "joint_test.h"
#include "rank_test.h"
#include "spread.h"
#include "student.h"

#define SET_MAX 1000

struct set {
	size_t nr;
	double v[SET_MAX];
};

static char *line;
static size_t line_size;

/* False at the end. */
static bool read_set(struct set *set)
{
	char *word, *rest;

	if (getline(&line, &line_size, stdin) < 0)
		return false;
	set->nr = 0;
	for (word = strtok_r(line, " \n", &rest); word;
	     word = strtok_r(NULL, " \n", &rest))
		set->v[set->nr++] = strtod(word, NULL);
	return true;
}

static void print_double(const char *name, double value)
{
	printf("\"%s\": %.17g, ", name, value);
}

static void print_set(const char *side, const struct set *s)
{
	bool flags[SET_MAX];
	size_t i;

	printf("\"%s\": {", side);
	print_double("median", median_of(s->v, s->nr));
	print_double("mad", mad_of(s->v, s->nr));
	print_double("deviation", robust_deviation(s->v, s->nr));
	flag_outliers(s->v, s->nr, flags);
	fputs("\"outliers\": [", stdout);
	for (i = 0; i < s->nr; i++)
		printf("%s%d", i ? ", " : "", flags[i]);
	fputs("]}, ", stdout);
}

static void print_pair(const struct set *a, const struct set *b)
{
	struct rank_test t = rank_test(a->v, a->nr, b->v, b->nr);
	struct interval i;

	print_set("a", a);
	print_set("b", b);
	print_double("u", t.u);
	print_double("p", t.p);
	printf("\"exact\": %s, ", t.exact ? "true" : "false");
	print_double("critical", rank_test_critical(a->nr, b->nr, 0.01));
	if (a->nr < BOOTSTRAP_MIN || b->nr < BOOTSTRAP_MIN)
		return;
	i = bootstrap_ratio(a->v, a->nr, b->v, b->nr);
	print_double("low", i.low);
	print_double("high", i.high);
}

static void print_joint(const struct set *a, const struct set *b,
			const struct set *a2, const struct set *b2)
{
	struct joint_sizes sizes = { 2, a->nr, b->nr };
	struct joint_metric metrics[] = { { .a = a->v, .b = b->v },
					  { .a = a2->v, .b = b2->v } };

	if (a->nr + b->nr <= 2 || a->nr != a2->nr || b->nr != b2->nr ||
	    !joint_test_divisions(a->nr, b->nr))
		return;
	print_double("joint_critical", joint_test(metrics, &sizes, 0.05));
	print_double("joint_p", metrics[0].p);
	print_double("joint_error", metrics[0].error);
}

/* Of a probability that the sets know nothing of. */
static void print_student(double p, size_t df)
{
	print_double("upper", student_upper(10 * p - 5, df));
	print_double("quantile", student_quantile(0.0001 + 0.9998 * p, df));
}

int main(void)
{
	static struct set a, b, a2, b2, p;
	size_t i;

	while (read_set(&a) && read_set(&b) && read_set(&p)) {
		putchar('{');
		print_pair(&a, &b);
		print_joint(&a, &b, &a2, &b2);
		print_student(p.v[0], a.nr);
		a2 = a;
		b2 = b;
		holm_adjust(p.v, p.nr);
		fputs("\"holm\": [", stdout);
		for (i = 0; i < p.nr; i++)
			printf("%s%.17g", i ? ", " : "", p.v[i]);
		fputs("]}\n", stdout);
	}
	free(line);
	return 0;
}
