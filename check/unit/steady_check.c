/* SPDX-License-Identifier: GPL-2.0-only */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>
#include "judge.h"
#include "random.h"
#include "steady.h"

#define NR 20
#define SETS 1000

/* @found of @nr is @share, within four standard errors and some to spare. */
static void expect_share(size_t found, size_t nr, double share)
{
	double error = 4 * sqrt(share * (1 - share) / nr) + 0.005;

	if (fabs((double)found / nr - share) > error)
		fail_msg("%zu of %zu, expected %.1f%%", found, nr, 100 * share);
}

static void expect_near(double value, double expected, double error)
{
	if (!(fabs(value - expected) <= error))
		fail_msg("%.17g is not %.17g", value, expected);
}

static void make_normal(double *v, size_t nr, u64 *state)
{
	for (size_t i = 0; i < nr; i++)
		v[i] = 100 + random_normal(state);
}

/* S = 43 of 45 pairs; variance 10 * 9 * 25 / 18 = 125 */
static void test_trend_by_hand(void **state __maybe_unused)
{
	const double v[] = { 1, 2, 3, 4, 6, 5, 7, 8, 9, 10 };
	struct trend t = series_trend(v, 10);

	expect_near(t.p, erfc(42 / sqrt(125) / sqrt(2)), 1e-12);
	expect_near(t.slope, 1, 1e-12);
}

/* Five sets of two: S = 40, variance (2250 - 5 * 2 * 9) / 18 = 120 */
static void test_trend_with_ties(void **state __maybe_unused)
{
	const double v[] = { 1, 1, 2, 2, 3, 3, 4, 4, 5, 5 };

	expect_near(series_trend(v, 10).p, erfc(39 / sqrt(120) / sqrt(2)),
		    1e-12);
}

static void test_falls(void **state __maybe_unused)
{
	const double v[] = { 20, 18, 16, 14, 12, 10, 8, 6, 4, 2 };

	expect_near(series_trend(v, 10).slope, -2, 1e-12);
	assert_true(series_trend(v, 10).p < 1e-3);
}

/* Steps of 1 nine times over 82.5; variance 4 * 8 * 471 / (50 * 11 * 81) */
static void test_neighbours_by_hand(void **state __maybe_unused)
{
	const double v[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 };
	double z = (2 - 9 / 82.5) / sqrt(4 * 8 * 471 / (50.0 * 11 * 81));

	expect_near(series_neighbours(v, 10), erfc(z / sqrt(2)) / 2, 1e-12);
}

static void test_alternating(void **state __maybe_unused)
{
	double v[NR];

	for (size_t i = 0; i < NR; i++)
		v[i] = i % 2 ? 1 : 2;
	assert_true(series_neighbours(v, NR) > 0.99);
	assert_true(series_trend(v, NR).p > 0.1);
}

static void test_levels(void **state __maybe_unused)
{
	u64 random = 1;
	struct levels l;
	double v[NR];

	make_normal(v, NR, &random);
	for (size_t i = 0; i < NR; i += 3)
		v[i] += 12;
	l = series_levels(v, NR);
	assert_int_equal(l.nr_low, 13);
	expect_near(l.low, 100, 1);
	expect_near(l.high, 112, 1);
	expect_near(l.p, 0.001, 1e-9);
}

/* Too few of them to be a level. */
static void test_outliers_are_no_level(void **state __maybe_unused)
{
	u64 random = 2;
	double v[NR];

	make_normal(v, NR, &random);
	v[3] += 50;
	v[9] += 50;
	assert_true(series_levels(v, NR).p > 0.05);
}

static void test_few_or_equal(void **state __maybe_unused)
{
	double v[NR] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 };

	assert_true(series_trend(v, STEADY_MIN - 1).p == 1);
	assert_true(series_neighbours(v, STEADY_MIN - 1) == 1);
	assert_true(series_levels(v, STEADY_MIN - 1).p == 1);
	for (size_t i = 0; i < NR; i++)
		v[i] = 7;
	assert_true(series_trend(v, NR).p == 1);
	assert_true(series_neighbours(v, NR) == 1);
	assert_true(series_levels(v, NR).p == 1);
}

static void test_false_alarms(void **state __maybe_unused)
{
	size_t trend = 0, neighbours = 0, levels = 0;
	u64 random = 3;
	double v[NR];

	for (size_t i = 0; i < SETS; i++) {
		make_normal(v, NR, &random);
		trend += series_trend(v, NR).p <= 0.05;
		neighbours += series_neighbours(v, NR) <= 0.05;
		if (i < SETS / 10)
			levels += series_levels(v, NR).p <= 0.05;
	}
	expect_share(trend, SETS, 0.05);
	expect_share(neighbours, SETS, 0.05);
	expect_share(levels, SETS / 10, 0.05);
}

/* Whether the first of @nr metrics is found to be @shift larger. */
static bool is_found(size_t runs, size_t nr, double shift, u64 *random)
{
	const struct judge_rule rule = { .alpha = 0.01, .same_runs = true };
	struct comparison *c = calloc(nr, sizeof(*c));
	double *v = calloc(2 * runs * nr, sizeof(*v));
	bool found;

	assert_true(c && v);
	make_normal(v, 2 * runs * nr, random);
	for (size_t i = 0; i < runs; i++)
		v[runs + i] += shift;
	for (size_t i = 0; i < nr; i++)
		c[i] = (struct comparison){
			.before = v + 2 * runs * i,
			.after = v + 2 * runs * i + runs,
			.nr_before = runs,
			.nr_after = runs,
		};
	judge_change(c, nr, &rule);
	found = c[0].p_adjusted <= rule.alpha;
	free(v);
	free(c);
	return found;
}

/* By ranks and, for 5 runs of 5 metrics, jointly; half of it shows less. */
static void test_shift(void **state __maybe_unused)
{
	static const struct {
		size_t runs, nr;
	} sizes[] = { { 10, 1 }, { 20, 5 }, { 5, 5 } };
	const struct judge_rule rule = { .alpha = 0.01, .same_runs = true };
	u64 random = 4;

	for (size_t k = 0; k < ARRAY_SIZE(sizes); k++) {
		size_t runs = sizes[k].runs, nr = sizes[k].nr;
		double shift = judge_shift(runs, nr, &rule);
		size_t found = 0, half = 0;

		for (size_t i = 0; i < 200; i++) {
			found += is_found(runs, nr, shift, &random);
			half += is_found(runs, nr, shift / 2, &random);
		}
		expect_share(found, 200, 0.78);
		assert_true(half < 70);
	}
}

static void test_shift_of_too_few(void **state __maybe_unused)
{
	const struct judge_rule rule = { .alpha = 0.01, .same_runs = true };

	assert_true(isinf(judge_shift(4, 1, &rule)));
	assert_true(isinf(judge_shift(4, 5, &rule)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_trend_by_hand),
		cmocka_unit_test(test_trend_with_ties),
		cmocka_unit_test(test_falls),
		cmocka_unit_test(test_neighbours_by_hand),
		cmocka_unit_test(test_alternating),
		cmocka_unit_test(test_levels),
		cmocka_unit_test(test_outliers_are_no_level),
		cmocka_unit_test(test_few_or_equal),
		cmocka_unit_test(test_false_alarms),
		cmocka_unit_test(test_shift),
		cmocka_unit_test(test_shift_of_too_few),
	};

	return cmocka_run_group_tests_name("steady", tests, NULL, NULL);
}
