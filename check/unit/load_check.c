/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory-bound threads as the guest has them, on memory of this process. */
#define KVMETER_GUEST
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#undef skip /* cmocka's */
#include "load.h"
#include "util.h"
#include "../../lib/guest/load.c"

#define PAGE KIB(4)
#define WORDS (PAGE / sizeof(u64))
#define PAGES 37
#define SHARES 3

static u64 memory[PAGES][WORDS];

static struct load *make(enum load_pattern pattern, u64 wrong)
{
	struct load *l = load_create(&(struct load_config){
		.pattern = pattern,
		.base_gva = GIB(1),
		.page_bytes = PAGE,
		.pages = PAGES,
		.shares = SHARES,
		.seed = 7,
		.wrong = wrong,
	});

	for (u64 i = 0; i < PAGES; i++)
		load_fill(l, i, memory[i]);
	return l;
}

static void test_shares(void **state __maybe_unused)
{
	struct load *l = make(LOAD_TOUCH, 0);
	u64 next = 0;

	for (u64 i = 0; i < SHARES; i++) {
		struct guest_load share = load_share(l, i);

		assert_int_equal(share.first, next);
		assert_int_equal(share.base, GIB(1) + next * PAGE);
		assert_in_range(share.pages, PAGES / SHARES,
				PAGES / SHARES + 1);
		next += share.pages;
	}
	assert_int_equal(next, PAGES);
	load_free(l);
}

/* Who follows the pages of a share comes by all of them, and back. */
static void test_chain(void **state __maybe_unused)
{
	struct load *l = make(LOAD_CHASE, 0);
	bool ascending = true;

	for (u64 i = 0; i < SHARES; i++) {
		struct guest_load share = load_share(l, i);
		bool seen[PAGES] = { false };
		u64 at = 0;

		for (u64 k = 0; k < share.pages; k++) {
			u64 next = memory[share.first + at][LOAD_NEXT];

			assert_true(next < share.pages && !seen[at]);
			seen[at] = true;
			ascending = ascending && next == (at + 1) % share.pages;
			at = next;
		}
		assert_int_equal(at, 0);
	}
	assert_false(ascending);
	load_free(l);
}

static struct guest_scheduler scheduler = { .quantum = ~UINT64_C(0) };
static struct guest_cpu cpu = { .scheduler = (u64)&scheduler };

void guest_thread_yield(struct guest_cpu *c __maybe_unused)
{
	fail();
}

/* A pass of all threads; returns what they found wrong. */
static u64 play(const struct load *l, u64 turn)
{
	u64 wrong = 0;

	for (u64 i = 0; i < SHARES; i++) {
		struct guest_load share = load_share(l, i);

		share.base = (u64)memory[share.first];
		share.turn = turn;
		guest_load_pass(&cpu, &share);
		wrong += share.wrong;
	}
	return wrong;
}

static void test_touched(void **state __maybe_unused)
{
	struct load *l = make(LOAD_TOUCH, 0);

	assert_int_equal(load_count_wrong(l, memory, 0), 0);
	assert_int_equal(play(l, 0), 0);
	assert_int_equal(load_count_wrong(l, memory, 0), PAGES);
	assert_int_equal(load_count_wrong(l, memory, 1), 0);
	/* each word counts, and a page in the place of another */
	for (u64 i = 0; i < WORDS; i++) {
		memory[5][i] ^= 1;
		assert_int_equal(load_count_wrong(l, memory, 1), 1);
		memory[5][i] ^= 1;
	}
	memcpy(memory[9], memory[8], PAGE);
	assert_int_equal(load_count_wrong(l, memory, 1), 1);
	/* the guest sees that, too: mark and last word are those of another */
	assert_int_equal(play(l, 1), 2);
	load_free(l);
}

static void test_chased(void **state __maybe_unused)
{
	struct load *l = make(LOAD_CHASE, 0);

	for (u64 turn = 0; turn < 3; turn++) {
		assert_int_equal(play(l, turn), 0);
		assert_int_equal(load_count_wrong(l, memory, turn + 1), 0);
	}
	/* a chain that is cut leaves pages behind */
	memory[0][LOAD_NEXT] = PAGES;
	assert_int_equal(play(l, 3), 1);
	assert_true(load_count_wrong(l, memory, 4) > PAGES / SHARES - 2);
	load_free(l);
}

static void test_wrong_on_purpose(void **state __maybe_unused)
{
	struct load *l = make(LOAD_TOUCH, 2);

	assert_int_equal(load_count_wrong(l, memory, 0), 2);
	load_free(l);
}

/* Also words that are all equal, or in order already. */
static void test_sort(void **state __maybe_unused)
{
	static u64 words[WORDS * 9];
	struct guest_load share = { .base = (u64)words,
				    .page_bytes = PAGE,
				    .pages = 9,
				    .pattern = LOAD_SORT };

	for (u64 differ = 1; differ < 100; differ++) {
		share.pages = 1 + differ % 9;
		for (u64 i = 0; i < ARRAY_SIZE(words); i++)
			words[i] = load_mix(i) % differ;
		guest_load_pass(&cpu, &share);
		guest_load_pass(&cpu, &share);
		for (u64 i = 1; i < share.pages * WORDS; i++)
			assert_true(words[i - 1] <= words[i]);
	}
	assert_int_equal(share.wrong, 0);
}

static void test_sorted(void **state __maybe_unused)
{
	struct load *l = make(LOAD_SORT, 0);
	u64 saved;

	assert_int_equal(load_count_wrong(l, memory, 1), SHARES);
	assert_int_equal(play(l, 0), 0);
	assert_int_equal(load_count_wrong(l, memory, 1), 0);
	/* still in order, but no longer the same words */
	saved = memory[0][0];
	memory[0][0] = 0;
	assert_int_equal(load_count_wrong(l, memory, 1), 1);
	memory[0][0] = saved;
	saved = memory[PAGES - 1][7];
	memory[PAGES - 1][7] = memory[PAGES - 1][8];
	assert_int_equal(load_count_wrong(l, memory, 1), 1);
	memory[PAGES - 1][7] = saved;
	assert_int_equal(load_count_wrong(l, memory, 1), 0);
	load_free(l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shares),
		cmocka_unit_test(test_chain),
		cmocka_unit_test(test_touched),
		cmocka_unit_test(test_chased),
		cmocka_unit_test(test_wrong_on_purpose),
		cmocka_unit_test(test_sort),
		cmocka_unit_test(test_sorted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
