/* SPDX-License-Identifier: GPL-2.0-only */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>
#include "turns.h"

#define NR 40	  /* measurements that are looked at */
#define STEPS 400 /* of the spectrum */

static double sign(int side)
{
	return side ? 1 : -1;
}

/* Of B minus A over @nr measurements from @from, weighed by time ^ @power. */
static double excess(size_t from, size_t nr, int power)
{
	double sum = 0;

	for (size_t i = from; i < from + nr; i++)
		sum += sign(turn_side(i)) * pow(i, power);
	return sum;
}

static void test_beginning(void **state __maybe_unused)
{
	static const char wanted[] = "ABBAABBAABBABAABABBAABBABAABABBA";

	for (size_t i = 0; wanted[i]; i++)
		assert_int_equal('A' + turn_side(i), wanted[i]);
}

static void test_drift_cancels(void **state __maybe_unused)
{
	for (size_t i = 0; i < NR; i += 2)
		assert_true(excess(i, 2, 0) == 0);
	for (size_t i = 0; i < NR; i += 4)
		assert_true(excess(i, 4, 1) == 0);
	assert_false(excess(0, 4, 2) == 0);
}

/*
 * What a sinusoid of any period leaves of itself in the difference, at worst:
 * the largest amplitude in the spectrum of @nr signs.
 */
static double worst_share(int (*side)(size_t i), size_t nr)
{
	double worst = 0;

	for (size_t k = 1; k <= STEPS; k++) {
		double angle = M_PI * k / STEPS, real = 0, imaginary = 0;

		for (size_t i = 0; i < nr; i++) {
			real += sign(side(i)) * cos(angle * i);
			imaginary += sign(side(i)) * sin(angle * i);
		}
		worst = fmax(worst, hypot(real, imaginary) / nr);
	}
	return worst;
}

static int repeated(size_t i)
{
	return i % 4 == 1 || i % 4 == 2;
}

static int thue_morse(size_t i)
{
	return __builtin_parityll(i);
}

static void test_no_period(void **state __maybe_unused)
{
	assert_true(worst_share(turn_side, 40) < 0.43);
	assert_true(worst_share(turn_side, 80) < 0.30);
	assert_true(worst_share(repeated, 40) > 0.70);
	assert_true(worst_share(repeated, 80) > 0.70);
	assert_true(worst_share(thue_morse, 40) > 0.46);
	assert_true(worst_share(thue_morse, 80) > 0.39);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_beginning),
		cmocka_unit_test(test_drift_cancels),
		cmocka_unit_test(test_no_period),
	};

	return cmocka_run_group_tests_name("turns", tests, NULL, NULL);
}
