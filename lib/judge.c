/* SPDX-License-Identifier: GPL-2.0-only */
#include <math.h>
#include <stdlib.h>
#include "bootstrap.h"
#include "detectable.h"
#include "joint_test.h"
#include "judge.h"
#include "random.h"
#include "rank_test.h"
#include "spread.h"
#include "util.h"

const char *judgement_name(enum judgement j)
{
	static const char *const names[] = {
		[CANNOT_TELL] = "can't tell", [SAME] = "same",
		[FASTER] = "faster",	      [SLOWER] = "slower",
		[NOT_JUDGED] = "-",
	};

	return names[j];
}

static double change_of(double before, double after)
{
	if (before == 0)
		return after == 0 ? 0 : INFINITY;
	return after / before - 1;
}

static void describe(struct comparison *c)
{
	c->median_before = median_of(c->before, c->nr_before);
	c->median_after = median_of(c->after, c->nr_after);
	c->change = change_of(c->median_before, c->median_after);
	c->p = rank_test(c->before, c->nr_before, c->after, c->nr_after).p;
	c->has_interval = false;
	c->p_adjusted = 1;
	c->judgement = CANNOT_TELL;
	c->spread = 0;
	c->detectable = 0;
}

static void find_interval(struct comparison *c)
{
	struct interval i;

	if (c->has_interval || c->nr_before < BOOTSTRAP_MIN ||
	    c->nr_after < BOOTSTRAP_MIN)
		return;
	i = bootstrap_ratio(c->before, c->nr_before, c->after, c->nr_after);
	c->has_interval = true;
	c->low = i.low - 1;
	c->high = i.high - 1;
}

static bool is_changed(struct comparison *c, const struct judge_rule *rule)
{
	if (c->p_adjusted > rule->alpha || fabs(c->change) < rule->threshold)
		return false;
	find_interval(c);
	return !c->has_interval || c->low > 0 || c->high < 0;
}

static void judge_by_ranks(struct comparison *c, size_t nr)
{
	double *p = xcalloc(nr, sizeof(*p));
	size_t i;

	for (i = 0; i < nr; i++)
		p[i] = c[i].p;
	holm_adjust(p, nr);
	for (i = 0; i < nr; i++)
		c[i].p_adjusted = p[i];
	free(p);
}

/* As far as the test has a critical |t|: for DETECTABLE_POWER a bit more. */
static void judge_jointly(struct comparison *c, size_t nr, double alpha)
{
	struct joint_sizes sizes = { nr, c->nr_before, c->nr_after };
	struct joint_metric *metrics = xcalloc(nr, sizeof(*metrics));
	double critical;
	size_t i;

	for (i = 0; i < nr; i++)
		metrics[i] = (struct joint_metric){ .a = c[i].before,
						    .b = c[i].after };
	critical = joint_test(metrics, &sizes, alpha);
	for (i = 0; i < nr; i++) {
		c[i].p_adjusted = metrics[i].p;
		if (c[i].median_before > 0 && isfinite(critical))
			c[i].detectable = (critical + DETECTABLE_QUANTILE) *
					  metrics[i].error / c[i].median_before;
	}
	free(metrics);
}

/* Whether all that can be seen in so many runs is less than alpha often. */
static bool ranks_can_tell(size_t nr_a, size_t nr_b, size_t nr, double alpha)
{
	return rank_test_critical(nr_a, nr_b, alpha / nr) >= 0;
}

static bool joint_can_tell(size_t nr_a, size_t nr_b, double alpha)
{
	double divisions = joint_test_divisions(nr_a, nr_b);

	/* with as many on both sides each division has its mirror image */
	return nr_a + nr_b > 2 && divisions > 0 &&
	       alpha * divisions >= (nr_a == nr_b ? 2 : 1);
}

static enum judge_method method_for(const struct comparison *c, size_t nr,
				    const struct judge_rule *rule)
{
	size_t nr_a = c->nr_before, nr_b = c->nr_after, i;

	for (i = 1; i < nr; i++)
		if (c[i].nr_before != nr_a || c[i].nr_after != nr_b)
			return JUDGED_BY_RANKS;
	if (!rule->same_runs || ranks_can_tell(nr_a, nr_b, nr, rule->alpha) ||
	    !joint_can_tell(nr_a, nr_b, rule->alpha))
		return JUDGED_BY_RANKS;
	return JUDGED_JOINTLY;
}

size_t judge_least_runs(size_t nr, const struct judge_rule *rule)
{
	size_t runs = detectable_least_nr(rule->alpha / nr);

	while (rule->same_runs && runs > 2 &&
	       joint_can_tell(runs - 1, runs - 1, rule->alpha))
		runs--;
	return runs;
}

static enum judgement direction_of(const struct comparison *c)
{
	return (c->change > 0) == (c->better == BETTER_HIGHER) ? FASTER :
								 SLOWER;
}

/* As judge_change(), of one or more that all have a direction. */
static enum judge_method judge_directed_change(struct comparison *c, size_t nr,
					       const struct judge_rule *rule)
{
	enum judge_method method = method_for(c, nr, rule);
	size_t i;

	for (i = 0; i < nr; i++)
		describe(&c[i]);
	if (method == JUDGED_JOINTLY)
		judge_jointly(c, nr, rule->alpha);
	else
		judge_by_ranks(c, nr);
	for (i = 0; i < nr; i++)
		if (is_changed(&c[i], rule))
			c[i].judgement = direction_of(&c[i]);
	return method;
}

size_t judge_count(const struct comparison *c, size_t nr)
{
	size_t figures = 0, i;

	for (i = 0; i < nr; i++)
		figures += c[i].better != BETTER_NEITHER;
	return figures;
}

/* Has @apply judge those that have a direction, and describes the others. */
static enum judge_method
judge_directed(enum judge_method (*apply)(struct comparison *c, size_t nr,
					  const struct judge_rule *rule),
	       struct comparison *c, size_t nr, const struct judge_rule *rule)
{
	struct comparison *judged = xcalloc(nr, sizeof(*judged));
	enum judge_method method = JUDGED_BY_RANKS;
	size_t figures = 0, i;

	for (i = 0; i < nr; i++)
		if (c[i].better != BETTER_NEITHER)
			judged[figures++] = c[i];
	if (figures)
		method = apply(judged, figures, rule);
	for (figures = i = 0; i < nr; i++) {
		if (c[i].better != BETTER_NEITHER) {
			c[i] = judged[figures++];
			continue;
		}
		describe(&c[i]);
		c[i].judgement = NOT_JUDGED;
	}
	free(judged);
	return method;
}

enum judge_method judge_change(struct comparison *c, size_t nr,
			       const struct judge_rule *rule)
{
	return judge_directed(judge_directed_change, c, nr, rule);
}

static bool is_same(const struct comparison *c, const struct judge_rule *rule)
{
	return c->has_interval && c->low >= -rule->threshold &&
	       c->high <= rule->threshold;
}

/* Of both sides, each in its own median. */
static double relative_spread(const struct comparison *c)
{
	double before = robust_deviation(c->before, c->nr_before);
	double after = robust_deviation(c->after, c->nr_after);

	if (c->median_before == 0 || c->median_after == 0)
		return 0;
	return sqrt((pow(before / c->median_before, 2) +
		     pow(after / c->median_after, 2)) /
		    2);
}

/*
 * @previous, NULL for none, has what is expensive if the numbers of runs are
 * the same: returned, in standard deviations.
 */
static double shift_of(const struct comparison *c,
		       const struct comparison *previous, double shift,
		       double alpha)
{
	if (previous && previous->nr_before == c->nr_before &&
	    previous->nr_after == c->nr_after)
		return shift;
	return detectable_shift(c->nr_before, c->nr_after, alpha);
}

/* Of what could not be told by ranks. */
static void find_detectable(struct comparison *c, size_t nr, double alpha)
{
	const struct comparison *previous = NULL;
	double shift = 0;
	size_t i;

	for (i = 0; i < nr; i++) {
		if (c[i].judgement != CANNOT_TELL)
			continue;
		shift = shift_of(&c[i], previous, shift, alpha / nr);
		previous = &c[i];
		c[i].detectable = isinf(shift) ? shift : shift * c[i].spread;
	}
}

/* As judge(), of one or more that all have a direction. */
static enum judge_method judge_whole(struct comparison *c, size_t nr,
				     const struct judge_rule *rule)
{
	enum judge_method method = judge_directed_change(c, nr, rule);
	size_t i;

	for (i = 0; i < nr; i++) {
		find_interval(&c[i]);
		c[i].spread = relative_spread(&c[i]);
		if (c[i].judgement == CANNOT_TELL && is_same(&c[i], rule))
			c[i].judgement = SAME;
	}
	if (method == JUDGED_BY_RANKS)
		find_detectable(c, nr, rule->alpha);
	return method;
}

enum judge_method judge(struct comparison *c, size_t nr,
			const struct judge_rule *rule)
{
	enum judge_method method = judge_directed(judge_whole, c, nr, rule);
	size_t i;

	for (i = 0; i < nr; i++) {
		if (c[i].judgement != NOT_JUDGED)
			continue;
		find_interval(&c[i]);
		c[i].spread = relative_spread(&c[i]);
	}
	return method;
}

#define SHIFT_SEED UINT64_C(0x6b766d6574657203)
#define SHIFT_TRIALS 25

/* Of the joint test, the median over sets of @nr normal metrics. */
static double joint_critical(size_t runs, size_t nr, double alpha)
{
	struct joint_metric *metrics = xcalloc(nr, sizeof(*metrics));
	double *v = xcalloc(2 * runs * nr, sizeof(*v));
	struct joint_sizes sizes = { nr, runs, runs };
	double critical[SHIFT_TRIALS];
	u64 state = SHIFT_SEED;
	size_t trial, i;

	for (i = 0; i < nr; i++)
		metrics[i] = (struct joint_metric){
			.a = v + 2 * runs * i,
			.b = v + 2 * runs * i + runs,
		};
	for (trial = 0; trial < SHIFT_TRIALS; trial++) {
		for (i = 0; i < 2 * runs * nr; i++)
			v[i] = random_normal(&state);
		critical[trial] = joint_test(metrics, &sizes, alpha);
	}
	free(v);
	free(metrics);
	return median_of(critical, SHIFT_TRIALS);
}

double judge_shift(size_t runs, size_t nr, const struct judge_rule *rule)
{
	if (!rule->same_runs || ranks_can_tell(runs, runs, nr, rule->alpha) ||
	    !joint_can_tell(runs, runs, rule->alpha))
		return detectable_shift(runs, runs, rule->alpha / nr);
	return (joint_critical(runs, nr, rule->alpha) + DETECTABLE_QUANTILE) *
	       sqrt(2.0 / runs);
}
