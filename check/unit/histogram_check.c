/* SPDX-License-Identifier: GPL-2.0-only */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#undef skip /* cmocka's */
#include "histogram.h"
#include "util.h"

/* Buckets follow each other without a gap, and none is too wide. */
static void test_buckets(void **state __maybe_unused)
{
	for (u32 i = 0; i < HISTOGRAM_BUCKETS; i++) {
		u64 from = histogram_bucket_start(i);
		u64 to = histogram_bucket_start(i + 1);

		assert_true(to > from);
		assert_int_equal(histogram_bucket(from), i);
		assert_int_equal(histogram_bucket(to - 1), i);
		if (from >= HISTOGRAM_LINEAR)
			assert_true((double)(to - from) / from <= 1.0 / 64);
		else
			assert_int_equal(to - from, 1);
	}
	assert_int_equal(histogram_bucket_start(HISTOGRAM_BUCKETS),
			 BIT(HISTOGRAM_BITS));
	assert_int_equal(histogram_bucket(BIT(HISTOGRAM_BITS)),
			 HISTOGRAM_BUCKETS - 1);
	assert_int_equal(histogram_bucket(~UINT64_C(0)), HISTOGRAM_BUCKETS - 1);
}

static int compare_u64(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return (x > y) - (x < y);
}

#define NR 5000

/* Values over seven orders of magnitude. */
static void fill(u64 v[NR])
{
	for (u32 i = 0; i < NR; i++)
		v[i] = (u64)(i * UINT64_C(2654435761) % 9973 + 1)
		       << (i * 7 % 20);
}

static void assert_near(double value, double exact, double unit_ns)
{
	assert_true(fabs(value - exact) <= exact / 64 + unit_ns / 2);
}

static void test_quantiles(void **state __maybe_unused)
{
	static const double tick_ns = 0.4;
	struct guest_histogram *g = xcalloc(1, sizeof(*g));
	struct histogram h = { 0 };
	u64 v[NR];
	double sum = 0;

	fill(v);
	for (u32 i = 0; i < NR; i++) {
		guest_histogram_add(g, v[i]);
		sum += v[i];
	}
	histogram_add_guest(&h, g, tick_ns);
	qsort(v, NR, sizeof(*v), compare_u64);
	for (u32 i = 0; i < HISTOGRAM_QUANTILES; i++) {
		double q = histogram_quantiles[i].quantile;

		assert_near(histogram_quantile(&h, q),
			    v[(u32)ceil(q * NR) - 1] * tick_ns, tick_ns);
	}
	assert_near(histogram_quantile(&h, 0), v[0] * tick_ns, tick_ns);
	assert_true(histogram_quantile(&h, 1) <= histogram_max_ns(&h));
	assert_true(histogram_max_ns(&h) == v[NR - 1] * tick_ns);
	assert_true(fabs(histogram_mean_ns(&h) - sum / NR * tick_ns) < 1e-6);
	histogram_fini(&h);
	free(g);
}

static void test_merge(void **state __maybe_unused)
{
	struct histogram a = { 0 }, b = { 0 }, empty = { 0 };

	for (u64 i = 1; i <= 50; i++) {
		histogram_add(&a, i);
		histogram_add(&b, 1000000 + i);
	}
	histogram_merge(&a, &empty);
	assert_int_equal(a.nr, 50);
	histogram_merge(&a, &b);
	histogram_merge(&empty, &b);
	assert_int_equal(a.nr, 100);
	assert_int_equal(empty.nr, 50);
	assert_true(histogram_quantile(&a, 0.5) == 50);
	assert_near(histogram_quantile(&a, 0.51), 1000001, 1);
	assert_true(histogram_max_ns(&a) == 1000050);
	histogram_fini(&a);
	histogram_fini(&b);
	histogram_fini(&empty);
	assert_true(histogram_quantile(&a, 0.5) == 0);
	assert_true(histogram_mean_ns(&a) == 0);
}

static void test_json(void **state __maybe_unused)
{
	struct histogram h = { 0 };
	char *text;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);
	struct json j;

	histogram_add(&h, 7);
	histogram_add(&h, 7);
	histogram_add(&h, 129);
	json_init(&j, out);
	json_object_begin(&j, NULL);
	histogram_json_summary(&h, &j);
	histogram_json_buckets(&h, &j);
	json_object_end(&j);
	fclose(out);
	assert_non_null(strstr(text, "\"samples\": 3"));
	assert_non_null(strstr(text, "\"p50_ns\": 7"));
	assert_non_null(strstr(text, "\"p99_9_ns\": 129"));
	assert_non_null(strstr(text, "\"max_ns\": 129"));
	assert_non_null(strstr(text, "[7, 8, 2]"));
	assert_non_null(strstr(text, "[128, 130, 1]"));
	histogram_fini(&h);
	free(text);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_buckets),
		cmocka_unit_test(test_quantiles),
		cmocka_unit_test(test_merge),
		cmocka_unit_test(test_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
