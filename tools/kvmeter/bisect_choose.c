/* SPDX-License-Identifier: GPL-2.0-only */
/* By which metrics commits are judged, and from where on they are bad. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "bisect.h"
#include "compare.h"
#include "spread.h"
#include "units.h"
#include "util.h"

/* A metric may be unfit, and the reader wants to know why. */
static char *unfit(const struct bisect_figure *f, const char *why)
{
	char *figure = bisect_figure_text(f);
	char *text = xasprintf("%s: %s", figure, why);

	free(figure);
	return text;
}

static bool bad_is_larger(const struct bisect *b, const struct series *s)
{
	return b->find_faster == (s->better == BETTER_HIGHER);
}

/*
 * Of a change by a fraction of good, or as many times good as bad is times it:
 * noise is relative, so that it then reaches as far from either.
 */
static char *set_factor(struct bisect_figure *f, const struct bisect *b,
			const struct series *bad, double threshold)
{
	double good = bisect_good(f);
	bool larger = bad_is_larger(b, f->good);

	if (f->good->better == BETTER_NEITHER)
		return unfit(f, "neither less nor more of it is better");
	if (good == 0)
		return unfit(f, "0 in good, of which nothing is a percentage");
	if (threshold > 0) {
		f->factor = larger ? 1 + threshold : 1 - threshold;
		if (f->factor <= 0)
			return unfit(f, "bad is smaller than good, and nothing "
					"is less by 100 % or more");
		return NULL;
	}
	if (!bad)
		return unfit(f, "not measured in bad");
	f->factor = sqrt(median_of(bad->file_medians, bad->nr_files) / good);
	if (f->factor == 1 || f->factor == 0 || (f->factor > 1) != larger)
		return unfit(f, b->find_faster ? "bad is not faster than good" :
						 "bad is not slower than good");
	return NULL;
}

/* Would bad be told to be bad? */
static char *check_bad(const struct bisect_figure *f, const struct bisect *b)
{
	struct threshold_figure values;
	char change[UNIT_LEN], threshold[UNIT_LEN], *why, *text;
	const struct series *bad = side_find(&b->bad, f->good);

	if (!bad || !bisect_values(b, f, &b->bad, &values))
		return NULL;
	values.bad = (struct threshold_side){ 0 };
	threshold_judge(&values, 1, b->alpha);
	if (values.p_bad <= b->alpha)
		return NULL;
	why = xasprintf("the recorded bad (%s, %zu file%s%s, %zu runs) is not "
			"known to be beyond the threshold of %s",
			report_change(change, values.change), bad->nr_files,
			bad->nr_files == 1 ? "" : "s",
			values.commit.nr_files == 1 && bad->nr_files > 1 ?
				" of one boot" :
				"",
			values.commit.nr_runs, bisect_threshold(threshold, f));
	text = unfit(f, why);
	free(why);
	return text;
}

/* Would a good commit be told to be good, in as many runs as there may be? */
static char *check_good(const struct bisect_figure *f, const struct bisect *b)
{
	struct threshold_figure values;
	char threshold[UNIT_LEN], *why, *text;

	bisect_values(b, f, &b->good, &values);
	if (threshold_expected(&values, bisect_alpha(b), b->max_runs) <=
	    b->max_runs)
		return NULL;
	why = xasprintf(
		"good spreads so much, or is so little, that %llu invocation%s "
		"would seldom tell a good commit from one at %s: record more "
		"files of good, or raise --max-runs or --threshold",
		(unsigned long long)b->max_runs, b->max_runs == 1 ? "" : "s",
		bisect_threshold(threshold, f));
	text = unfit(f, why);
	free(why);
	return text;
}

/* NULL if commits can be judged by it. */
static char *try_figure(struct bisect_figure *f, const struct bisect *b,
			const struct bisect_choice *choice)
{
	char *why = set_factor(f, b, side_find(&b->bad, f->good),
			       choice->threshold);

	if (!why)
		why = check_bad(f, b);
	return why ? why : check_good(f, b);
}

/* What the files of a side must have in common. */
static void check_sides(const struct bisect *b, struct problems *p)
{
	struct differences d = { 0, NULL };
	size_t i;

	differ_within(&d, &b->good);
	differ_within(&d, &b->bad);
	differ_sides(&d, &b->good, &b->bad);
	for (i = 0; i < d.nr; i++)
		if (difference_is_option(&d.list[i]))
			problem(p, "results differ in %s: %s, %s",
				d.list[i].what, d.list[i].before,
				d.list[i].after);
	differences_fini(&d);
}

/* Every name must be that of a metric. */
static void check_names(const struct bisect *b, const char *names,
			struct problems *p)
{
	size_t len, i;

	for (; names; names = names[len] ? names + len + 1 : NULL) {
		len = strcspn(names, ",");
		for (i = 0; i < b->good.nr_series; i++)
			if (strlen(b->good.series[i].metric) == len &&
			    !strncmp(b->good.series[i].metric, names, len))
				break;
		if (i == b->good.nr_series)
			problem(p, "--metric %.*s: no such metric in good",
				(int)len, names);
	}
}

static void add_figure(struct bisect *b, const struct bisect_figure *f)
{
	b->figures =
		xrealloc(b->figures, b->nr_figures + 1, sizeof(*b->figures));
	b->figures[b->nr_figures++] = *f;
}

void bisect_choose(struct bisect *b, const struct bisect_choice *choice)
{
	/* in which of them bad is bad can be seen; else they are to be named */
	bool is_choosy = choice->metrics || !b->bad.nr_files;
	struct problems sides = { 0, NULL }, unfits = { 0, NULL };
	size_t i;

	check_sides(b, &sides);
	check_names(b, choice->metrics, &sides);
	if (sides.nr)
		end(EXIT_USAGE, "%s", sides.text);
	b->half_way = choice->threshold == 0;
	for (i = 0; i < b->good.nr_series; i++) {
		struct bisect_figure f = { .good = &b->good.series[i] };
		char *why;

		if (!report_names(choice->metrics, f.good->metric) ||
		    (!choice->metrics && f.good->better == BETTER_NEITHER))
			continue;
		why = try_figure(&f, b, choice);
		if (why)
			problem(&unfits, "%s", why);
		else
			add_figure(b, &f);
		free(why);
	}
	if (unfits.nr && (is_choosy || !b->nr_figures))
		end(EXIT_USAGE, "%s%s", unfits.text,
		    choice->metrics ? "" : "\n--metric NAME leaves others out");
	if (!b->nr_figures)
		end(EXIT_USAGE, "nothing in good of which less or more is "
				"better");
	free(unfits.text);
}
