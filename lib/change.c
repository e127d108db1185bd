/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdlib.h>

#include "change.h"
#include "point.h"
#include "stats.h"
#include "util.h"

/* Ratios as integers, which statistics are made of. */
#define ONE UINT64_C(1000000000)

static double percent(double ratio)
{
	return (ratio / ONE - 1) * 100;
}

/* The median of run @run, of which the last may not have ended yet. */
static double median_of_run(const struct series *s, unsigned int run)
{
	if (run < s->nr_runs)
		return s->run_medians[run];
	return stats_summary(s->samples + s->run_start, s->nr - s->run_start)
		.median;
}

static unsigned int runs_of(const struct series *s)
{
	return s->nr_runs + (s->nr > s->run_start);
}

void remark_change(struct run *r, int metric, int base)
{
	const struct series *a = &r->point->series[base];
	const struct series *b = &r->point->series[metric];
	unsigned int nr = runs_of(b);
	u64 *ratio = xcalloc(nr, sizeof(*ratio));
	struct summary all;

	if (!nr || runs_of(a) != nr) {
		free(ratio);
		return;
	}
	for (unsigned int i = 0; i < nr; i++) {
		double of = median_of_run(a, i);

		ratio[i] = of ? median_of_run(b, i) / of * ONE : 0;
	}
	all = stats_summary(ratio, nr);
	if (all.has_ci)
		remark(r, metric, "%+.1f %% (%+.1f to %+.1f) against %s",
		       percent(all.median), percent(all.ci_low),
		       percent(all.ci_high), r->bench->metrics[base].name);
	else
		remark(r, metric, "%+.1f %% (%u runs) against %s",
		       percent(all.median), nr, r->bench->metrics[base].name);
	free(ratio);
}
