/* SPDX-License-Identifier: GPL-2.0-only */
/* In which runs the kernel's tracepoints may be live, and that it is said. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#undef skip /* cmocka's */
#include "point.h"
#include "util.h"

static void expect(u64 warmup, bool dropped, bool may, const char *noted)
{
	struct bench_config config = { .warmup = warmup };
	struct point point = { 0 };
	struct run r = { .config = &config,
			 .point = &point,
			 .dropped = dropped };

	assert_int_equal(run_may_trace(&r), may);
	if (!may)
		return;
	run_is_traced(&r);
	assert_int_equal(point.nr_notes, noted != NULL);
	if (noted)
		assert_non_null(strstr(point.notes[0], noted));
	for (unsigned int i = 0; i < point.nr_notes; i++)
		free(point.notes[i]);
	free(point.notes);
}

static void test_may_trace(void **state __maybe_unused)
{
	expect(1, true, true, NULL);
	expect(1, false, false, NULL);
	expect(3, false, false, NULL);
	expect(0, false, true, "with --warmup 1 they are in that run alone");
}

/* What a warm-up has proven is; what another has not is not. */
static void test_proven(void **state __maybe_unused)
{
	struct check_state state_of[] = { { CHECK_NOT_REACHED, NULL },
					  { CHECK_NOT_APPLICABLE, NULL },
					  { CHECK_OK, NULL },
					  { CHECK_UNVERIFIED, NULL },
					  { CHECK_FAILED, NULL } };
	struct point point = { .checks = state_of };
	struct run r = { .point = &point };

	for (int i = 0; i < (int)ARRAY_SIZE(state_of); i++)
		assert_int_equal(check_is_proven(&r, i), i == CHECK_OK);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_may_trace),
		cmocka_unit_test(test_proven),
	};

	return cmocka_run_group_tests_name("trace", tests, NULL, NULL);
}
