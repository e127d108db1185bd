/* SPDX-License-Identifier: GPL-2.0-only */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#undef skip /* cmocka's */
#include "child.h"
#include "metrics.h"

/* Enough samples for the array to move several times. */
#define NR_SAMPLES 1000
#define NR_VCPUS 3

static void test_series(void **state __maybe_unused)
{
	struct series s = { 0 };

	for (u64 i = 0; i < NR_SAMPLES; i++) {
		u64 vcpu_ns[NR_VCPUS] = { i, i + 1, i + 2 };
		struct timing t = {
			.ns = i + 2,
			.vcpu_ns = vcpu_ns,
			.nr_vcpus = NR_VCPUS,
			.usage = { { 1, 2, 4, 5, 6 }, { 7, 8, 9, 10, 11 }, 3 }
		};

		series_add(&s, &t);
	}
	assert_int_equal(s.nr, NR_SAMPLES);
	for (u64 i = 0; i < NR_SAMPLES; i++) {
		assert_int_equal(s.samples[i], i + 2);
		for (u64 k = 0; k < NR_VCPUS; k++)
			assert_int_equal(s.vcpu_samples[i * NR_VCPUS + k],
					 i + k);
	}
	assert_int_equal(s.usage.vcpus.user_ns, NR_SAMPLES);
	assert_int_equal(s.usage.vcpus.sys_ns, 2 * NR_SAMPLES);
	assert_int_equal(s.usage.in_run_ns, 3 * NR_SAMPLES);
	assert_int_equal(s.usage.vcpus.voluntary, 4 * NR_SAMPLES);
	assert_int_equal(s.usage.vcpus.involuntary, 5 * NR_SAMPLES);
	assert_int_equal(s.usage.vcpus.delay_ns, 6 * NR_SAMPLES);
	assert_int_equal(s.usage.host.user_ns, 7 * NR_SAMPLES);
	assert_int_equal(s.usage.host.delay_ns, 11 * NR_SAMPLES);
	series_fini(&s);
	assert_int_equal(s.nr, 0);
}

/*
 * As many runs as one may want, each with room made for it: by buffers that
 * double, since every byte is copied where a realloc() that always moves it
 * would take hours (AddressSanitizer's does).
 */
static void test_many_runs(void **state __maybe_unused)
{
	const u64 nr = 1000 * 1000;
	struct series s = { 0 };
	const u64 *last = NULL;
	unsigned int moves = 0;

	for (u64 i = 0; i < nr; i++) {
		series_reserve(&s, 1);
		series_add_value(&s, i);
		series_end_run(&s);
		moves += s.samples != last;
		last = s.samples;
	}
	assert_int_equal(s.nr, nr);
	assert_int_equal(s.nr_runs, nr);
	assert_true(s.room <= 2 * nr);
	assert_true(moves <= 32);
	for (u64 i = 0; i < nr; i++)
		if (s.samples[i] != i || s.run_medians[i] != i)
			fail_msg("run %llu is lost", (unsigned long long)i);
	series_fini(&s);
}

/* Samples of the host: they stay, and each run has its quantiles. */
static void test_tail(void **state __maybe_unused)
{
	struct series s = { 0 };

	series_keep_tail(&s);
	for (u64 run = 1; run <= 2; run++) {
		for (u64 i = 1; i <= 1000; i++)
			series_add(&s, &(struct timing){ .ns = run * i });
		series_end_run(&s);
	}
	series_end_run(&s);
	assert_int_equal(s.nr, 2000);
	assert_int_equal(s.nr_runs, 2);
	assert_int_equal(s.tail->nr_runs, 2);
	for (u64 run = 1; run <= 2; run++) {
		assert_in_range(s.tail->of_runs[0][run - 1], 492 * run,
				508 * run);
		assert_in_range(s.tail->of_runs[3][run - 1], 984 * run,
				1000 * run);
	}
	assert_int_equal(s.tail->all.nr, 2000);
	assert_true(histogram_max_ns(&s.tail->all) == 2000);
	series_fini(&s);
}

/* Samples of guests: each run has their median as its sample. */
static void test_guest_tail(void **state __maybe_unused)
{
	struct guest_histogram *g = test_calloc(1, sizeof(*g));
	struct series s = { 0 };

	series_keep_tail(&s);
	for (u64 i = 1; i <= 20; i++)
		guest_histogram_add(g, i);
	for (unsigned int run = 0; run < 3; run++) {
		series_add_guest(&s, 0, 2, g, 2.5);
		series_add_guest(&s, 1, 2, g, 2.5);
		series_add_guest(&s, 1, 2, g, 2.5);
		series_end_run(&s);
	}
	assert_int_equal(s.nr, 3);
	assert_int_equal(s.nr_runs, 3);
	assert_int_equal(s.samples[2], 25);
	assert_int_equal(s.tail->vcpu[0].nr, 60);
	assert_int_equal(s.tail->vcpu[1].nr, 120);
	assert_int_equal(s.tail->all.nr, 180);
	assert_true(histogram_max_ns(&s.tail->all) == 50);
	series_fini(&s);
	test_free(g);
}

/* Rounds of one run count once. */
static void test_runs(void **state __maybe_unused)
{
	static const u64 samples[] = { 10, 30, 20, 7, 100, 300 };
	struct series s = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		series_add_value(&s, samples[i]);
		if (i == 2 || i == 3)
			series_end_run(&s);
	}
	series_end_run(&s);
	/* a run without samples, such as a warm-up */
	series_end_run(&s);
	assert_int_equal(s.nr_runs, 3);
	assert_int_equal(s.run_medians[0], 20);
	assert_int_equal(s.run_medians[1], 7);
	assert_int_equal(s.run_medians[2], 200);
	assert_int_equal(s.run_samples[0], 3);
	assert_int_equal(s.run_samples[1], 1);
	assert_int_equal(s.run_samples[2], 2);
	series_fini(&s);
}

static void mix(void *arg __maybe_unused)
{
	struct series s = { 0 };
	u64 vcpu_ns[2] = { 0 };

	series_add(&s, &(struct timing){ .vcpu_ns = vcpu_ns, .nr_vcpus = 2 });
	series_add_value(&s, 1);
}

static void test_mixed(void **state __maybe_unused)
{
	struct child child;

	child_run(&child, mix, NULL);
	assert_int_equal(child.code, 1);
	assert_non_null(strstr(child.err, "samples of 2 and of 0 vCPUs"));
}

static void test_stats(void **state __maybe_unused)
{
	struct series s = { 0 };
	struct stat_change *change;

	for (s64 i = 0; i < 3; i++) {
		change = calloc(1, sizeof(*change));
		change->name = strdup("exits");
		change->change = i;
		series_take_stats(&s, change, 1);
	}
	assert_int_equal(s.nr_stats, 1);
	assert_int_equal(s.stats[0].change, 2);
	series_fini(&s);
}

/* From best to worst; the first detail of the worst stays. */
static void test_merge(void **state __maybe_unused)
{
	static const enum check_result order[] = {
		CHECK_NOT_REACHED, CHECK_NOT_APPLICABLE, CHECK_OK,
		CHECK_UNVERIFIED,  CHECK_FAILED,
	};

	for (size_t a = 1; a < ARRAY_SIZE(order); a++) {
		for (size_t b = 1; b < ARRAY_SIZE(order); b++) {
			struct check_state c = { 0 };

			check_merge(&c, order[a], "first");
			check_merge(&c, order[b], "second");
			assert_int_equal(c.result, order[a > b ? a : b]);
			assert_string_equal(c.detail,
					    b > a ? "second" : "first");
			free(c.detail);
		}
	}
}

static void test_passes(void **state __maybe_unused)
{
	static const struct {
		enum check_result result;
		bool passes, passes_strictly;
	} rows[] = {
		{ CHECK_NOT_REACHED, false, false },
		{ CHECK_NOT_APPLICABLE, true, true },
		{ CHECK_OK, true, true },
		{ CHECK_UNVERIFIED, true, false },
		{ CHECK_FAILED, false, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct check_state c = { .result = rows[i].result };

		assert_int_equal(check_passes(&c, false), rows[i].passes);
		assert_int_equal(check_passes(&c, true),
				 rows[i].passes_strictly);
	}
}

/* Names that doc/results.schema.json lists. */
static void test_names(void **state __maybe_unused)
{
	assert_string_equal(metric_unit_name(UNIT_NS), "ns");
	assert_string_equal(metric_unit_name(UNIT_PAGES), "pages");
	assert_string_equal(metric_unit_name(UNIT_PAGES_PER_S), "pages/s");
	assert_string_equal(metric_unit_name(UNIT_PROCESSES_PER_S),
			    "processes/s");
	assert_string_equal(check_result_name(CHECK_OK), "ok");
	assert_string_equal(check_result_name(CHECK_FAILED), "not ok");
	assert_string_equal(check_result_name(CHECK_UNVERIFIED),
			    "not verified");
	assert_string_equal(check_result_name(CHECK_NOT_REACHED),
			    "not verified");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_series),
		cmocka_unit_test(test_many_runs),
		cmocka_unit_test(test_tail),
		cmocka_unit_test(test_guest_tail),
		cmocka_unit_test(test_runs),
		cmocka_unit_test(test_mixed),
		cmocka_unit_test(test_stats),
		cmocka_unit_test(test_merge),
		cmocka_unit_test(test_passes),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests_name("metrics", tests, NULL, NULL);
}
