/* SPDX-License-Identifier: GPL-2.0-only */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#undef skip /* cmocka's */
#include "child.h"
#include "mapping.h"

/* Sizes that every port has. */
#define PAGE KIB(4)
#define BLOCK MIB(2)

static struct mappings make(u64 blocks, u64 pages)
{
	struct mappings m = { 0 };

	mappings_add(&m, BLOCK, blocks);
	mappings_add(&m, PAGE, pages);
	return m;
}

static void test_sizes(void **state __maybe_unused)
{
	u64 size[ARCH_BLOCK_SIZES];
	unsigned int nr = arch_stage2_sizes(size);

	assert_in_range(nr, 2, ARCH_BLOCK_SIZES);
	for (unsigned int i = 1; i < nr; i++)
		assert_true(size[i] > size[i - 1]);
}

static void test_count(void **state __maybe_unused)
{
	struct mappings m = make(128, 3);

	mappings_add(&m, PAGE, 2);
	assert_int_equal(mappings_count(&m, BLOCK), 128);
	assert_int_equal(mappings_count(&m, PAGE), 5);
	assert_int_equal(mappings_count(&m, KIB(5)), 0);
	assert_int_equal(mappings_total(&m), 133);
}

static void add_strange(void *arg __maybe_unused)
{
	struct mappings m = { 0 };

	mappings_add(&m, KIB(5), 1);
}

static void test_strange(void **state __maybe_unused)
{
	struct child child;

	child_run(&child, add_strange, NULL);
	assert_int_equal(child.code, 1);
	assert_non_null(strstr(child.err, "no stage-2 entry maps 5120 bytes"));
}

static void test_sub(void **state __maybe_unused)
{
	assert_true(mappings_equal(mappings_sub(make(5, 7), make(2, 7)),
				   make(3, 0)));
	/* what was there before may be gone by now */
	assert_true(mappings_equal(mappings_sub(make(1, 7), make(2, 3)),
				   make(0, 4)));
	assert_false(mappings_equal(make(1, 0), make(0, 1)));
}

static void expect_text(struct mappings m, const char *expected)
{
	char text[MAPPING_TEXT];

	assert_string_equal(mappings_format(m, text), expected);
}

static void test_format(void **state __maybe_unused)
{
	struct mappings full = { { ~UINT64_C(0), ~UINT64_C(0), ~UINT64_C(0),
				   ~UINT64_C(0) } };
	char text[MAPPING_TEXT];

	expect_text(make(0, 0), "none");
	expect_text(make(0, 65536), "65536 x 4K");
	expect_text(make(128, 0), "128 x 2M");
	expect_text(make(128, 3), "128 x 2M + 3 x 4K");
	assert_in_range(strlen(mappings_format(full, text)), 1,
			MAPPING_TEXT - 1);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sizes),	cmocka_unit_test(test_count),
		cmocka_unit_test(test_strange), cmocka_unit_test(test_sub),
		cmocka_unit_test(test_format),
	};

	return cmocka_run_group_tests_name("mapping", tests, NULL, NULL);
}
