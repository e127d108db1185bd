/* SPDX-License-Identifier: GPL-2.0-only */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>
#include "stats.h"

static void expect_near(double value, double expected)
{
	if (!(fabs(value - expected) <= 1e-9 * fabs(expected)))
		fail_msg("%.17g is not %.17g", value, expected);
}

static void test_one(void **state __maybe_unused)
{
	const u64 v[] = { 42 };
	struct summary s = stats_summary(v, 1);

	assert_int_equal(s.nr, 1);
	expect_near(s.min, 42);
	expect_near(s.max, 42);
	expect_near(s.median, 42);
	expect_near(s.mean, 42);
	assert_true(s.stddev == 0);
	assert_false(s.has_ci);
	assert_true(stats_ci_percent(&s) < 0);
}

static void test_even(void **state __maybe_unused)
{
	const u64 v[] = { 4, 1, 3, 10 };
	struct summary s = stats_summary(v, 4);

	expect_near(s.min, 1);
	expect_near(s.max, 10);
	expect_near(s.median, 3.5);
	expect_near(s.mean, 4.5);
	/* 12.25 + 2.25 + 0.25 + 30.25 = 45 over 3 */
	expect_near(s.stddev, sqrt(15));
	assert_int_equal(v[0], 4);
	assert_int_equal(v[3], 10);
}

/* Against Python's statistics.median, mean and stdev. */
static void test_real(void **state __maybe_unused)
{
	const u64 v[] = { 160386123, 158960001, 166012345, 159200000,
			  161000000, 158900000, 163123456 };
	struct summary s = stats_summary(v, ARRAY_SIZE(v));

	expect_near(s.median, 160386123);
	expect_near(s.mean, 161083132.14285714);
	expect_near(s.stddev, 2638583.3320760992);
	assert_true(s.has_ci);
	expect_near(s.ci_low, 158900000);
	expect_near(s.ci_high, 166012345);
	/* The farther end is the upper one: 5626222 of 160386123. */
	expect_near(stats_ci_percent(&s), 100 * 5626222.0 / 160386123);
}

/* Large samples must not lose their spread. */
static void test_large(void **state __maybe_unused)
{
	const u64 huge[] = { UINT64_MAX, UINT64_MAX };
	const u64 close[] = { BIT(50) + 1, BIT(50) + 2, BIT(50) + 3 };
	struct summary s = stats_summary(huge, 2);

	expect_near(s.median, 0x1p64);
	expect_near(s.mean, 0x1p64);
	assert_true(s.stddev == 0);
	s = stats_summary(close, 3);
	expect_near(s.median, BIT(50) + 2);
	expect_near(s.stddev, 1);
}

/* Summary of @nr samples: 10, 20, 30 ... in a scrambled order. */
static struct summary summary_of(size_t nr)
{
	u64 *v = calloc(nr, sizeof(*v));
	struct summary s;
	size_t i;

	/* 7919 is prime and no @nr here is a multiple of it. */
	for (i = 0; i < nr; i++)
		v[i] = 10 * (i * 7919 % nr + 1);
	s = stats_summary(v, nr);
	free(v);
	return s;
}

static void expect_ranks(size_t nr, size_t low, size_t high)
{
	struct summary s = summary_of(nr);

	assert_int_equal(s.nr, nr);
	expect_near(s.min, 10);
	expect_near(s.max, 10.0 * nr);
	expect_near(s.median, 5.0 * (nr + 1));
	assert_int_equal(s.has_ci, low > 0);
	if (low) {
		expect_near(s.ci_low, 10.0 * low);
		expect_near(s.ci_high, 10.0 * high);
	}
}

/*
 * [x_k, x_n+1-k] misses the median with probability 2 P(X < k), where P(X < k)
 * is the sum of the binomial coefficients (n 0) ... (n k-1) over 2^n:
 *
 *   n   k  covers                          k + 1 would cover
 *   5   0                                  1 - 2 * 1 / 32    = 93.75 %
 *   6   1  1 - 2 * 1 / 64     = 96.88 %    1 - 2 * 7 / 64    = 78.13 %
 *   7   1  1 - 2 * 1 / 128    = 98.44 %    1 - 2 * 8 / 128   = 87.50 %
 *   8   1  1 - 2 * 1 / 256    = 99.22 %    1 - 2 * 9 / 256   = 92.97 %
 *   9   2  1 - 2 * 10 / 512   = 96.09 %    1 - 2 * 46 / 512  = 82.03 %
 *  10   2  1 - 2 * 11 / 1024  = 97.85 %    1 - 2 * 56 / 1024 = 89.06 %
 *  11   2  1 - 2 * 12 / 2048  = 98.83 %    1 - 2 * 67 / 2048 = 93.46 %
 *  12   3  1 - 2 * 79 / 4096  = 96.14 %    1 - 2 * 299 / 4096 = 85.40 %
 *
 * The large ones are from the same sums in Python's exact integers.
 */
static void test_ranks(void **state __maybe_unused)
{
	expect_ranks(1, 0, 0);
	expect_ranks(2, 0, 0);
	expect_ranks(3, 0, 0);
	expect_ranks(4, 0, 0);
	expect_ranks(5, 0, 0);
	expect_ranks(6, 1, 6);
	expect_ranks(7, 1, 7);
	expect_ranks(8, 1, 8);
	expect_ranks(9, 2, 8);
	expect_ranks(10, 2, 9);
	expect_ranks(11, 2, 10);
	expect_ranks(12, 3, 10);
	expect_ranks(17, 5, 13);
	expect_ranks(100, 40, 61);
	expect_ranks(101, 41, 61);
	expect_ranks(1000, 469, 532);
	expect_ranks(1001, 470, 532);
	/* Here 2^-n is no double any more. */
	expect_ranks(3000, 1446, 1555);
	expect_ranks(10000, 4902, 5099);
	assert_int_equal(STATS_CI_MIN, 6);
}

/* Every n whose sums fit into u64, by the definition: 40 sum <= 2^n. */
static void test_ranks_exactly(void **state __maybe_unused)
{
	u64 binomial, sum;
	size_t n, k;

	for (n = 1; n <= 58; n++) {
		binomial = 1;
		sum = 0;
		for (k = 0; sum + binomial <= BIT(n) / 40; k++) {
			sum += binomial;
			binomial = binomial * (n - k) / (k + 1);
		}
		expect_ranks(n, k, n + 1 - k);
	}
}

static void test_percent(void **state __maybe_unused)
{
	const u64 upper[] = { 95, 100, 100, 100, 100, 110 };
	const u64 lower[] = { 80, 100, 100, 100, 100, 110 };
	const u64 equal[] = { 7, 7, 7, 7, 7, 7 };
	const u64 zeros[6] = { 0 };
	const u64 zero_median[] = { 0, 0, 0, 0, 0, 9 };
	const u64 few[] = { 1, 2, 3, 4, 5 };
	struct summary s;

	s = stats_summary(upper, 6);
	expect_near(stats_ci_percent(&s), 10);
	s = stats_summary(lower, 6);
	expect_near(stats_ci_percent(&s), 20);
	s = stats_summary(equal, 6);
	assert_true(stats_ci_percent(&s) == 0);
	s = stats_summary(zeros, 6);
	assert_true(stats_ci_percent(&s) == 0);
	s = stats_summary(zero_median, 6);
	assert_true(stats_ci_percent(&s) < 0);
	s = stats_summary(few, 5);
	assert_true(stats_ci_percent(&s) < 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one),
		cmocka_unit_test(test_even),
		cmocka_unit_test(test_real),
		cmocka_unit_test(test_large),
		cmocka_unit_test(test_ranks),
		cmocka_unit_test(test_ranks_exactly),
		cmocka_unit_test(test_percent),
	};

	return cmocka_run_group_tests_name("stats", tests, NULL, NULL);
}
