/* SPDX-License-Identifier: GPL-2.0-only */
#include <math.h>
#include <stdlib.h>
#include "grouping.h"
#include "random.h"
#include "rank_test.h"
#include "util.h"

#define SEED UINT64_C(0x6b766d6574657202)
#define DIVISIONS 9999

void grouping_add(struct grouping *g, const struct grouped *side)
{
	g->several |= side->nr > side->nr_groups;
	g->least = min_u64(g->least, side->nr_groups);
}

static size_t group_size(const struct grouped *side, size_t group)
{
	size_t end = group + 1 < side->nr_groups ? side->starts[group + 1] :
						   side->nr;

	return end - side->starts[group];
}

void grouping_compare(struct grouping *g, const struct grouped *side)
{
	size_t i, k;

	for (i = 0; i < side->nr_groups; i++) {
		for (k = 0; k < i; k++) {
			const double *a = side->values + side->starts[i];
			const double *b = side->values + side->starts[k];
			struct rank_test test = rank_test(
				a, group_size(side, i), b, group_size(side, k));

			g->least_p = fmin(g->least_p, test.p);
			g->tests++;
		}
	}
}

struct ranked {
	double value;
	size_t at;
};

static int compare_ranked(const void *a, const void *b)
{
	double x = ((const struct ranked *)a)->value;
	double y = ((const struct ranked *)b)->value;

	return (x > y) - (x < y);
}

/* Of each value; equal ones have their mean. */
static double *ranks_of(const struct grouped *side)
{
	struct ranked *v = xcalloc(side->nr, sizeof(*v));
	double *ranks = xcalloc(side->nr, sizeof(*ranks));
	size_t first, end, i;

	for (i = 0; i < side->nr; i++)
		v[i] = (struct ranked){ side->values[i], i };
	qsort(v, side->nr, sizeof(*v), compare_ranked);
	for (first = 0; first < side->nr; first = end) {
		for (end = first + 1; end < side->nr; end++)
			if (v[end].value != v[first].value)
				break;
		for (i = first; i < end; i++)
			ranks[v[i].at] = (first + end - 1) / 2.0;
	}
	free(v);
	return ranks;
}

/* What of the statistic of Kruskal and Wallis depends on the division. */
static double between_groups(const struct grouped *side, const double *ranks)
{
	double sum, between = 0;
	size_t i, k;

	for (i = 0; i < side->nr_groups; i++) {
		sum = 0;
		for (k = 0; k < group_size(side, i); k++)
			sum += ranks[side->starts[i] + k];
		between += sum * sum / group_size(side, i);
	}
	return between;
}

static void shuffle(double *v, size_t nr, u64 *state)
{
	size_t i, k;
	double swap;

	for (i = nr; i > 1; i--) {
		k = random_below(state, i);
		swap = v[i - 1];
		v[i - 1] = v[k];
		v[k] = swap;
	}
}

/* Of so many divisions at random. Beyond GROUPS_ALPHA it is not looked at. */
static double test_all(const struct grouped *side)
{
	double *ranks = ranks_of(side);
	/* sums of other order differ by rounding */
	double least = between_groups(side, ranks) * (1 - 1e-12);
	unsigned int as_far = 1, i;
	u64 state = SEED;

	for (i = 0; i < DIVISIONS && as_far <= GROUPS_ALPHA * DIVISIONS; i++) {
		shuffle(ranks, side->nr, &state);
		as_far += between_groups(side, ranks) >= least;
	}
	free(ranks);
	return i < DIVISIONS ? 1 : as_far / (DIVISIONS + 1.0);
}

void grouping_compare_all(struct grouping *g, const struct grouped *side)
{
	if (side->nr_groups < 2)
		return;
	g->least_p = fmin(g->least_p, test_all(side));
	g->tests++;
}

bool grouping_differs(const struct grouping *g)
{
	return g->tests && g->least_p * g->tests <= GROUPS_ALPHA;
}
