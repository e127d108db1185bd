/* SPDX-License-Identifier: GPL-2.0-only */
/* Records as the kernel writes them, in a ring that wraps around. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#undef skip /* cmocka's */
#include "lock_records.h"
#include "util.h"

#define BEGIN 7
#define END 9
/* include/trace/events/lock.h */
#define SPIN 1u
#define READ 2u
#define WRITE 4u
#define MUTEX 32u

/* A power of two that is no multiple of a record: some wrap around. */
static u8 data[256];
static struct lock_ring ring;
static struct lock_records thread;
static struct lock_report report;

static int setup(void **state __maybe_unused)
{
	ring = (struct lock_ring){ .data = data, .bytes = sizeof(data) };
	thread = (struct lock_records){ .begin_id = BEGIN,
					.end_id = END,
					.side = LOCK_SIDE_VCPUS };
	memset(&report, 0, sizeof(report));
	return 0;
}

static void put(const void *record, u16 bytes)
{
	for (u16 i = 0; i < bytes; i++)
		data[(ring.head + i) % sizeof(data)] = ((const u8 *)record)[i];
	ring.head += bytes;
}

static void event(u16 id, u64 lock, u64 time_ns, u32 value)
{
	/* the kernel pads records to 8 bytes */
	struct {
		struct lock_record r;
		u8 padding[8];
	} padded = { .r = { .header = { .type = PERF_RECORD_SAMPLE },
			    .time_ns = time_ns,
			    .event = id,
			    .value = value } };

	memcpy(padded.r.lock, &lock, sizeof(lock));
	padded.r.header.size = ALIGN_UP(sizeof(padded.r), 8);
	put(&padded, padded.r.header.size);
	lock_records_take(&thread, &ring, &report);
	assert_int_equal(ring.tail, ring.head);
}

static void lose(u64 nr)
{
	struct lock_lost_record r = {
		.header = { .type = PERF_RECORD_LOST, .size = sizeof(r) },
		.lost = nr,
	};

	put(&r, sizeof(r));
	lock_records_take(&thread, &ring, &report);
}

static void assert_waits(enum lock_kind kind, u64 waits, u64 ns, u64 longest_ns)
{
	const struct lock_waits *w = &report.of[LOCK_SIDE_VCPUS][kind];

	assert_int_equal(w->waits, waits);
	assert_int_equal(w->ns, ns);
	assert_int_equal(w->longest_ns, longest_ns);
}

static void test_kinds(void **state __maybe_unused)
{
	static const struct {
		u32 flags;
		enum lock_kind kind;
	} rows[] = {
		{ SPIN | READ, LOCK_RWLOCK_READ },
		{ SPIN | WRITE, LOCK_RWLOCK_WRITE },
		{ SPIN, LOCK_SPIN },
		{ MUTEX, LOCK_MUTEX },
		{ MUTEX | SPIN, LOCK_MUTEX },
		{ READ, LOCK_RWSEM_READ },
		{ WRITE, LOCK_RWSEM_WRITE },
		{ 0, LOCK_OTHER },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		setup(NULL);
		event(BEGIN, 1, 100, rows[i].flags);
		event(END, 1, 130, 0);
		assert_waits(rows[i].kind, 1, 30, 30);
		event(BEGIN, 2, 200, rows[i].flags);
		event(END, 2, 210, 0);
		assert_waits(rows[i].kind, 2, 40, 30);
		assert_int_equal(report.lost, 0);
	}
}

/* From the first begin, once, although the kernel tells both. */
static void test_mutex_begins_twice(void **state __maybe_unused)
{
	event(BEGIN, 1, 100, MUTEX | SPIN);
	event(BEGIN, 1, 150, MUTEX);
	event(END, 1, 400, 0);
	assert_waits(LOCK_MUTEX, 1, 300, 300);
	event(END, 1, 500, 0);
	assert_waits(LOCK_MUTEX, 1, 300, 300);
}

/* An interrupt waits for a spin lock while its thread waits for a rwlock. */
static void test_nested(void **state __maybe_unused)
{
	event(BEGIN, 1, 100, SPIN | WRITE);
	event(BEGIN, 2, 150, SPIN);
	event(END, 2, 160, 0);
	assert_waits(LOCK_SPIN, 1, 10, 10);
	event(END, 1, 300, 0);
	assert_waits(LOCK_RWLOCK_WRITE, 1, 200, 200);
	assert_int_equal(thread.depth, 0);
}

/* Deeper than is kept: what is kept still ends. */
static void test_too_deep(void **state __maybe_unused)
{
	for (u64 i = 0; i < LOCK_DEPTH_MAX + 3; i++)
		event(BEGIN, 1 + i, 100 + i, SPIN);
	for (u64 i = LOCK_DEPTH_MAX + 3; i-- > 0;)
		event(END, 1 + i, 1100 + i, 0);
	assert_waits(LOCK_SPIN, LOCK_DEPTH_MAX, LOCK_DEPTH_MAX * 1000, 1000);
	assert_int_equal(thread.depth, 0);
}

/* An end that was lost must not make the next wait as long as the pause. */
static void test_lost(void **state __maybe_unused)
{
	event(BEGIN, 1, 100, SPIN | READ);
	lose(3);
	event(BEGIN, 1, 1000000, SPIN | READ);
	event(END, 1, 1000020, 0);
	assert_waits(LOCK_RWLOCK_READ, 1, 20, 20);
	assert_int_equal(report.lost, 3);
	/* a begin that was lost */
	lose(1);
	event(END, 1, 2000000, 0);
	assert_waits(LOCK_RWLOCK_READ, 1, 20, 20);
	assert_int_equal(report.lost, 4);
}

/* An inner end that was never told ends with the outer one. */
static void test_inner_end_missing(void **state __maybe_unused)
{
	event(BEGIN, 1, 100, MUTEX);
	event(BEGIN, 2, 110, SPIN);
	event(END, 1, 200, 0);
	assert_waits(LOCK_MUTEX, 1, 100, 100);
	assert_waits(LOCK_SPIN, 0, 0, 0);
	event(BEGIN, 2, 1000, SPIN);
	event(END, 2, 1001, 0);
	assert_waits(LOCK_SPIN, 1, 1, 1);
}

/* Between phases waits end as well, but count for none; those under way go to
 * the phase that they end in. */
static void test_no_report(void **state __maybe_unused)
{
	event(BEGIN, 1, 100, SPIN);
	lock_records_take(&thread, &ring, NULL);
	event(END, 1, 160, 0);
	assert_waits(LOCK_SPIN, 1, 60, 60);
	event(BEGIN + END, 1, 170, SPIN);
	assert_int_equal(thread.depth, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_kinds, setup),
		cmocka_unit_test_setup(test_mutex_begins_twice, setup),
		cmocka_unit_test_setup(test_nested, setup),
		cmocka_unit_test_setup(test_too_deep, setup),
		cmocka_unit_test_setup(test_lost, setup),
		cmocka_unit_test_setup(test_inner_end_missing, setup),
		cmocka_unit_test_setup(test_no_report, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
