/* SPDX-License-Identifier: GPL-2.0-only */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#undef skip /* cmocka's */
#include "report.h"
#include "session.h"
#include "variants.h"

static void test_whole(void **state __maybe_unused)
{
	struct made_up m;

	made_up_init(&m, 1);
	made_up_measure(&m, &m.points[0]);
	m.points[0].notes = (char *[]){ "one line", "two\nlines" };
	m.points[0].nr_notes = 2;
	m.points[0].series[WRITES].remark = xstrdup("of all");
	report_begin(&m.session);
	report_point(&m.session, &m.points[0]);
	assert_string_equal(
		made_up_text(&m),
		/* clang-format off */
"KTAP version 1\n"
"1..3\n"
"# made_up_test: what is it that is printed?\n"
"# host: Linux 6.18.0 x86_64, A \"fast\" CPU, 2 CPUs, 4G\n"
"# kvm: kvm_amd, thp madvise, governor unknown, clocksource unknown\n"
"# config: backing anonymous, mode PXXV48_4K, slots 1, runs 6 after 1 for warm-up, rounds 3\n"
"#\n"
"# vcpus=1 bytes=64M\n"
"# phase                median        min        max   ±95%   per page  check\n"
"# create             102.5 us   100.0 us   105.0 us    2.4%   400.4 ns  256 x 4K\n"
"# get_log            2.500 us   2.500 us   2.500 us    0.0%          -  256 of 256\n"
"# writes              50.33 M    50.33 M    50.33 M    0.0%          -  of all\n"
"# note: one line\n"
"# note: two\n"
"# lines\n"
"ok 1 - create: mappings # 256 x 4K\n"
"ok 2 - get_log: dirty log # 256 of 256\n"
"ok 3 - get_log: count # SKIP not applicable: no count\n");
	/* clang-format on */
	made_up_fini(&m);
}

static void test_steal(void **state __maybe_unused)
{
	struct made_up m;

	made_up_init(&m, 1);
	made_up_measure(&m, &m.points[0]);
	m.points[0].ns = 1000000000;
	m.points[0].steal_ns = 40000000;
	report_point(&m.session, &m.points[0]);
	assert_non_null(
		strstr(made_up_text(&m),
		       "# note: 40.00 ms of the CPUs' time were stolen by "
		       "a hypervisor meanwhile, 2.0 %\n"));
	made_up_fini(&m);
}

static void test_points(void **state __maybe_unused)
{
	struct made_up m;

	made_up_init(&m, 2);
	m.config.quiet = true;
	made_up_measure(&m, &m.points[0]);
	made_up_measure(&m, &m.points[1]);
	report_begin(&m.session);
	report_point(&m.session, &m.points[0]);
	report_point(&m.session, &m.points[1]);
	assert_string_equal(
		made_up_text(&m),
		/* clang-format off */
"KTAP version 1\n"
"1..6\n"
"ok 1 - vcpus=1 bytes=64M create: mappings # 256 x 4K\n"
"ok 2 - vcpus=1 bytes=64M get_log: dirty log # 256 of 256\n"
"ok 3 - vcpus=1 bytes=64M get_log: count # SKIP not applicable: no count\n"
"ok 4 - vcpus=2 bytes=64M create: mappings # 256 x 4K\n"
"ok 5 - vcpus=2 bytes=64M get_log: dirty log # 256 of 256\n"
"ok 6 - vcpus=2 bytes=64M get_log: count # SKIP not applicable: no count\n");
	/* clang-format on */
	made_up_fini(&m);
}

/* The worst of all runs is what a check says, in table and result. */
static void test_results(void **state __maybe_unused)
{
	struct made_up m;
	struct check_state *c;

	made_up_init(&m, 1);
	made_up_measure(&m, &m.points[0]);
	c = m.points[0].checks;
	check_merge(&c[CREATED], CHECK_FAILED, "255 x 4K");
	check_merge(&c[CREATED], CHECK_FAILED, "another run: 254 x 4K");
	check_merge(&c[CREATED], CHECK_OK, "256 x 4K");
	check_merge(&c[LOGGED], CHECK_UNVERIFIED, "no statistics");
	check_merge(&c[COUNTED], CHECK_OK, "all");
	report_point(&m.session, &m.points[0]);
	assert_non_null(strstr(made_up_text(&m), "  NOT OK: 255 x 4K\n"));
	assert_non_null(strstr(m.text, "  not verified: no statistics; all\n"));
	assert_non_null(strstr(m.text,
			       "\nnot ok 1 - create: mappings # 255 x 4K\n"
			       "ok 2 - get_log: dirty log # SKIP not verified: "
			       "no statistics\n"
			       "ok 3 - get_log: count # all\n"));
	assert_null(strstr(m.text, "254"));
	made_up_fini(&m);
}

/* With --strict what is not verified fails. */
static void test_strict(void **state __maybe_unused)
{
	struct made_up m;

	made_up_init(&m, 1);
	made_up_measure(&m, &m.points[0]);
	m.config.strict = true;
	check_merge(&m.points[0].checks[LOGGED], CHECK_UNVERIFIED, "why");
	report_point(&m.session, &m.points[0]);
	assert_non_null(
		strstr(made_up_text(&m),
		       "\nnot ok 2 - get_log: dirty log # not verified: "
		       "why\n"
		       "ok 3 - get_log: count # SKIP not applicable"));
	made_up_fini(&m);
}

/* A check that no run came to is a failure, not a pass. */
static void test_not_reached(void **state __maybe_unused)
{
	struct made_up m;

	made_up_init(&m, 1);
	m.points[0].started = true;
	m.points[0].finished = true;
	report_point(&m.session, &m.points[0]);
	assert_non_null(strstr(made_up_text(&m),
			       "not ok 1 - create: mappings # no run came so "
			       "far\n"));
	made_up_fini(&m);
}

/* A point that ended early shows what it has measured and proves nothing. */
static void test_unfinished(void **state __maybe_unused)
{
	struct made_up m;

	made_up_init(&m, 1);
	made_up_measure(&m, &m.points[0]);
	m.points[0].finished = false;
	m.session.begun = true;
	report_point(&m.session, &m.points[0]);
	report_bail_out(&m.session, "vCPU 0 is stuck\nrip 0\nrsp 0");
	assert_non_null(strstr(made_up_text(&m), "# create "));
	assert_null(strstr(m.text, "ok 1"));
	assert_non_null(strstr(m.text, "\nBail out! vCPU 0 is stuck\n"
				       "# rip 0\n# rsp 0\n"));
	made_up_fini(&m);
}

/* What parsers would take for the end of the name, or for a directive. */
static void test_details(void **state __maybe_unused)
{
	static const char *const details[][2] = {
		{ "a #PF", "a \\#PF" },
		{ "a # SKIP b", "a \\# SKIP b" },
		{ "C:\\#", "C:\\\\\\#" },
		{ "two\nok 9 - lines", "two ok 9 - lines" },
		{ "skipped", "- skipped" },
		{ "TODO", "- TODO" },
		{ "Error 5", "- Error 5" },
		{ "timeout of #1", "- timeout of \\#1" },
		{ "xfail", "- xfail" },
		{ "no skip", "no skip" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(details); i++) {
		struct made_up m;
		char *line = xasprintf("\nnot ok 1 - create: mappings # %s\n"
				       "ok 2 - ",
				       details[i][1]);

		made_up_init(&m, 1);
		made_up_measure(&m, &m.points[0]);
		check_merge(&m.points[0].checks[CREATED], CHECK_FAILED,
			    details[i][0]);
		report_point(&m.session, &m.points[0]);
		if (!strstr(made_up_text(&m), line))
			fail_msg("%s: %s", details[i][0], m.text);
		free(line);
		made_up_fini(&m);
	}
}

static void test_skip(void **state __maybe_unused)
{
	struct made_up m;

	made_up_init(&m, 1);
	report_skip(&m.session, "no /dev/kvm: load kvm_amd\nor another");
	assert_string_equal(
		made_up_text(&m),
		"KTAP version 1\n1..1\n"
		"ok 1 - made_up_test # SKIP no /dev/kvm: load kvm_amd\n");
	made_up_fini(&m);
}

static void test_strict_skip(void **state __maybe_unused)
{
	struct made_up m;

	made_up_init(&m, 1);
	m.config.strict = true;
	report_skip(&m.session, "no /dev/kvm: load kvm_amd");
	assert_string_equal(
		made_up_text(&m),
		"KTAP version 1\n1..1\n"
		"not ok 1 - made_up_test # no /dev/kvm: load kvm_amd\n");
	made_up_fini(&m);
}

/* An end before the beginning has a plan all the same. */
static void test_early_bail_out(void **state __maybe_unused)
{
	struct made_up m;

	made_up_init(&m, 1);
	report_bail_out(&m.session, "KVM_CREATE_VM: EBUSY");
	assert_string_equal(made_up_text(&m),
			    "KTAP version 1\n1..3\n"
			    "Bail out! KVM_CREATE_VM: EBUSY\n");
	made_up_fini(&m);
}

static void test_verbose(void **state __maybe_unused)
{
	struct made_up m;
	struct stat_change *change = xcalloc(2, sizeof(*change));

	made_up_init(&m, 1);
	m.config.verbose = true;
	made_up_measure(&m, &m.points[0]);
	change[0] = (struct stat_change){ xstrdup("pages_4k"), 256 };
	change[1] = (struct stat_change){ xstrdup("pages_2m"), -2 };
	series_take_stats(&m.points[0].series[CREATE], change, 2);
	report_point(&m.session, &m.points[0]);
	assert_non_null(
		strstr(made_up_text(&m),
		       "# create samples (ns): 100000 101000 102000 103000 "
		       "104000 105000\n"
		       "# create pages_4k +256\n"
		       "# create pages_2m -2\n"));
	made_up_fini(&m);
}

/* Too few samples for an interval, and a metric without any. */
static void test_few_samples(void **state __maybe_unused)
{
	struct made_up m;

	made_up_init(&m, 1);
	m.config.runs = 2;
	made_up_measure(&m, &m.points[0]);
	series_fini(&m.points[0].series[WRITES]);
	report_point(&m.session, &m.points[0]);
	assert_non_null(strstr(made_up_text(&m),
			       "# create             100.5 us   100.0 us   "
			       "101.0 us       -   392.6 ns  256 x 4K\n"));
	assert_null(strstr(m.text, "# writes"));
	made_up_fini(&m);
}

static void test_tails(void **state __maybe_unused)
{
	static struct guest_histogram g[2];
	struct made_up m;
	struct series *s;

	made_up_init(&m, 1);
	made_up_measure(&m, &m.points[0]);
	s = &m.points[0].series[WRITES];
	series_keep_tail(s);
	guest_histogram_add(&g[0], 50);
	guest_histogram_add(&g[1], 60);
	guest_histogram_add(&g[1], 63);
	series_add_guest(s, 0, 2, &g[0], 10);
	series_add_guest(s, 1, 2, &g[1], 10);
	series_end_run(s);
	report_point(&m.session, &m.points[0]);
	assert_non_null(strstr(
		made_up_text(&m),
		/* clang-format off */
"# tail                    p50        p90        p99      p99.9        max      samples\n"
"# writes               600 ns     630 ns     630 ns     630 ns     630 ns            3\n"
"#   vCPU 0             500 ns     500 ns     500 ns     500 ns     500 ns            1\n"
"#   vCPU 1             600 ns     630 ns     630 ns     630 ns     630 ns            2\n"));
	/* clang-format on */
	made_up_fini(&m);
}

static void test_variants(void **state __maybe_unused)
{
	static const char *const names[] = { "get-log", "ring", NULL };
	static const struct bench_variants variants = { .key = "log_mode",
							.names = names };
	struct bench bench = session_bench;
	struct made_up m;

	made_up_init(&m, 2);
	bench.variants = &variants;
	m.session.bench = &bench;
	m.points[1].vcpus = 1;
	m.points[1].variant = 1;
	made_up_measure(&m, &m.points[0]);
	made_up_measure(&m, &m.points[1]);
	for (unsigned int i = 0; i < m.config.runs; i++)
		m.points[1].series[CREATE].run_medians[i] *= 2;
	m.points[1].series[GET_LOG].nr_runs = 0;
	report_point(&m.session, &m.points[1]);
	variants_report(&m.session);
	assert_non_null(strstr(made_up_text(&m),
			       "# vcpus=1 bytes=64M log_mode=ring\n"));
	assert_non_null(strstr(m.text, "ok 1 - vcpus=1 bytes=64M log_mode=ring "
				       "create: mappings # "));
	assert_non_null(strstr(
		m.text,
		/* clang-format off */
"# vcpus=1 bytes=64M: medians side by side, and their ratios to get-log\n"
"# log_mode              get-log                 ring\n"
"# create               102.5 us             205.0 us   x2.00\n"
"# get_log              2.500 us                    -\n"
"# writes                50.33 M              50.33 M   x1.00\n"));
	/* clang-format on */
	made_up_fini(&m);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole),
		cmocka_unit_test(test_steal),
		cmocka_unit_test(test_points),
		cmocka_unit_test(test_results),
		cmocka_unit_test(test_strict),
		cmocka_unit_test(test_not_reached),
		cmocka_unit_test(test_unfinished),
		cmocka_unit_test(test_details),
		cmocka_unit_test(test_skip),
		cmocka_unit_test(test_strict_skip),
		cmocka_unit_test(test_early_bail_out),
		cmocka_unit_test(test_verbose),
		cmocka_unit_test(test_few_samples),
		cmocka_unit_test(test_tails),
		cmocka_unit_test(test_variants),
	};

	return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
