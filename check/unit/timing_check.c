/* SPDX-License-Identifier: GPL-2.0-only */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#undef skip /* cmocka's */
#include "clock.h"
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

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_per_min),
		cmocka_unit_test(test_no_time),
	};

	return cmocka_run_group_tests_name("timing", tests, NULL, NULL);
}
