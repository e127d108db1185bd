/* SPDX-License-Identifier: GPL-2.0-only */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#undef skip /* cmocka's */
#include "child.h"
#include "id_pool.h"
#include "util.h"

static u32 take(struct id_pool *pool)
{
	u32 id = 77777;

	assert_true(id_pool_take(pool, &id));
	return id;
}

/* In order up to each limit, then none; around the words' ends. */
static void test_limits(void **state __maybe_unused)
{
	static const u32 limits[] = { 0, 1, 63, 64, 65, 127, 128, 509, 32764 };

	for (size_t i = 0; i < ARRAY_SIZE(limits); i++) {
		struct id_pool pool;
		u32 id = 77777;

		id_pool_init(&pool, limits[i]);
		for (u32 k = 0; k < limits[i]; k++)
			assert_int_equal(take(&pool), k);
		assert_false(id_pool_take(&pool, &id));
		assert_false(id_pool_take(&pool, &id));
		assert_int_equal(id, 77777);
		id_pool_fini(&pool);
	}
}

static void test_lowest_comes_back(void **state __maybe_unused)
{
	static const u32 freed[] = { 150, 3, 199, 64, 63, 0 };
	static const u32 sorted[] = { 0, 3, 63, 64, 150, 199 };
	struct id_pool pool;
	u32 id;

	id_pool_init(&pool, 200);
	for (u32 i = 0; i < 200; i++)
		take(&pool);
	for (size_t i = 0; i < ARRAY_SIZE(freed); i++)
		id_pool_release(&pool, freed[i]);
	for (size_t i = 0; i < ARRAY_SIZE(sorted); i++)
		assert_int_equal(take(&pool), sorted[i]);
	assert_false(id_pool_take(&pool, &id));
	id_pool_fini(&pool);
}

/* Against the plainest way to do it. */
static void test_random(void **state __maybe_unused)
{
	enum { LIMIT = 300 };
	bool taken[LIMIT + 1] = { false };
	struct id_pool pool;
	u64 seed = 1;

	id_pool_init(&pool, LIMIT);
	for (int i = 0; i < 100000; i++) {
		u32 id = (seed = seed * 6364136223846793005 + 1) >> 33;
		u32 want = 0;

		/* fuller and emptier by turns */
		if (id % 8 < (i / 1000 % 2 ? 3 : 5)) {
			while (taken[want])
				want++;
			assert_int_equal(id_pool_take(&pool, &id),
					 want < LIMIT);
			if (want == LIMIT)
				continue;
			assert_int_equal(id, want);
			taken[want] = true;
		} else if (taken[id / 8 % LIMIT]) {
			id_pool_release(&pool, id / 8 % LIMIT);
			taken[id / 8 % LIMIT] = false;
		}
	}
	id_pool_fini(&pool);
}

static void release(void *arg)
{
	struct id_pool pool;

	id_pool_init(&pool, 70);
	take(&pool);
	id_pool_release(&pool, *(u32 *)arg);
	id_pool_fini(&pool);
}

static void test_not_taken(void **state __maybe_unused)
{
	static u32 bad[] = { 1, 69, 70, 71, 128, ~UINT32_C(0) }, good = 0;
	static struct child child;

	child_run(&child, release, &good);
	assert_int_equal(child.code, CHILD_RETURNED);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		child_run(&child, release, &bad[i]);
		assert_int_equal(child.code, EXIT_FAIL);
		assert_non_null(strstr(child.err, "is not taken"));
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_lowest_comes_back),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_not_taken),
	};

	return cmocka_run_group_tests_name("id_pool", tests, NULL, NULL);
}
