/* SPDX-License-Identifier: GPL-2.0-only */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#undef skip /* cmocka's */
#include "clock.h"
#include "progress.h"
#include "timing.h"

/* Each vCPU by its own time, not by that of the last to arrive. */
static void test_per_min(void **state __maybe_unused)
{
	static const u64 vcpu_ns[] = { 30 * NSEC_PER_SEC, 10 * NSEC_PER_SEC };
	static const u64 done[] = { 3000, 1000 };
	struct timing t = { .ns = 30 * NSEC_PER_SEC,
			    .vcpu_ns = vcpu_ns,
			    .nr_vcpus = 2 };

	assert_int_equal(timing_per_min(&t, done), 12000);
	t.nr_vcpus = 1;
	assert_int_equal(timing_per_min(&t, done), 6000);
}

/* What took no time to tell has no rate. */
static void test_no_time(void **state __maybe_unused)
{
	static const u64 vcpu_ns[] = { 0, NSEC_PER_SEC };
	static const u64 done[] = { 1, 1 };
	struct timing t = { .ns = NSEC_PER_SEC,
			    .vcpu_ns = vcpu_ns,
			    .nr_vcpus = 2 };

	assert_int_equal(timing_per_min(&t, done), 60);
}

/* At the rate so far; without one, twice as long as so far. */
static void test_wait(void **state __maybe_unused)
{
	struct progress p = { .reads = 100, .writes = 150, .ns = 100000 };

	assert_int_equal(progress_wait_ns(p, 1000), 300000);
	assert_int_equal(progress_wait_ns(p, 1000000), 1000000);
	assert_int_equal(progress_wait_ns(p, 251), 20000);
	assert_int_equal(progress_wait_ns(p, 250), 0);
	assert_int_equal(progress_wait_ns(p, 1), 0);
	p = (struct progress){ .ns = 100000 };
	assert_int_equal(progress_wait_ns(p, 1000), 100000);
	assert_int_equal(progress_wait_ns(p, 0), 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_per_min),
		cmocka_unit_test(test_no_time),
		cmocka_unit_test(test_wait),
	};

	return cmocka_run_group_tests_name("timing", tests, NULL, NULL);
}
