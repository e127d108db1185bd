/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the host believes that vCPUs have written, against a guest that is
 * played access by access.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#undef skip /* cmocka's */
#include "made_up_vm.h"
#include "workload.h"

#define NR_VCPUS 3
#define PAGE KIB(4)
#define MAX_PAGES 600

static struct vm vm;
static struct testmem mem;
static struct run run;
static bool written[MAX_PAGES];

static int setup(void **state __maybe_unused)
{
	made_up_vm_init(&vm, NR_VCPUS);
	return 0;
}

static int teardown(void **state __maybe_unused)
{
	made_up_vm_fini(&vm);
	return 0;
}

static void init(struct workload *w, u64 pages, struct workload_config cfg)
{
	mem = (struct testmem){ .vm = &vm,
				.gva = GIB(64),
				.gpa = GIB(8),
				.bytes = pages * PAGE,
				.page_bytes = PAGE };
	run = (struct run){ .vm = &vm, .mem = &mem, .nr_vcpus = NR_VCPUS };
	memset(written, 0, sizeof(written));
	workload_init(w, &run, &cfg);
	for (u32 i = 0; i < NR_VCPUS; i++) {
		struct guest_cpu *area = vm.vcpus[i].area;

		area->reads = 0;
		area->writes = 0;
		area->passes = 0;
	}
}

/* The guest's loop, by addresses; at most @accesses of them. */
static void play_pass(struct guest_cpu *area, u32 accesses)
{
	struct guest_plan *p = &area->plan;
	const u32 *order = vm_hva(&vm, p->order, 4);
	const u8 *choice = vm_hva(&vm, p->choice, 1);

	for (u32 n = 0; n < p->nr; n++) {
		u32 i = (p->first + n) % p->nr;
		u64 gva = p->base + order[i] * p->page_bytes;
		bool write = (choice[i] + p->turn) % GUEST_CHOICES <
			     p->write_below;

		if (n == accesses)
			return;
		assert_in_range(gva, mem.gva, mem.gva + mem.bytes - 1);
		if (write) {
			written[(gva - mem.gva) / PAGE] = true;
			area->writes++;
		} else {
			area->reads++;
		}
	}
	area->passes++;
	p->turn = (p->turn + p->turn_step) % GUEST_CHOICES;
}

static void expect_bitmap(const u64 *bitmap)
{
	for (u64 page = 0; page < MAX_PAGES; page++)
		assert_int_equal((bitmap[page / 64] >> page % 64) & 1,
				 written[page]);
}

static const struct workload_config configs[] = {
	{ SHARE_ALL, false, 1, 100 }, { SHARE_ALL, false, 2, 0 },
	{ SHARE_ALL, false, 3, 50 },  { SHARE_ALL, true, 4, 30 },
	{ SHARE_SPLIT, false, 5, 7 }, { SHARE_SPLIT, false, 6, 100 },
	{ SHARE_SPLIT, true, 7, 50 }, { SHARE_SPLIT, false, 8, 1 },
};

static void test_mark_pass(void **state __maybe_unused)
{
	for (size_t i = 0; i < ARRAY_SIZE(configs); i++) {
		u64 bitmap[MAX_PAGES / 64 + 1] = { 0 };
		struct workload w;

		/* random shares must be equal */
		init(&w, configs[i].random ? 594 : 595, configs[i]);
		for (int pass = 0; pass < 3; pass++) {
			workload_mark_pass(&w, WORKLOAD_AS_PLANNED, bitmap);
			for (u32 k = 0; k < NR_VCPUS; k++)
				play_pass(vm.vcpus[k].area, MAX_PAGES);
			expect_bitmap(bitmap);
		}
		workload_fini(&w);
	}
}

/* vCPUs that run free and are stopped anywhere. */
static void mark_since(const struct workload_config *cfg, u32 passes)
{
	u64 bitmap[MAX_PAGES / 64 + 1] = { 0 };
	struct workload w;

	init(&w, 594, *cfg);
	/* an earlier pass has turned the choice already */
	for (u32 k = 0; k < NR_VCPUS; k++)
		play_pass(vm.vcpus[k].area, MAX_PAGES);
	memset(written, 0, sizeof(written));
	workload_remember(&w);
	for (u32 k = 0; k < NR_VCPUS; k++) {
		struct guest_cpu *area = vm.vcpus[k].area;

		area->reads = 0;
		area->writes = 0;
		area->passes = 0;
		for (u32 pass = 0; pass < passes + k; pass++)
			play_pass(area, MAX_PAGES);
		play_pass(area, 7 * k);
	}
	workload_mark_since(&w, bitmap);
	expect_bitmap(bitmap);
	workload_fini(&w);
}

static void test_mark_since(void **state __maybe_unused)
{
	static const u32 passes[] = { 0, 1, 2, 97, 98, 99, 100, 101, 250 };

	for (size_t i = 0; i < ARRAY_SIZE(configs); i++)
		for (size_t k = 0; k < ARRAY_SIZE(passes); k++)
			mark_since(&configs[i], passes[k]);
}

/* Shares follow each other without a gap and differ by a page at most. */
static void test_split(void **state __maybe_unused)
{
	static const u64 pages[] = { NR_VCPUS, 4, 5, 100, 599 };

	for (size_t i = 0; i < ARRAY_SIZE(pages); i++) {
		u64 at = mem.gva;
		struct workload w;

		init(&w, pages[i],
		     (struct workload_config){ SHARE_SPLIT, false, 1, 100 });
		at = mem.gva;
		for (u32 k = 0; k < NR_VCPUS; k++) {
			const struct guest_plan *p = &vm.vcpus[k].area->plan;

			assert_int_equal(p->base, at);
			assert_in_range(p->nr, pages[i] / NR_VCPUS,
					pages[i] / NR_VCPUS + 1);
			at += p->nr * PAGE;
		}
		assert_int_equal(at, mem.gva + mem.bytes);
		assert_int_equal(workload_pages(&w), pages[i]);
		workload_fini(&w);
	}
}

static void test_sparse(void **state __maybe_unused)
{
	struct workload w;
	u64 touched = 0;

	init(&w, 594, (struct workload_config){ SHARE_SPLIT, false, 1, 100 });
	workload_touch_sparsely(&w, 16 * PAGE);
	/* 198 pages each: 13 of 16 pages, the last one not whole */
	assert_int_equal(workload_pages(&w), 39);
	for (u32 k = 0; k < NR_VCPUS; k++)
		play_pass(vm.vcpus[k].area, MAX_PAGES);
	for (u64 page = 0; page < 594; page++) {
		assert_int_equal(written[page], page % 198 % 16 == 0);
		touched += written[page];
	}
	assert_int_equal(touched, 39);
	workload_touch_all(&w);
	assert_int_equal(workload_pages(&w), 594);
	workload_fini(&w);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mark_pass),
		cmocka_unit_test(test_mark_since),
		cmocka_unit_test(test_split),
		cmocka_unit_test(test_sparse),
	};

	return cmocka_run_group_tests_name("workload", tests, setup, teardown);
}
