/* SPDX-License-Identifier: GPL-2.0-only */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#undef skip /* cmocka's */
#include "report_scaling.h"
#include "scaling.h"
#include "session.h"

enum { NR_POINTS = 6 };

/* One run with these values. */
static void measure(struct made_up *m, unsigned int point, u64 create_ns,
		    u64 thread_pages)
{
	struct point *p = &m->points[point];
	struct timing create = { .ns = create_ns };

	series_add(&p->series[CREATE], &create);
	p->series[CREATE].thread_pages = thread_pages;
	series_add_value(&p->series[WRITES], 1000 * (point + 1));
	for (unsigned int k = 0; k < NR_METRICS; k++)
		series_end_run(&p->series[k]);
	p->finished = true;
}

static void sweep(struct made_up *m, const u64 *vcpus, const u64 *bytes)
{
	made_up_init(m, NR_POINTS);
	for (unsigned int i = 0; i < NR_POINTS; i++) {
		m->points[i].vcpus = vcpus[i];
		m->points[i].bytes = bytes[i];
	}
}

/* vCPUs divide the memory; two have half of the work, and so on. */
static void test_vcpus(void **state __maybe_unused)
{
	static const u64 vcpus[] = { 1, 2, 3, 4, 5, 6 };
	static const u64 bytes[] = { MIB(64), MIB(64), MIB(64),
				     MIB(64), MIB(64), MIB(64) };
	static const u64 ns[] = { 60000, 30000, 60000, 15, 0, 5000000 };
	struct made_up m;

	sweep(&m, vcpus, bytes);
	for (unsigned int i = 0; i < NR_POINTS; i++)
		measure(&m, i, ns[i], 60 / vcpus[i]);
	report_scaling(&m.session);
	assert_string_equal(
		made_up_text(&m),
		/* clang-format off */
"#\n"
"# scaling over vcpus, bytes=64M: medians, as a multiple of that with 1 vCPU and of the ideal\n"
"# phase                1 vCPU    2 vCPUs ratio ideal    3 vCPUs ratio ideal    4 vCPUs ratio ideal\n"
"# create             60.00 us   30.00 us  0.50  1.00   60.00 us  1.00  3.00      15 ns 3e-04 0.001\n"
"# writes                 1000       2000  2.00     -       3000  3.00     -       4000  4.00     -\n"
"# phase                1 vCPU    5 vCPUs ratio ideal    6 vCPUs ratio ideal\n"
"# create             60.00 us       0 ns 0.000 0.000   5.000 ms  83.3   500\n"
"# writes                 1000       5000  5.00     -       6000  6.00     -\n"
"# note: beyond 2 vCPUs they take turns on the CPUs of this host\n");
	/* clang-format on */
	made_up_fini(&m);
}

/* Rows and columns of a sweep over both; an unfinished point has no say. */
static void test_both(void **state __maybe_unused)
{
	static const u64 vcpus[] = { 2, 2, 2, 1, 1, 1 };
	static const u64 bytes[] = { MIB(2), MIB(4), MIB(8),
				     MIB(2), MIB(4), MIB(8) };
	struct made_up m;

	sweep(&m, vcpus, bytes);
	for (unsigned int i = 0; i < NR_POINTS - 1; i++)
		measure(&m, i, (i + 1) * 1000, i == 1 ? 0 : bytes[i]);
	report_scaling(&m.session);
	assert_non_null(strstr(
		made_up_text(&m),
		/* clang-format off */
"# scaling over bytes, vcpus=2: medians, as a multiple of that with 2M and of the ideal\n"
"# phase                    2M         4M ratio ideal         8M ratio ideal\n"
"# create             1.000 us   2.000 us  2.00     -   3.000 us  3.00  0.75\n"));
	assert_non_null(strstr(m.text,
"# scaling over bytes, vcpus=1: medians, as a multiple of that with 2M and of the ideal\n"
"# phase                    2M         4M ratio ideal\n"
"# create             4.000 us   5.000 us  1.25  0.62\n"));
	assert_non_null(strstr(m.text,
"# scaling over vcpus, bytes=2M: medians, as a multiple of that with 2 vCPUs and of the ideal\n"
"# phase               2 vCPUs     1 vCPU ratio ideal\n"
"# create             1.000 us   4.000 us  4.00  4.00\n"));
	/* clang-format on */
	assert_null(strstr(m.text, "bytes=8M"));
	assert_null(strstr(m.text, "note:"));
	made_up_fini(&m);
}

/* No line is too wide, whatever the numbers. */
static void test_width(void **state __maybe_unused)
{
	static const u64 vcpus[] = { 4096, 4096, 4096, 4096, 4096, 4096 };
	static const u64 bytes[] = { 1,		 ~UINT64_C(0), GIB(1),
				     GIB(1) + 1, MIB(1536),    GIB(1000) };
	struct made_up m;
	char *line;

	sweep(&m, vcpus, bytes);
	for (unsigned int i = 0; i < NR_POINTS; i++)
		measure(&m, i, i % 2 ? ~UINT64_C(0) : 1, bytes[i]);
	report_scaling(&m.session);
	made_up_text(&m);
	for (line = strtok(m.text, "\n"); line; line = strtok(NULL, "\n"))
		/* this one has a column for a size of 20 digits */
		assert_true(strlen(line) <=
			    (strstr(line, "18446744073709551615") ? 110 : 100));
	made_up_fini(&m);
}

static void test_silence(void **state __maybe_unused)
{
	struct made_up m;

	made_up_init(&m, 1);
	made_up_measure(&m, &m.points[0]);
	report_scaling(&m.session);
	assert_string_equal(made_up_text(&m), "");
	made_up_fini(&m);

	made_up_init(&m, 2);
	m.config.quiet = true;
	made_up_measure(&m, &m.points[0]);
	made_up_measure(&m, &m.points[1]);
	report_scaling(&m.session);
	assert_string_equal(made_up_text(&m), "");
	made_up_fini(&m);
}

static void test_ideal(void **state __maybe_unused)
{
	struct scaling_point one = { 100, 1, 1000 };
	struct scaling_point four = { 1, 4, 250 }, unknown = { 1, 4, 0 };

	assert_true(scaling_ideal("ns", &one, &four) == 25);
	assert_true(scaling_ideal("ns", &four, &one) == 4);
	assert_true(scaling_ideal("pages/s", &one, &four) == 400);
	assert_true(scaling_ideal("pages/s", &one, &unknown) == 400);
	assert_true(scaling_ideal("blocks/min", &four, &one) == 0.25);
	assert_true(isnan(scaling_ideal("ns", &one, &unknown)));
	assert_true(isnan(scaling_ideal("ns", &unknown, &one)));
	assert_true(isnan(scaling_ideal("pages", &one, &four)));
	assert_true(isnan(scaling_ideal("/s", &one, &four)));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_vcpus), cmocka_unit_test(test_both),
		cmocka_unit_test(test_width), cmocka_unit_test(test_silence),
		cmocka_unit_test(test_ideal),
	};

	return cmocka_run_group_tests_name("report_scaling", tests, NULL, NULL);
}
