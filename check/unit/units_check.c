/* SPDX-License-Identifier: GPL-2.0-only */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "units.h"

typedef bool (*parser)(const char *s, u64 *value);

static void expect_parsed(parser parse, const char *s, u64 expected)
{
	u64 value = ~expected;

	if (!parse(s, &value))
		fail_msg("\"%s\" is refused", s);
	assert_int_equal(value, expected);
}

/* Each of @bad, which NULL ends, fails and leaves the result alone. */
static void expect_refused(parser parse, const char *const *bad)
{
	u64 value = 77;

	for (; *bad; bad++) {
		if (parse(*bad, &value))
			fail_msg("\"%s\" is taken", *bad);
		assert_int_equal(value, 77);
	}
}

static void test_parse_u64(void **state __maybe_unused)
{
	static const char *const bad[] = {
		"",
		" ",
		" 1",
		"1 ",
		"+1",
		"-1",
		"1.5",
		"1e3",
		"abc",
		"0x",
		"0xg",
		"0x-1",
		"0x 1",
		"x1",
		"1K",
		"1,2",
		"18446744073709551616",
		"99999999999999999999999",
		"0x10000000000000000",
		NULL,
	};

	expect_parsed(parse_u64, "0", 0);
	expect_parsed(parse_u64, "42", 42);
	expect_parsed(parse_u64, "010", 10);
	expect_parsed(parse_u64, "0x10", 16);
	expect_parsed(parse_u64, "0XfF", 255);
	expect_parsed(parse_u64, "18446744073709551615", UINT64_MAX);
	expect_parsed(parse_u64, "0xffffffffffffffff", UINT64_MAX);
	expect_refused(parse_u64, bad);
}

static void test_parse_size(void **state __maybe_unused)
{
	static const char *const bad[] = {
		"",
		"K",
		"-1K",
		" 1K",
		"1 K",
		"1K ",
		"1KK",
		"1KM",
		"1Q",
		"1Ki",
		"1iB",
		"1BB",
		"1KBi",
		"1.5G",
		"16E",
		"16777216T",
		"17179869184G",
		"18014398509481984K",
		"18446744073709551616B",
		NULL,
	};

	expect_parsed(parse_size, "0", 0);
	expect_parsed(parse_size, "0T", 0);
	expect_parsed(parse_size, "4096", 4096);
	expect_parsed(parse_size, "4096B", 4096);
	expect_parsed(parse_size, "4K", 4096);
	expect_parsed(parse_size, "4k", 4096);
	expect_parsed(parse_size, "4KB", 4096);
	expect_parsed(parse_size, "4kb", 4096);
	expect_parsed(parse_size, "4KiB", 4096);
	expect_parsed(parse_size, "0x10K", 16384);
	expect_parsed(parse_size, "64M", MIB(64));
	expect_parsed(parse_size, "3GiB", GIB(3));
	expect_parsed(parse_size, "1T", GIB(1024));
	/* One less than 16E, as near as each unit comes. */
	expect_parsed(parse_size, "16777215T", -GIB(1024));
	expect_parsed(parse_size, "17179869183G", -GIB(1));
	expect_parsed(parse_size, "18014398509481983K", -KIB(1));
	expect_parsed(parse_size, "18446744073709551615B", UINT64_MAX);
	expect_refused(parse_size, bad);
}

/* @v ends with ~0. */
static void expect_list(const char *s, parser parse, const u64 *v)
{
	struct u64_list list;
	unsigned int nr = 0;

	if (!parse_list(s, parse, &list))
		fail_msg("\"%s\" is refused", s);
	for (; v[nr] != UINT64_MAX; nr++) {
		assert_true(nr < list.nr);
		assert_int_equal(list.v[nr], v[nr]);
	}
	assert_int_equal(list.nr, nr);
}

#define LIST(...) ((const u64[]){ __VA_ARGS__, UINT64_MAX })

static void test_parse_list(void **state __maybe_unused)
{
	static const char *const bad[] = {
		"",
		",",
		"1,",
		",1",
		"1,,2",
		"-",
		"1-",
		"-4",
		"4-1",
		"18446744073709551615-0",
		"1-2-3",
		"1--2",
		"1, 2",
		"1;2",
		"a",
		"1,a",
		"0-4096",
		"0-18446744073709551615",
		"1-10000000000",
		"00000000000000000000000000000000000000000000000000000000000"
		"00001",
		NULL,
	};
	struct u64_list list;
	size_t i;

	expect_list("7", parse_u64, LIST(7));
	expect_list("1,2,4", parse_u64, LIST(1, 2, 4));
	expect_list("1-4", parse_u64, LIST(1, 2, 3, 4));
	expect_list("3-3", parse_u64, LIST(3));
	expect_list("8,1-3,8,0x10", parse_u64, LIST(8, 1, 2, 3, 8, 16));
	expect_list("4K,1G,2M", parse_size, LIST(4096, GIB(1), MIB(2)));
	expect_list("4094-4K", parse_size, LIST(4094, 4095, 4096));
	for (i = 0; bad[i]; i++)
		if (parse_list(bad[i], parse_u64, &list))
			fail_msg("\"%s\" is taken", bad[i]);
	assert_false(parse_list("1K-16K", parse_size, &list));
	assert_false(parse_list("1K", parse_u64, &list));
}

/* LIST_MAX is 4096, however the values come; a range may touch 2^64. */
static void test_list_limit(void **state __maybe_unused)
{
	char text[2 * (LIST_MAX + 1)] = "";
	struct u64_list list;
	size_t i;

	assert_true(parse_list("1-4096", parse_u64, &list));
	assert_int_equal(list.nr, LIST_MAX);
	assert_int_equal(list.v[LIST_MAX - 1], LIST_MAX);
	assert_true(parse_list("1-4095,9", parse_u64, &list));
	assert_int_equal(list.v[LIST_MAX - 1], 9);
	assert_false(parse_list("1-4096,9", parse_u64, &list));
	assert_false(parse_list("9,1-4096", parse_u64, &list));

	for (i = 0; i < LIST_MAX; i++)
		memcpy(text + 2 * i, "5,", 2);
	text[2 * LIST_MAX - 1] = '\0';
	assert_true(parse_list(text, parse_u64, &list));
	assert_int_equal(list.nr, LIST_MAX);
	strcat(text, ",5");
	assert_false(parse_list(text, parse_u64, &list));

	assert_true(parse_list("18446744073709551614-18446744073709551615",
			       parse_u64, &list));
	assert_int_equal(list.nr, 2);
	assert_int_equal(list.v[1], UINT64_MAX);
}

static void expect_size(u64 bytes, const char *text)
{
	char buf[UNIT_LEN];
	u64 back;

	assert_string_equal(format_size(buf, bytes), text);
	assert_ptr_equal(format_size(buf, bytes), buf);
	assert_true(parse_size(buf, &back));
	assert_int_equal(back, bytes);
}

static void test_format_size(void **state __maybe_unused)
{
	expect_size(0, "0");
	expect_size(1, "1");
	expect_size(1023, "1023");
	expect_size(1024, "1K");
	expect_size(1025, "1025");
	expect_size(4096, "4K");
	expect_size(5000, "5000");
	expect_size(KIB(1536), "1536K");
	expect_size(MIB(2), "2M");
	expect_size(MIB(2) + 1, "2097153");
	expect_size(GIB(1), "1G");
	expect_size(GIB(1024), "1T");
	expect_size(BIT(60), "1048576T");
	expect_size(UINT64_MAX, "18446744073709551615");
}

static void expect_ns(double ns, const char *text)
{
	char buf[UNIT_LEN];

	assert_string_equal(format_ns(buf, ns), text);
}

static void test_format_ns(void **state __maybe_unused)
{
	expect_ns(0, "0 ns");
	expect_ns(1, "1 ns");
	expect_ns(2.45, "2.45 ns");
	expect_ns(12.3456, "12.35 ns");
	expect_ns(999, "999 ns");
	expect_ns(999.94, "999.9 ns");
	expect_ns(999.95, "1.000 us");
	expect_ns(1000, "1.000 us");
	expect_ns(2450, "2.450 us");
	expect_ns(9999.4, "9.999 us");
	expect_ns(9999.5, "10.00 us");
	expect_ns(99994, "99.99 us");
	expect_ns(99995, "100.0 us");
	expect_ns(999949, "999.9 us");
	expect_ns(999950, "1.000 ms");
	expect_ns(999999, "1.000 ms");
	expect_ns(160386123, "160.4 ms");
	expect_ns(999949999, "999.9 ms");
	expect_ns(999950000, "1.000 s");
	expect_ns(12.3e9, "12.30 s");
	expect_ns(999.94e9, "999.9 s");
	expect_ns(999.95e9, "1000 s");
	expect_ns(12345e9, "12345 s");
	expect_ns(-2450, "-2.450 us");
	expect_ns(-999950, "-1.000 ms");
	expect_ns(NAN, "nan ns");
	expect_ns(INFINITY, "inf s");
}

static void expect_count(double n, const char *text)
{
	char buf[UNIT_LEN];

	assert_string_equal(format_count(buf, n), text);
}

static void test_format_count(void **state __maybe_unused)
{
	char buf[UNIT_LEN];

	expect_count(0, "0");
	expect_count(0.5, "0.5");
	expect_count(128, "128");
	expect_count(1000, "1000");
	expect_count(5033, "5033");
	expect_count(9999.4, "9999");
	expect_count(9999.5, "10.00 k");
	expect_count(10000, "10.00 k");
	expect_count(65536, "65.54 k");
	expect_count(125300, "125.3 k");
	expect_count(999949, "999.9 k");
	expect_count(999950, "1.000 M");
	expect_count(50331648, "50.33 M");
	expect_count(1e9, "1.000 G");
	expect_count(2.5e12, "2.500 T");
	expect_count(1e15, "1.000 P");
	expect_count(18446744073709551615.0, "18.45 E");
	expect_count(-125300, "-125.3 k");
	/* Beyond any use, but within the buffer. */
	assert_true(strlen(format_count(buf, 1e308)) < UNIT_LEN);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parse_u64),
		cmocka_unit_test(test_parse_size),
		cmocka_unit_test(test_parse_list),
		cmocka_unit_test(test_list_limit),
		cmocka_unit_test(test_format_size),
		cmocka_unit_test(test_format_ns),
		cmocka_unit_test(test_format_count),
	};

	return cmocka_run_group_tests_name("units", tests, NULL, NULL);
}
