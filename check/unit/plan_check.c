/* SPDX-License-Identifier: GPL-2.0-only */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#undef skip /* cmocka's */
#include "child.h"
#include "made_up_vm.h"
#include "plan.h"

#define MAX_PAGES 5000

static struct vm vm;

static int setup(void **state __maybe_unused)
{
	made_up_vm_init(&vm, 4);
	return 0;
}

static int teardown(void **state __maybe_unused)
{
	made_up_vm_fini(&vm);
	return 0;
}

static struct plan make_plan(u64 pages, bool random, u64 seed)
{
	struct plan plan;

	plan_init(&plan, &vm,
		  &(struct plan_config){ .page_bytes = KIB(4),
					 .pages = pages,
					 .random = random,
					 .seed = seed });
	return plan;
}

static void expect_permutation(const struct plan *plan)
{
	u8 seen[MAX_PAGES] = { 0 };

	for (u32 i = 0; i < plan->nr; i++) {
		assert_true(plan->order[i] < plan->nr);
		assert_int_equal(seen[plan->order[i]]++, 0);
		assert_true(plan->choice[i] < GUEST_CHOICES);
	}
}

static void test_every_page_once(void **state __maybe_unused)
{
	static const u64 sizes[] = { 1, 2, 3, 63, 64, 65, 1000, MAX_PAGES };

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct plan random = make_plan(sizes[i], true, i);
		struct plan ascending = make_plan(sizes[i], false, i);

		expect_permutation(&random);
		for (u32 k = 0; k < sizes[i]; k++)
			assert_int_equal(ascending.order[k], k);
	}
}

static void test_random_is_not_ascending(void **state __maybe_unused)
{
	struct plan plan = make_plan(MAX_PAGES, true, 1);
	unsigned int in_place = 0, neighbours = 0;

	for (u32 i = 0; i < plan.nr; i++)
		in_place += plan.order[i] == i;
	for (u32 i = 1; i < plan.nr; i++)
		neighbours += plan.order[i] == plan.order[i - 1] + 1;
	/* one of each is expected */
	assert_in_range(in_place, 0, 10);
	assert_in_range(neighbours, 0, 10);
}

/* All orders of three pages come about equally often: 10000 each, sigma 91. */
static void test_no_order_preferred(void **state __maybe_unused)
{
	unsigned int count[27] = { 0 };

	for (u64 seed = 0; seed < 60000; seed++) {
		struct plan plan = make_plan(3, true, seed);

		count[9 * plan.order[0] + 3 * plan.order[1] + plan.order[2]]++;
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(count); i++)
		if (count[i])
			assert_in_range(count[i], 9600, 10400);
}

static bool same(const struct plan *a, const struct plan *b)
{
	return memcmp(a->order, b->order, a->nr * sizeof(*a->order)) == 0 &&
	       memcmp(a->choice, b->choice, a->nr) == 0;
}

static void test_seed(void **state __maybe_unused)
{
	struct plan a = make_plan(1000, true, 42);
	struct plan b = make_plan(1000, true, 42);
	struct plan c = make_plan(1000, true, 43);

	assert_true(same(&a, &b));
	assert_false(same(&a, &c));
}

/*
 * Any machine has the same stream: splitmix64 from 0 begins with
 * e220a839..., 6e789e6a..., 06c45d18..., f88bb8a8..., 1b39896a...
 */
static void test_stream(void **state __maybe_unused)
{
	static const u8 choice[] = { 88, 43, 2, 97, 10 };
	struct plan plan = make_plan(ARRAY_SIZE(choice), false, 0);

	assert_memory_equal(plan.choice, choice, sizeof(choice));
}

static const struct guest_plan *assign(const struct plan *plan, u32 index,
				       u32 write_percent)
{
	plan_assign(plan, &vm.vcpus[index],
		    &(struct plan_share){ .base_gva = GIB(64),
					  .page_bytes = KIB(4),
					  .pages = plan->nr,
					  .write_percent = write_percent });
	return &vm.vcpus[index].area->plan;
}

/* In GUEST_CHOICES passes every access writes exactly its share. */
static void test_write_share(void **state __maybe_unused)
{
	static const u32 percents[] = { 0, 1, 30, 50, 99, 100 };
	struct plan plan = make_plan(200, false, 7);

	for (size_t k = 0; k < ARRAY_SIZE(percents); k++) {
		struct guest_plan p = *assign(&plan, k % 4, percents[k]);
		u32 writes[200] = { 0 };

		for (u32 pass = 0; pass < GUEST_CHOICES; pass++) {
			for (u32 i = 0; i < p.nr; i++)
				writes[i] += plan_is_write(&p, plan.choice, i);
			plan_turn(&p);
		}
		for (u32 i = 0; i < p.nr; i++)
			assert_int_equal(writes[i], percents[k]);
	}
}

/* Each pass writes its share too, give or take chance. */
static void test_write_share_of_a_pass(void **state __maybe_unused)
{
	struct plan plan = make_plan(MAX_PAGES, false, 8);
	struct guest_plan p = *assign(&plan, 0, 30);

	for (u32 pass = 0; pass < 10; pass++) {
		u32 writes = 0;

		for (u32 i = 0; i < p.nr; i++)
			writes += plan_is_write(&p, plan.choice, i);
		/* six standard deviations */
		assert_in_range(writes, MAX_PAGES * 3 / 10 - 195,
				MAX_PAGES * 3 / 10 + 195);
		plan_turn(&p);
	}
}

/* vCPUs of one plan neither begin alike nor write the same pages. */
static void test_vcpus_differ(void **state __maybe_unused)
{
	struct plan plan = make_plan(1000, true, 9);
	const struct guest_plan *a = assign(&plan, 0, 50);
	const struct guest_plan *b = assign(&plan, 1, 50);
	u32 differ = 0;

	assert_int_not_equal(a->first, b->first);
	assert_int_equal(a->order, b->order);
	for (u32 i = 0; i < plan.nr; i++)
		differ += plan_is_write(a, plan.choice, i) !=
			  plan_is_write(b, plan.choice, i);
	assert_true(differ > 100);
}

/* The guest's loop in the plainest words: access by access. */
static void simulate(const struct plan *plan, const struct guest_plan *p,
		     u32 accesses, u64 first_page, bool *written)
{
	for (u32 n = 0; n < accesses; n++) {
		u32 i = (p->first + n) % p->nr;

		if ((plan->choice[i] + p->turn) % GUEST_CHOICES <
		    p->write_below)
			written[first_page + plan->order[i]] = true;
	}
}

static void expect_marks(const struct plan *plan, const struct guest_plan *p,
			 u32 accesses, u64 first_page)
{
	u64 bitmap[2 * MAX_PAGES / 64] = { 0 };
	bool written[2 * MAX_PAGES] = { false };

	simulate(plan, p, accesses, first_page, written);
	plan_mark(plan, p, accesses, first_page, bitmap);
	for (u64 page = 0; page < ARRAY_SIZE(bitmap) * 64; page++)
		assert_int_equal((bitmap[page / 64] >> page % 64) & 1,
				 written[page]);
}

static void test_marks(void **state __maybe_unused)
{
	static const u32 pages[] = { 1, 64, 100, 777 };

	for (size_t k = 0; k < ARRAY_SIZE(pages); k++) {
		struct plan plan = make_plan(pages[k], true, k + 20);
		struct guest_plan p = *assign(&plan, k, 40);
		u32 to_end = p.nr - p.first;

		for (u32 turn = 0; turn < 3; turn++) {
			expect_marks(&plan, &p, 0, 0);
			expect_marks(&plan, &p, 1, 5);
			expect_marks(&plan, &p, to_end, 63);
			/* the pass wraps around */
			expect_marks(&plan, &p, min_u64(to_end + 1, p.nr), 64);
			expect_marks(&plan, &p, p.nr, 65);
			plan_turn(&p);
		}
	}
}

/* Marks are added to what is there. */
static void test_marks_add(void **state __maybe_unused)
{
	struct plan plan = make_plan(64, false, 0);
	const struct guest_plan *p = assign(&plan, 0, 100);
	u64 bitmap[2] = { 0, BIT(63) };

	plan_mark(&plan, p, 64, 0, bitmap);
	assert_int_equal(bitmap[0], ~UINT64_C(0));
	assert_int_equal(bitmap[1], BIT(63));
}

/* What the guest reads its order and choice by. */
static void test_addresses(void **state __maybe_unused)
{
	struct plan plan = make_plan(10, true, 3);
	const struct guest_plan *p = assign(&plan, 2, 10);

	assert_ptr_equal(vm_hva(&vm, p->order, 40), plan.order);
	assert_ptr_equal(vm_hva(&vm, p->choice, 10), plan.choice);
	assert_int_equal(p->base, GIB(64));
	assert_int_equal(p->page_bytes, KIB(4));
	assert_int_equal(p->nr, 10);
	assert_true(p->first < 10);
}

static void assign_part(void *random)
{
	struct plan plan = make_plan(10, *(bool *)random, 3);

	plan_assign(&plan, &vm.vcpus[0], &(struct plan_share){ .pages = 9 });
}

static void assign_more(void *arg __maybe_unused)
{
	struct plan plan = make_plan(10, false, 3);

	plan_assign(&plan, &vm.vcpus[0], &(struct plan_share){ .pages = 11 });
}

static void too_many_pages(void *arg __maybe_unused)
{
	make_plan(BIT(32), false, 0);
}

static void test_misuse(void **state __maybe_unused)
{
	bool random = true, ascending = false;
	struct child child;

	child_run(&child, assign_part, &ascending);
	assert_int_equal(child.code, CHILD_RETURNED);
	child_run(&child, assign_part, &random);
	assert_int_equal(child.code, 1);
	assert_non_null(
		strstr(child.err, "a share of 9 pages in a plan of 10"));
	child_run(&child, assign_more, NULL);
	assert_int_equal(child.code, 1);
	child_run(&child, too_many_pages, NULL);
	assert_int_equal(child.code, 1);
	assert_non_null(strstr(child.err, "choose smaller --bytes"));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_page_once),
		cmocka_unit_test(test_random_is_not_ascending),
		cmocka_unit_test(test_no_order_preferred),
		cmocka_unit_test(test_seed),
		cmocka_unit_test(test_stream),
		cmocka_unit_test(test_write_share),
		cmocka_unit_test(test_write_share_of_a_pass),
		cmocka_unit_test(test_vcpus_differ),
		cmocka_unit_test(test_marks),
		cmocka_unit_test(test_marks_add),
		cmocka_unit_test(test_addresses),
		cmocka_unit_test(test_misuse),
	};

	return cmocka_run_group_tests_name("plan", tests, setup, teardown);
}
