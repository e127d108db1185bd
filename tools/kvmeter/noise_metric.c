/* SPDX-License-Identifier: GPL-2.0-only */
/* A metric that nobody has changed: how it spreads, and whether it is steady.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "compare.h"
#include "noise.h"
#include "spread.h"
#include "trial.h"
#include "turns.h"
#include "util.h"

const size_t noise_sizes[NOISE_SIZES] = { 5, 10, 20, 40 };

/* Any of these about any metric is a false alarm so rarely. */
#define FLAW_ALPHA 0.05
#define FLAW_TESTS 3

/* One in so many, and more, is no longer chance. */
#define OUTLIER_SHARE 10

/* In the order in which they were measured. */
static void take_values(struct noise_metric *m, const struct series *a,
			const struct series *b)
{
	const struct series *sides[TRIAL_SIDES] = { a, b };
	size_t next[TRIAL_SIDES] = { 0, 0 }, i;

	m->values = xcalloc(a->nr_files + b->nr_files, sizeof(*m->values));
	for (i = 0; m->nr < a->nr_files + b->nr_files; i++) {
		int side = turn_side(i);

		if (next[side] < sides[side]->nr_files)
			m->values[m->nr++] =
				sides[side]->file_medians[next[side]++];
	}
}

static void describe(struct noise_metric *m)
{
	bool *flags = xcalloc(m->nr, sizeof(*flags));

	m->median = median_of(m->values, m->nr);
	if (m->median > 0)
		m->spread = robust_deviation(m->values, m->nr) / m->median;
	m->outliers = flag_outliers(m->values, m->nr, flags);
	m->trend = series_trend(m->values, m->nr);
	m->neighbours = series_neighbours(m->values, m->nr);
	m->levels = series_levels(m->values, m->nr);
	free(flags);
}

static void find_flaws(struct noise_metric *m, size_t nr_metrics)
{
	double alpha = FLAW_ALPHA / (FLAW_TESTS * nr_metrics);

	if (m->trend.p <= alpha)
		m->flaws |= NOISE_DRIFTS;
	else if (m->neighbours <= alpha)
		m->flaws |= NOISE_CLUSTERS;
	/* no p of it is lower: steady.h */
	if (m->levels.p <= fmax(alpha, 0.001))
		m->flaws |= NOISE_TWO_LEVELS;
	else if (m->outliers * OUTLIER_SHARE >= m->nr)
		m->flaws |= NOISE_OUTLIERS;
}

/* A change below the threshold does not count, however well it is seen. */
static void find_detectable(struct noise *n)
{
	size_t size, i;

	for (size = 0; size < NOISE_SIZES; size++) {
		double shift =
			judge_shift(noise_sizes[size], n->nr_judged, &n->rule);

		for (i = 0; i < n->nr; i++) {
			struct noise_metric *m = &n->metrics[i];

			if (m->series->better == BETTER_NEITHER)
				continue;
			m->detectable[size] =
				isinf(shift)  ? shift :
				m->spread > 0 ? fmax(shift * m->spread,
						     n->rule.threshold) :
						0;
		}
	}
}

size_t noise_read(struct noise *n, const struct side *a, const struct side *b,
		  const char *only)
{
	size_t i;

	n->metrics = xcalloc(a->nr_series, sizeof(*n->metrics));
	for (i = 0; i < a->nr_series; i++) {
		const struct series *s = &a->series[i];
		const struct series *other = side_find(b, s);

		if (!other || !report_names(only, s->metric))
			continue;
		n->metrics[n->nr].series = s;
		n->nr_judged += s->better != BETTER_NEITHER;
		take_values(&n->metrics[n->nr], s, other);
		describe(&n->metrics[n->nr++]);
	}
	for (i = 0; i < n->nr; i++)
		find_flaws(&n->metrics[i], n->nr);
	if (n->nr_judged)
		find_detectable(n);
	return n->nr;
}
