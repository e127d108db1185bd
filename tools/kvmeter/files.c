/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What counts as one value. Runs of one invocation share its bias: what was in
 * the caches, what else ran in those minutes. Files of one boot share that of
 * the boot.
 */
#include <stdlib.h>
#include "boots.h"
#include "compare.h"
#include "util.h"

const char *report_unit_name(enum report_unit unit)
{
	static const char *const names[] = {
		[BY_RUNS] = "run",
		[BY_FILES] = "file",
		[BY_BOOTS] = "boot",
	};

	return names[unit];
}

/* Whether the @k-th metric of a pair is judged. */
static bool is_judged(const struct pair *pair, size_t k)
{
	const struct series *a = pair->series[k];

	return series_better(a, side_find(pair->after, a)) != BETTER_NEITHER;
}

typedef void take_side(struct grouping *g, const struct grouped *side);

static void take_files(struct grouping *g, const struct series *s,
		       take_side *take)
{
	struct grouped side = { s->values, s->starts, s->nr, s->nr_files };

	take(g, &side);
}

static void each_file(const struct report *r, struct grouping *g,
		      take_side *take)
{
	size_t i, k;

	for (i = 0; i < r->nr_pairs; i++) {
		const struct pair *pair = &r->pairs[i];

		for (k = 0; k < pair->nr; k++) {
			const struct series *a = pair->series[k];

			if (!is_judged(pair, k))
				continue;
			/* of other pairs it is among those after */
			if (i == 0)
				take_files(g, a, take);
			take_files(g, side_find(pair->after, a), take);
		}
	}
}

static bool needs_files(const struct report *r)
{
	struct grouping g = GROUPING_NONE;

	each_file(r, &g, grouping_add);
	/* a file of one run is that run */
	if (!g.several)
		return false;
	if (g.least >= GROUPS_ENOUGH)
		return true;
	each_file(r, &g, grouping_compare);
	return grouping_differs(&g);
}

static void take_boots(struct grouping *g, const struct report *r,
		       const struct series *s, take_side *take)
{
	const struct boots *boots = series_boots(s);

	take(g, r->unit == BY_FILES ? &boots->files : &boots->runs);
}

/* Of pairs of which each side has other boots. */
static void each_boot(const struct report *r, struct grouping *g,
		      take_side *take)
{
	size_t i, k;

	for (i = 0; i < r->nr_pairs; i++) {
		const struct pair *pair = &r->pairs[i];

		for (k = 0; k < pair->nr; k++) {
			const struct series *a = pair->series[k];
			const struct series *b = side_find(pair->after, a);

			if (!is_judged(pair, k) || series_share_boots(a, b))
				continue;
			take_boots(g, r, a, take);
			take_boots(g, r, b, take);
		}
	}
}

/* "10 files from 2 boots in A, 9 from 3 in B" */
static char *tell_boots(const struct report *r)
{
	char *text = xstrdup(""), *longer;
	size_t i;

	for (i = 0; i < r->nr_sides; i++) {
		const struct side *side = &r->sides[i];
		size_t boots = side_boots(side), values = 0, k;

		for (k = 0; k < side->nr_series; k++)
			values = max_u64(values,
					 r->unit == BY_FILES ?
						 side->series[k].nr_files :
						 side->series[k].nr);
		if (boots == 1 || boots >= values)
			continue;
		longer = xasprintf("%s%s%zu %ss from %zu boots in %c", text,
				   *text ? ", " : "", values,
				   report_unit_name(r->unit), boots,
				   (char)('A' + i));
		free(text);
		text = longer;
	}
	return text;
}

static bool needs_boots(struct report *r)
{
	struct grouping g = GROUPING_NONE;
	bool differ;
	char *boots;

	each_boot(r, &g, grouping_add);
	if (!g.several)
		return false;
	if (g.least >= GROUPS_ENOUGH)
		return true;
	each_boot(r, &g, grouping_compare_all);
	differ = grouping_differs(&g);
	boots = tell_boots(r);
	if (!differ && *boots)
		report_warn(r,
			    "%s: too few boots to see how much they differ, "
			    "which looks like a change; from %d a side on, "
			    "they are what is compared",
			    boots, GROUPS_ENOUGH);
	free(boots);
	return differ;
}

void report_choose_unit(struct report *r)
{
	r->unit = needs_files(r) ? BY_FILES : BY_RUNS;
	if (needs_boots(r))
		r->unit = BY_BOOTS;
}
