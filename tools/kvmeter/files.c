/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Runs of one invocation share its bias: what was in the caches, what else ran
 * in those minutes. To take them for independent then gives false alarms.
 */
#include <math.h>
#include "compare.h"
#include "rank_test.h"

/* From so many files a side on, files alone are enough to judge by. */
#define FILES_ENOUGH 5

/* The files of a side differ if that would be so by chance less often. */
#define FILES_ALPHA 0.05

struct homogeneity {
	double least_p; /* of any two files of a side */
	size_t tests;
};

static size_t file_runs(const struct series *s, size_t file)
{
	size_t end = file + 1 < s->nr_files ? s->starts[file + 1] : s->nr;

	return end - s->starts[file];
}

static void compare_files(struct homogeneity *h, const struct series *s)
{
	size_t i, k;

	for (i = 0; i < s->nr_files; i++) {
		for (k = 0; k < i; k++) {
			const double *a = s->values + s->starts[i];
			const double *b = s->values + s->starts[k];

			h->least_p =
				fmin(h->least_p, rank_test(a, file_runs(s, i),
							   b, file_runs(s, k))
							 .p);
			h->tests++;
		}
	}
}

/* Whether the @k-th metric of a pair is judged. */
static bool is_judged(const struct pair *pair, size_t k)
{
	const struct series *a = pair->series[k];

	return series_better(a, side_find(pair->after, a)) != BETTER_NEITHER;
}

/* The least of any two files of any side and metric, by chance so often. */
static double least_of_tests(const struct report *r)
{
	struct homogeneity h = { 1, 0 };
	size_t i, k;

	for (i = 0; i < r->nr_pairs; i++) {
		for (k = 0; k < r->pairs[i].nr; k++) {
			const struct series *a = r->pairs[i].series[k];

			if (!is_judged(&r->pairs[i], k))
				continue;
			if (i == 0)
				compare_files(&h, a);
			compare_files(&h, side_find(r->pairs[i].after, a));
		}
	}
	return h.tests ? h.least_p * h.tests : 1;
}

bool report_needs_files(const struct report *r)
{
	bool several = false;
	size_t least = SIZE_MAX, i, k;

	for (i = 0; i < r->nr_pairs; i++) {
		for (k = 0; k < r->pairs[i].nr; k++) {
			const struct series *a = r->pairs[i].series[k];
			const struct series *b =
				side_find(r->pairs[i].after, a);

			if (!is_judged(&r->pairs[i], k))
				continue;
			several |= a->nr > a->nr_files || b->nr > b->nr_files;
			least = min_u64(least,
					min_u64(a->nr_files, b->nr_files));
		}
	}
	/* a file of one run is that run */
	if (!several)
		return false;
	/* each with each is for few files only */
	return least >= FILES_ENOUGH || least_of_tests(r) <= FILES_ALPHA;
}
