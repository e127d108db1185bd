/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The dirty log over several slots. The functions of memslot.c and dirty_ring.c
 * that ask KVM are played here, so that the linker does not take those.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#undef skip /* cmocka's */
#include "clock.h"
#include "dirty.h"
#include "dirty_ring.h"
#include "option_row.h"
#include "util.h"

#define PAGE KIB(4)
#define MAX_SLOTS 16
#define MAX_PAGES 4096

/* Pages of all slots in a row, as KVM would have them. */
static bool dirty[MAX_PAGES];

static struct call {
	u32 slot;
	u64 first, nr;
} calls[256];
static unsigned int nr_calls;

static struct memslot slots[MAX_SLOTS];
static struct testmem mem;

static u64 first_page(const struct memslot *slot)
{
	return (slot->gpa - mem.gpa) / PAGE;
}

int __memslot_get_dirty(struct memslot *slot, u64 *bitmap)
{
	memslot_get_dirty(slot, bitmap);
	return 0;
}

void memslot_get_dirty(struct memslot *slot, u64 *bitmap)
{
	u64 pages = memslot_pages(slot, PAGE);

	memset(bitmap, 0, DIV_ROUND_UP(pages, 64) * sizeof(*bitmap));
	/* nobody promises zeros beyond the slot */
	if (pages % 64)
		bitmap[pages / 64] = ~UINT64_C(0) << pages % 64;
	for (u64 i = 0; i < pages; i++)
		if (dirty[first_page(slot) + i])
			bitmap[i / 64] |= BIT(i % 64);
}

void memslot_clear_dirty(struct memslot *slot, u64 *bitmap, u64 first, u64 nr)
{
	__memslot_clear_dirty(slot, bitmap, first, nr);
}

/* By several threads. */
int __memslot_clear_dirty(struct memslot *slot, u64 *bitmap, u64 first, u64 nr)
{
	unsigned int call = __atomic_fetch_add(&nr_calls, 1, __ATOMIC_RELAXED);

	calls[call] = (struct call){ slot - slots, first, nr };
	for (u64 i = first; i < first + nr; i++)
		if (bitmap[i / 64] & BIT(i % 64))
			dirty[first_page(slot) + i] = false;
	return 0;
}

/* ---- rings: either call takes long when it is told to ---- */

#define LONG_NS (200 * NSEC_PER_MSEC)

static struct ring_play {
	bool long_harvest, long_reset;
	bool busy; /* one of them goes on */
	bool met;  /* and somebody comes to wait for it */
} play;

static void take_time(bool how_long)
{
	if (!how_long)
		return;
	__atomic_store_n(&play.busy, true, __ATOMIC_RELEASE);
	while (!__atomic_load_n(&play.met, __ATOMIC_ACQUIRE))
		sleep_until_ns(now_ns() + NSEC_PER_MSEC);
	sleep_until_ns(now_ns() + LONG_NS);
}

u32 dirty_ring_harvest(struct vcpu *vcpu __maybe_unused,
		       void (*page)(void *arg, u32 slot_id, u64 page)
			       __maybe_unused,
		       void *arg __maybe_unused)
{
	take_time(play.long_harvest);
	return 1;
}

int __dirty_ring_reset(struct vm *vm __maybe_unused)
{
	take_time(play.long_reset);
	return 1;
}

/* Without chunks, waits and more than one thread. */
static struct dirty_log *create_log(void)
{
	static const struct dirty_options options = DIRTY_OPTIONS_DEFAULTS;

	return dirty_log_create(&mem, DIRTY_CLEAR_LOG, &options);
}

static void make_slots(const u32 *pages, u32 nr)
{
	u64 at = GIB(8);

	nr_calls = 0;
	memset(dirty, 0, sizeof(dirty));
	for (u32 i = 0; i < nr; i++) {
		slots[i] = (struct memslot){ .id = i + 1,
					     .gpa = at,
					     .bytes = pages[i] * PAGE };
		at += pages[i] * PAGE;
	}
	mem = (struct testmem){ .slot = slots,
				.nr_slots = nr,
				.gpa = GIB(8),
				.bytes = at - GIB(8),
				.page_bytes = PAGE };
}

static void make_dirty(unsigned int seed)
{
	for (u64 i = 0; i < testmem_pages(&mem); i++)
		dirty[i] = rand_r(&seed) & 4;
}

/* One word more than there is, to see that it stays as it was. */
static void expect_merged(struct dirty_log *log)
{
	size_t words = dirty_words(&mem);
	u64 *bitmap = xcalloc(words + 1, sizeof(*bitmap));

	bitmap[words] = UINT64_C(0x0123456789abcdef);
	dirty_log_merge(log, bitmap);
	for (u64 i = 0; i < words * 64; i++)
		assert_int_equal((bitmap[i / 64] >> i % 64) & 1,
				 i < testmem_pages(&mem) && dirty[i]);
	assert_int_equal(bitmap[words], UINT64_C(0x0123456789abcdef));
	free(bitmap);
}

static void check_merge(const u32 *pages, u32 nr)
{
	struct dirty_log *log;

	make_slots(pages, nr);
	log = create_log();
	for (unsigned int seed = 1; seed <= 4; seed++) {
		make_dirty(seed);
		dirty_log_get(log);
		expect_merged(log);
	}
	memset(dirty, 1, sizeof(dirty));
	dirty_log_get(log);
	expect_merged(log);
	dirty_log_free(log);
}

static void test_merge(void **state __maybe_unused)
{
	static const u32 layouts[][8] = {
		{ 64 },
		{ 1 },
		{ 63 },
		{ 65 },
		{ 128, 64, 256 },
		{ 63, 1, 64 },
		{ 1, 1, 1, 61, 1 },
		{ 65, 63, 127, 129 },
		{ 1, 64, 64, 63 },
		{ 100, 200, 300, 7, 13, 64, 1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++) {
		u32 nr = 0;

		while (nr < 8 && layouts[i][nr])
			nr++;
		check_merge(layouts[i], nr);
	}
}

/* All layouts of three slots around a word's size. */
static void test_merge_boundaries(void **state __maybe_unused)
{
	static const u32 sizes[] = { 1, 31, 32, 33, 63, 64, 65 };

	for (size_t a = 0; a < ARRAY_SIZE(sizes); a++)
		for (size_t b = 0; b < ARRAY_SIZE(sizes); b++)
			check_merge((u32[]){ sizes[a], sizes[b], 64 }, 3);
}

/* A second log adds to the first. */
static void test_merge_adds(void **state __maybe_unused)
{
	u64 bitmap[4] = { 0 };
	struct dirty_log *log;

	make_slots((u32[]){ 70, 80 }, 2);
	log = create_log();
	dirty[0] = true;
	dirty[149] = true;
	dirty_log_get(log);
	dirty_log_merge(log, bitmap);
	memset(dirty, 0, sizeof(dirty));
	dirty[71] = true;
	dirty_log_get(log);
	dirty_log_merge(log, bitmap);
	assert_int_equal(bitmap_count(bitmap, 4), 3);
	assert_int_equal(bitmap[0], BIT(0));
	assert_int_equal(bitmap[1], BIT(71 - 64));
	assert_int_equal(bitmap[2], BIT(149 - 128));
	dirty_log_free(log);
}

/* Clears all slots in chunks of @chunk and compares the calls. */
static void expect_calls(u64 chunk_bytes, const struct call *expected,
			 unsigned int nr)
{
	struct dirty_options options = DIRTY_OPTIONS_DEFAULTS;
	struct dirty_log *log;

	options.chunk_bytes = chunk_bytes;
	log = dirty_log_create(&mem, DIRTY_CLEAR_LOG, &options);

	make_dirty(5);
	nr_calls = 0;
	dirty_log_get(log);
	dirty_log_clear(log);
	assert_int_equal(nr_calls, nr);
	assert_int_equal(dirty_log_get_calls(log).nr, mem.nr_slots);
	assert_int_equal(dirty_log_clear_calls(log).nr, nr);
	for (unsigned int i = 0; i < nr; i++) {
		assert_int_equal(calls[i].slot, expected[i].slot);
		assert_int_equal(calls[i].first, expected[i].first);
		assert_int_equal(calls[i].nr, expected[i].nr);
	}
	for (u64 i = 0; i < testmem_pages(&mem); i++)
		assert_false(dirty[i]);
	dirty_log_free(log);
}

static void test_clear(void **state __maybe_unused)
{
	static const struct call by_64[] = {
		{ 0, 0, 64 },
		{ 0, 64, 36 },
		{ 1, 0, 64 },
		{ 2, 0, 1 },
	};
	static const struct call at_once[] = {
		{ 0, 0, 100 },
		{ 1, 0, 64 },
		{ 2, 0, 1 },
	};

	make_slots((u32[]){ 100, 64, 1 }, 3);
	expect_calls(64 * PAGE, by_64, ARRAY_SIZE(by_64));
	expect_calls(PAGE, by_64, ARRAY_SIZE(by_64));
	expect_calls(128 * PAGE, at_once, ARRAY_SIZE(at_once));
	expect_calls(OPTION_UNSET, at_once, ARRAY_SIZE(at_once));
}

/* Several clearers do each call once; every call has its time. */
static void test_clearers(void **state __maybe_unused)
{
	struct dirty_options options = DIRTY_OPTIONS_DEFAULTS;
	bool seen[MAX_PAGES / 64] = { false };
	struct dirty_log *log;
	struct dirty_calls c;
	u64 sum = 0, ns;

	make_slots((u32[]){ 1024, 2048, 1000 }, 3);
	options.clearers = 4;
	options.chunk_bytes = 64 * PAGE;
	log = dirty_log_create(&mem, DIRTY_CLEAR_LOG, &options);
	make_dirty(7);
	dirty_log_get(log);
	ns = dirty_log_clear(log).ns;
	assert_int_equal(nr_calls, 64);
	for (unsigned int i = 0; i < nr_calls; i++) {
		u64 at = first_page(&slots[calls[i].slot]) + calls[i].first;

		assert_false(seen[at / 64]);
		seen[at / 64] = true;
	}
	c = dirty_log_clear_calls(log);
	assert_int_equal(c.nr, 64);
	for (unsigned int i = 0; i < c.nr; i++)
		sum += c.ns[i];
	assert_in_range(ns, sum / 4, sum);
	for (u64 i = 0; i < testmem_pages(&mem); i++)
		assert_false(dirty[i]);
	dirty_log_free(log);
}

/* The wait comes after each call, and is none of the time measured. */
static void test_clear_waits(void **state __maybe_unused)
{
	struct dirty_options options = DIRTY_OPTIONS_DEFAULTS;
	struct dirty_log *log;
	u64 start, measured;

	make_slots((u32[]){ 128 }, 1);
	options.chunk_bytes = 64 * PAGE;
	options.wait_ms = 20;
	log = dirty_log_create(&mem, DIRTY_CLEAR_LOG, &options);
	dirty_log_get(log);
	start = now_ns();
	measured = dirty_log_clear(log).ns;
	assert_true(now_ns() - start >= 40 * NSEC_PER_MSEC);
	assert_true(measured < 20 * NSEC_PER_MSEC);
	dirty_log_free(log);
}

static void test_chunk(void **state __maybe_unused)
{
	make_slots((u32[]){ 1000 }, 1);
	assert_int_equal(dirty_chunk_pages(&mem, 1), 64);
	assert_int_equal(dirty_chunk_pages(&mem, 64 * PAGE), 64);
	assert_int_equal(dirty_chunk_pages(&mem, 65 * PAGE), 128);
	assert_in_range(dirty_chunk_pages(&mem, GIB(192)), 1000, 1024);
	assert_in_range(dirty_chunk_pages(&mem, OPTION_UNSET), 1000, 1024);
}

static void test_bitmap_count(void **state __maybe_unused)
{
	static const u64 a[] = { 0xff, ~UINT64_C(0), 0 };
	static const u64 b[] = { 0x0f, 1, ~UINT64_C(0) };

	assert_int_equal(bitmap_count(a, 3), 72);
	assert_int_equal(bitmap_count(a, 1), 8);
	assert_int_equal(bitmap_count(a, 0), 0);
	assert_int_equal(bitmap_count_without(a, b, 3), 4 + 63);
	assert_int_equal(bitmap_count_without(b, a, 3), 64);
	assert_int_equal(bitmap_count_without(a, a, 3), 0);
}

static void *fill_ring(void *arg)
{
	struct vm *vm = arg;

	assert_true(vm->ring_full(&vm->vcpus[0], vm->ring_full_arg));
	return NULL;
}

static void *clear_log(void *arg)
{
	dirty_log_clear(arg);
	return NULL;
}

/* Has @first go on in a thread of its own; at once somebody is to wait for it.
 */
static pthread_t begin(struct ring_play how, void *(*first)(void *arg),
		       void *arg)
{
	pthread_t thread;

	play = how;
	assert_int_equal(pthread_create(&thread, NULL, first, arg), 0);
	while (!__atomic_load_n(&play.busy, __ATOMIC_ACQUIRE))
		sleep_until_ns(now_ns() + NSEC_PER_MSEC);
	/* what comes meanwhile takes no time of its own */
	play.long_harvest = false;
	play.long_reset = false;
	__atomic_store_n(&play.met, true, __ATOMIC_RELEASE);
	return thread;
}

/* A thread that has to wait for another has not done anything meanwhile. */
static void test_rings_in_turn(void **state __maybe_unused)
{
	static const struct dirty_options options = DIRTY_OPTIONS_DEFAULTS;
	struct vcpu vcpu = { .index = 0 };
	struct vm vm = { .vcpus = &vcpu, .nr_vcpus = 1 };
	struct dirty_log *log;
	pthread_t other;
	u64 start;

	make_slots((u32[]){ 64 }, 1);
	mem.vm = &vm;
	vcpu.vm = &vm;
	log = dirty_log_create(&mem, DIRTY_RING, &options);

	other = begin((struct ring_play){ .long_harvest = true }, fill_ring,
		      &vm);
	start = now_ns();
	assert_true(dirty_log_clear(log).ns < LONG_NS / 2);
	assert_true(now_ns() - start > LONG_NS / 2);
	pthread_join(other, NULL);
	dirty_log_get(log);
	assert_int_equal(dirty_log_ring_full(log).exits, 1);
	assert_true(dirty_log_ring_full(log).ns >= LONG_NS);

	other = begin((struct ring_play){ .long_reset = true }, clear_log, log);
	start = now_ns();
	fill_ring(&vm);
	assert_true(now_ns() - start > LONG_NS / 2);
	pthread_join(other, NULL);
	assert_true(dirty_log_clear_calls(log).ns[0] >= LONG_NS);
	dirty_log_get(log);
	assert_int_equal(dirty_log_ring_full(log).exits, 1);
	assert_true(dirty_log_ring_full(log).ns < LONG_NS / 2);
	dirty_log_free(log);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_merge),
		cmocka_unit_test(test_merge_boundaries),
		cmocka_unit_test(test_merge_adds),
		cmocka_unit_test(test_clear),
		cmocka_unit_test(test_clearers),
		cmocka_unit_test(test_clear_waits),
		cmocka_unit_test(test_rings_in_turn),
		cmocka_unit_test(test_chunk),
		cmocka_unit_test(test_bitmap_count),
	};

	return cmocka_run_group_tests_name("dirty", tests, NULL, NULL);
}
