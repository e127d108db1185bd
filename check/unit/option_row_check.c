/* SPDX-License-Identifier: GPL-2.0-only */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>
#include "options_example.h"

static void print_help(FILE *out)
{
	options_help(&set, &defaults, out);
}

static void print_man(FILE *out)
{
	options_man(&set, &defaults, out);
}

static void print_json(FILE *out)
{
	struct json j;

	json_init(&j, out);
	json_object_begin(&j, NULL);
	options_json(&set, &defaults, &j);
	json_object_end(&j);
}

static void expect_output(void (*print)(FILE *out), const char *expected)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	print(out);
	assert_int_equal(fclose(out), 0);
	assert_string_equal(text, expected);
	free(text);
}

/* clang-format off */
static const char help_text[] =
"Usage: dirty_test [OPTION]...\n"
"Measures how dirty pages are tracked.\n"
"\n"
"  -v, --vcpus LIST            number of vCPUs; a list (1,2,4) or range (1-4)\n"
"                              measures each in turn [1]\n"
"  -b, --bytes LIST            memory per vCPU [64M,1G]\n"
"  -x, --slots N               memslots that share the memory [1]\n"
"  -c, --pin LIST              CPUs of the vCPU threads\n"
"                              and last of the main thread [none]\n"
"  -J, --json FILE             results as JSON\n"
"  -q, --quiet                 say less\n"
"\n"
"  -w, --write-percent PERCENT\n"
"                              accesses that write [100]\n"
"  -a, --random-access         visit pages in a random order\n"
"      --no-prefault           leave the host's page tables empty\n"
"  -r, --seed N                .5 is no seed; 'a\\b' neither [0]\n"
"  -k, --chunk SIZE            clear in chunks [64K]\n"
"  -o, --order ORDER           how pages are visited (forward, backward,\n"
"                              shuffled) [backward]\n"
"  -M, --ways LIST             in turn (forward, backward, shuffled)\n"
"                              [shuffled,forward]\n"
"      --straight              the same as -M forward\n"
"      --write-mode MODE       page size (4K, 16K)\n";

static const char man_text[] =
".SH OPTIONS\n"
".TP\n"
"\\fB\\-v\\fR, \\fB\\-\\-vcpus\\fR \\fILIST\\fR\n"
"number of vCPUs; a list (1,2,4) or range (1\\-4) measures each in turn [1]\n"
".TP\n"
"\\fB\\-b\\fR, \\fB\\-\\-bytes\\fR \\fILIST\\fR\n"
"memory per vCPU [64M,1G]\n"
".TP\n"
"\\fB\\-x\\fR, \\fB\\-\\-slots\\fR \\fIN\\fR\n"
"memslots that share the memory [1]\n"
".TP\n"
"\\fB\\-c\\fR, \\fB\\-\\-pin\\fR \\fILIST\\fR\n"
"CPUs of the vCPU threads\n"
".br\n"
"and last of the main thread [none]\n"
".TP\n"
"\\fB\\-J\\fR, \\fB\\-\\-json\\fR \\fIFILE\\fR\n"
"results as JSON\n"
".TP\n"
"\\fB\\-q\\fR, \\fB\\-\\-quiet\\fR\n"
"say less\n"
".TP\n"
"\\fB\\-w\\fR, \\fB\\-\\-write\\-percent\\fR \\fIPERCENT\\fR\n"
"accesses that write [100]\n"
".TP\n"
"\\fB\\-a\\fR, \\fB\\-\\-random\\-access\\fR\n"
"visit pages in a random order\n"
".TP\n"
"\\fB\\-\\-no\\-prefault\\fR\n"
"leave the host\\(aqs page tables empty\n"
".TP\n"
"\\fB\\-r\\fR, \\fB\\-\\-seed\\fR \\fIN\\fR\n"
"\\&.5 is no seed; \\(aqa\\eb\\(aq neither [0]\n"
".TP\n"
"\\fB\\-k\\fR, \\fB\\-\\-chunk\\fR \\fISIZE\\fR\n"
"clear in chunks [64K]\n"
".TP\n"
"\\fB\\-o\\fR, \\fB\\-\\-order\\fR \\fIORDER\\fR\n"
"how pages are visited (forward, backward, shuffled) [backward]\n"
".TP\n"
"\\fB\\-M\\fR, \\fB\\-\\-ways\\fR \\fILIST\\fR\n"
"in turn (forward, backward, shuffled) [shuffled,forward]\n"
".TP\n"
"\\fB\\-\\-straight\\fR\n"
"the same as \\-M forward\n"
".TP\n"
"\\fB\\-\\-write\\-mode\\fR \\fIMODE\\fR\n"
"page size (4K, 16K)\n";

static const char example_json[] =
"{\n"
"  \"vcpus\": [1],\n"
"  \"bytes\": [67108864, 1073741824],\n"
"  \"slots\": 1,\n"
"  \"pin\": \"none\",\n"
"  \"write_percent\": 100,\n"
"  \"random_access\": false,\n"
"  \"prefault\": true,\n"
"  \"seed\": 0,\n"
"  \"chunk\": 65536,\n"
"  \"order\": \"backward\",\n"
"  \"ways\": [\n"
"    \"shuffled\",\n"
"    \"forward\"\n"
"  ],\n"
"  \"write_mode\": null\n"
"}\n";
/* clang-format on */

static void test_help(void **state __maybe_unused)
{
	expect_output(print_help, help_text);
}

static void test_man(void **state __maybe_unused)
{
	expect_output(print_man, man_text);
}

static void test_json(void **state __maybe_unused)
{
	expect_output(print_json, example_json);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_help),
		cmocka_unit_test(test_man),
		cmocka_unit_test(test_json),
	};

	return cmocka_run_group_tests_name("option_row", tests, NULL, NULL);
}
