/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#undef skip /* cmocka's */
#include "child.h"
#include "json.h"

/* Checks what @write writes. */
static void expect_json(void (*write)(struct json *j), const char *expected)
{
	struct json j;
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	json_init(&j, out);
	write(&j);
	assert_int_equal(j.depth, 0);
	assert_int_equal(fclose(out), 0);
	assert_string_equal(text, expected);
	free(text);
}

static void write_empty(struct json *j)
{
	json_object_begin(j, NULL);
	json_object_begin(j, "object");
	json_object_end(j);
	json_array_begin(j, "array");
	json_array_end(j);
	json_u64_array(j, "numbers", NULL, 0);
	json_object_end(j);
}

static void write_nothing(struct json *j)
{
	json_array_begin(j, NULL);
	json_array_end(j);
}

static void write_all(struct json *j)
{
	static const u64 samples[] = { 0, 1, UINT64_MAX };

	json_object_begin(j, NULL);
	json_text(j, "schema", "kvmeter/1");
	json_text(j, "unknown", NULL);
	json_u64(j, "bytes", UINT64_MAX);
	json_bool(j, "yes", true);
	json_bool(j, "no", false);
	json_unknown(j, "null");
	json_array_begin(j, "points");
	json_object_begin(j, NULL);
	json_u64_array(j, "samples", samples, 3);
	json_object_end(j);
	json_array_begin(j, NULL);
	json_u64_array(j, NULL, samples, 2);
	json_u64_array(j, NULL, samples, 1);
	json_array_end(j);
	json_u64(j, NULL, 7);
	json_array_end(j);
	json_object_end(j);
}

static void write_number(struct json *j)
{
	json_u64(j, NULL, 42);
}

static void test_layout(void **state __maybe_unused)
{
	expect_json(write_number, "42\n");
	expect_json(write_nothing, "[]\n");
	expect_json(write_empty, "{\n"
				 "  \"object\": {},\n"
				 "  \"array\": [],\n"
				 "  \"numbers\": []\n"
				 "}\n");
	expect_json(write_all,
		    "{\n"
		    "  \"schema\": \"kvmeter/1\",\n"
		    "  \"unknown\": null,\n"
		    "  \"bytes\": 18446744073709551615,\n"
		    "  \"yes\": true,\n"
		    "  \"no\": false,\n"
		    "  \"null\": null,\n"
		    "  \"points\": [\n"
		    "    {\n"
		    "      \"samples\": [0, 1, 18446744073709551615]\n"
		    "    },\n"
		    "    [\n"
		    "      [0, 1],\n"
		    "      [0]\n"
		    "    ],\n"
		    "    7\n"
		    "  ]\n"
		    "}\n");
}

static void expect_string_as(const char *string, const char *expected)
{
	struct json j;
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	json_init(&j, out);
	json_text(&j, NULL, string);
	fclose(out);
	assert_int_equal(text[size - 1], '\n');
	text[size - 1] = '\0';
	assert_string_equal(text, expected);
	free(text);
}

static void test_escape(void **state __maybe_unused)
{
	char control[2] = "", expected[16];

	expect_string_as("", "\"\"");
	expect_string_as("plain /dev/kvm", "\"plain /dev/kvm\"");
	expect_string_as("a\"b\\c", "\"a\\\"b\\\\c\"");
	expect_string_as("1\n2\t3", "\"1\\n2\\t3\"");
	expect_string_as("\x7f", "\"\\u007f\"");
	for (control[0] = 1; control[0] < 0x20; control[0]++) {
		if (control[0] == '\n' || control[0] == '\t')
			continue;
		snprintf(expected, sizeof(expected), "\"\\u%04x\"", control[0]);
		expect_string_as(control, expected);
	}
}

static void test_utf8(void **state __maybe_unused)
{
	/* The first and the last character of each length. */
	expect_string_as("\xc2\xa0 \xdf\xbf", "\"\xc2\xa0 \xdf\xbf\"");
	/* C1 controls are obeyed by terminals. */
	expect_string_as("\xc2\x80 \xc2\x9f", "\"\\u0080 \\u009f\"");
	expect_string_as("\xe0\xa0\x80 \xef\xbf\xbf",
			 "\"\xe0\xa0\x80 \xef\xbf\xbf\"");
	expect_string_as("\xf0\x90\x80\x80 \xf4\x8f\xbf\xbf",
			 "\"\xf0\x90\x80\x80 \xf4\x8f\xbf\xbf\"");
	expect_string_as("\xed\x9f\xbf \xee\x80\x80",
			 "\"\xed\x9f\xbf \xee\x80\x80\"");

	/* What is none, byte by byte. */
	expect_string_as("\x80", "\"\\ufffd\"");
	expect_string_as("a\xff"
			 "b",
			 "\"a\\ufffdb\"");
	/* Cut short: by the end, by another character. */
	expect_string_as("\xc3", "\"\\ufffd\"");
	expect_string_as("\xe2\x82", "\"\\ufffd\\ufffd\"");
	expect_string_as("\xe2\x82.", "\"\\ufffd\\ufffd.\"");
	expect_string_as("\xc3\"", "\"\\ufffd\\\"\"");
	/* Overlong, a surrogate, beyond U+10FFFF, five bytes. */
	expect_string_as("\xc0\xaf", "\"\\ufffd\\ufffd\"");
	expect_string_as("\xc1\xbf", "\"\\ufffd\\ufffd\"");
	expect_string_as("\xe0\x9f\xbf", "\"\\ufffd\\ufffd\\ufffd\"");
	expect_string_as("\xf0\x8f\xbf\xbf",
			 "\"\\ufffd\\ufffd\\ufffd\\ufffd\"");
	expect_string_as("\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\"");
	expect_string_as("\xf4\x90\x80\x80",
			 "\"\\ufffd\\ufffd\\ufffd\\ufffd\"");
	expect_string_as("\xf8", "\"\\ufffd\"");
}

static void write_strange_name(struct json *j)
{
	json_object_begin(j, NULL);
	json_u64(j, "a \"b\"\n", 1);
	json_object_end(j);
}

static void test_name(void **state __maybe_unused)
{
	expect_json(write_strange_name, "{\n  \"a \\\"b\\\"\\n\": 1\n}\n");
}

static void write_doubles(struct json *j)
{
	json_array_begin(j, NULL);
	json_double(j, NULL, 0);
	json_double(j, NULL, 0.1);
	json_double(j, NULL, -2.5);
	json_double(j, NULL, 1.0 / 3);
	json_double(j, NULL, 0.1 + 0.2);
	json_double(j, NULL, 160386123);
	json_double(j, NULL, 1e300);
	json_double(j, NULL, DBL_MAX);
	json_double(j, NULL, NAN);
	json_double(j, NULL, INFINITY);
	json_double(j, NULL, -INFINITY);
	json_array_end(j);
}

static void test_double(void **state __maybe_unused)
{
	expect_json(write_doubles, "[\n"
				   "  0,\n"
				   "  0.1,\n"
				   "  -2.5,\n"
				   "  0.3333333333333333,\n"
				   "  0.30000000000000004,\n"
				   "  160386123,\n"
				   "  1e+300,\n"
				   "  1.7976931348623157e+308,\n"
				   "  null,\n"
				   "  null,\n"
				   "  null\n"
				   "]\n");
}

static void write_deep(struct json *j)
{
	int i;

	for (i = 0; i < JSON_DEPTH_MAX; i++)
		json_array_begin(j, NULL);
	for (i = 0; i < JSON_DEPTH_MAX; i++)
		json_array_end(j);
}

static void misuse_depth(struct json *j)
{
	int i;

	for (i = 0; i <= JSON_DEPTH_MAX; i++)
		json_array_begin(j, NULL);
}

static void misuse_no_name(struct json *j)
{
	json_object_begin(j, NULL);
	json_u64(j, NULL, 1);
}

static void misuse_name_in_array(struct json *j)
{
	json_array_begin(j, NULL);
	json_u64(j, "x", 1);
}

static void misuse_name_at_top(struct json *j)
{
	json_object_begin(j, "x");
}

static void misuse_end(struct json *j)
{
	json_object_begin(j, NULL);
	json_object_end(j);
	json_object_end(j);
}

static void misuse_end_at_top(struct json *j)
{
	json_array_end(j);
}

static void misuse_wrong_end(struct json *j)
{
	json_object_begin(j, NULL);
	json_array_end(j);
}

static void misuse_other_wrong_end(struct json *j)
{
	json_array_begin(j, NULL);
	json_object_end(j);
}

static void misuse_second_value(struct json *j)
{
	json_object_begin(j, NULL);
	json_object_end(j);
	json_unknown(j, NULL);
}

struct misuse {
	void (*write)(struct json *j);
	const char *message;
};

static void run_misuse(void *arg)
{
	const struct misuse *m = arg;
	struct json j;
	FILE *null = fopen("/dev/null", "w");

	json_init(&j, null);
	m->write(&j);
	fclose(null);
}

static void test_misuse(void **state __maybe_unused)
{
	static const struct misuse table[] = {
		{ misuse_depth, "json: more than 32 levels" },
		{ misuse_no_name, "json: a value without a name in an object" },
		{ misuse_name_in_array,
		  "json: \"x\" has a name outside an object" },
		{ misuse_name_at_top,
		  "json: \"x\" has a name outside an object" },
		{ misuse_end, "json: no object to end" },
		{ misuse_end_at_top, "json: no array to end" },
		{ misuse_wrong_end, "json: no array to end" },
		{ misuse_other_wrong_end, "json: no object to end" },
		{ misuse_second_value, "json: a second value at the top" },
	};
	char expected[128];
	struct child child;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		child_run(&child, run_misuse, (void *)&table[i]);
		snprintf(expected, sizeof(expected), "prog: %s\n",
			 table[i].message);
		assert_string_equal(child.err, expected);
		assert_int_equal(child.code, 1);
	}
}

static void test_depth(void **state __maybe_unused)
{
	struct misuse deep = { write_deep, NULL };
	struct child child;

	child_run(&child, run_misuse, &deep);
	assert_int_equal(child.code, CHILD_RETURNED);
}

/* A full disk is seen by ferror(). */
static void test_full(void **state __maybe_unused)
{
	FILE *full = fopen("/dev/full", "w");
	struct json j;

	if (!full)
		return;
	json_init(&j, full);
	write_all(&j);
	fflush(full);
	assert_true(ferror(full));
	fclose(full);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layout), cmocka_unit_test(test_escape),
		cmocka_unit_test(test_utf8),   cmocka_unit_test(test_name),
		cmocka_unit_test(test_double), cmocka_unit_test(test_misuse),
		cmocka_unit_test(test_depth),  cmocka_unit_test(test_full),
	};

	program_invocation_short_name = "prog";
	return cmocka_run_group_tests_name("json", tests, NULL, NULL);
}
