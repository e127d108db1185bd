/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The guest's scheduler, with events that KVM does not give on demand: all
 * awakened, a page that is ready before it was not present, one that is not
 * present again, tokens that nobody knows. It runs here, on stacks of its own.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#undef skip /* cmocka's */
#include "types.h"
#define KVMETER_GUEST
#include <guest_arch.h>
#define arch_switch made_up_switch
#define arch_switch_frame(top, fn) ((void)(top), (u64)(fn))
#define arch_counter() (++clock_now)
static u64 clock_now;
static void made_up_switch(u64 *from, u64 to);
#include "../../lib/guest/thread.c"

static struct guest_scheduler sched;
static struct guest_cpu *cpu;
static unsigned int switches, idles;
static u32 idle_token; /* that comes while the vCPU sleeps */

static void made_up_switch(u64 *from, u64 to)
{
	(void)from;
	(void)to;
	switches++;
}

static void note_ready(u32 token)
{
	struct guest_async_pf *a = &cpu->async_pf;

	a->ready[a->head] = token;
	a->head = (a->head + 1) % ASYNC_PF_READY_MAX;
}

void guest_async_pf_idle(struct guest_cpu *c __maybe_unused)
{
	idles++;
	assert_true(idle_token);
	note_ready(idle_token);
}

void guest_async_pf_enable(struct guest_cpu *c __maybe_unused)
{
}

void guest_async_pf_disable(struct guest_cpu *c __maybe_unused)
{
}

void guest_fail(const char *file, int line, const char *fmt,
		u64 a __maybe_unused, u64 b __maybe_unused)
{
	fail_msg("%s:%d: %s", file, line, fmt);
	abort();
}

static void second(struct guest_cpu *c __maybe_unused)
{
}

static int setup(void **state __maybe_unused)
{
	cpu = aligned_alloc(GUEST_AREA_BYTES, GUEST_AREA_BYTES);
	memset(cpu, 0, GUEST_AREA_BYTES);
	memset(&sched, 0, sizeof(sched));
	sched.quantum = 100;
	switches = 0;
	idles = 0;
	idle_token = 0;
	guest_threads_begin(cpu, &sched, second);
	return 0;
}

static int teardown(void **state __maybe_unused)
{
	free(cpu);
	return 0;
}

/* As guest_async_pf_event() does, which finds the vCPU by its stack. */
static void event(u32 not_present)
{
	cpu->async_pf.busy = 1;
	cpu->async_pf.not_present = not_present;
	cpu->async_pf.since = clock_now;
	take_not_present(cpu, &sched);
	run_next(cpu, &sched);
	leave(cpu, &sched);
	assert_int_equal(cpu->async_pf.busy, 0);
}

static void ready(u32 token)
{
	note_ready(token);
	event(0);
}

static void test_pair(void **state __maybe_unused)
{
	event(0x1000);
	assert_int_equal(sched.current, 1);
	assert_int_equal(sched.waiting.nr, 1);
	clock_now += 50;
	ready(0x1000);
	assert_int_equal(sched.current, 0);
	assert_int_equal(switches, 2);
	assert_int_equal(sched.not_present, 1);
	assert_int_equal(sched.ready, 1);
	assert_int_equal(sched.waiting.nr + sched.unmatched.nr, 0);
	assert_int_equal(sched.in_flight.nr, 1);
	assert_in_range(sched.shortest, 50, 60);
	assert_int_equal(sched.repeated, 0);
}

static void test_wake_all(void **state __maybe_unused)
{
	event(0x1000);
	ready(ASYNC_PF_WAKE_ALL);
	assert_int_equal(sched.current, 0);
	assert_int_equal(sched.wake_all, 1);
	assert_int_equal(sched.waiting.nr, 1);
	/* the page was not there: told once more, then both are ready */
	event(0x2000);
	assert_int_equal(sched.repeated, 1);
	assert_int_equal(sched.current, 1);
	ready(0x1000);
	assert_int_equal(sched.current, 1);
	ready(0x2000);
	assert_int_equal(sched.current, 0);
	assert_int_equal(sched.ready, 2);
	assert_int_equal(sched.waiting.nr + sched.unmatched.nr, 0);
	assert_int_equal(sched.in_flight.nr, 1);
}

static void test_early(void **state __maybe_unused)
{
	ready(0x3000);
	assert_int_equal(sched.unmatched.nr, 1);
	event(0x3000);
	assert_int_equal(sched.current, 0);
	assert_int_equal(sched.early, 1);
	assert_int_equal(sched.waiting.nr + sched.unmatched.nr, 0);
	assert_int_equal(sched.not_present, sched.ready);
}

static void test_unknown(void **state __maybe_unused)
{
	event(0x1000);
	ready(0x7000);
	assert_int_equal(sched.current, 1);
	assert_int_equal(sched.unmatched.nr, 1);
	for (u32 i = 1; i <= GUEST_TOKENS; i++)
		ready(0x10000 + i);
	assert_int_equal(sched.unmatched.nr, GUEST_TOKENS);
	assert_int_equal(sched.overflow, 1);
}

static void test_repeated(void **state __maybe_unused)
{
	for (u32 i = 1; i <= 3; i++) {
		event(i << 12);
		ready(i << 12);
	}
	assert_int_equal(sched.repeated, 2);
	cpu->writes++;
	event(0x9000);
	assert_int_equal(sched.repeated, 2);
}

static void test_lost(void **state __maybe_unused)
{
	sched.lose = 1;
	event(0x1000);
	ready(0x1000);
	assert_int_equal(sched.current, 0);
	assert_int_equal(sched.ready, 0);
	assert_int_equal(sched.waiting.nr, 1);
	guest_threads_end(cpu);
	assert_int_equal(idles, 0);
}

/* Both wait, or one is alone: the vCPU sleeps until a page is ready. */
static void test_idle(void **state __maybe_unused)
{
	event(0x1000);
	idle_token = 0x2000;
	event(0x2000);
	assert_int_equal(idles, 1);
	assert_int_equal(sched.current, 1);
	idle_token = 0x1000;
	sched.current = 0;
	guest_threads_end(cpu);
	assert_int_equal(idles, 2);
	assert_int_equal(sched.waiting.nr, 0);
}

/* An event that comes while the scheduler is at work is not forgotten. */
static void test_noted_while_busy(void **state __maybe_unused)
{
	cpu->async_pf.busy = 1;
	event(0x1000);
	note_ready(0x1000);
	leave(cpu, &sched);
	assert_int_equal(sched.current, 0);
	assert_int_equal(sched.ready, 1);
}

/* Equal shares, to a quantum; a long wait earns no more than that. */
static void test_fair(void **state __maybe_unused)
{
	u64 had[2] = { 0 };

	for (int i = 0; i < 1000; i++) {
		had[sched.current] += 120;
		clock_now += 120;
		guest_thread_yield(cpu);
	}
	assert_in_range(had[0], had[1] - 240, had[1] + 240);
	while (sched.current != 0) {
		clock_now += 120;
		guest_thread_yield(cpu);
	}
	event(0x1000);
	clock_now += 1000000;
	ready(0x1000);
	assert_int_equal(sched.current, 0);
	assert_in_range(sched.thread[1].ran - sched.thread[0].ran, 0,
			sched.quantum);
}

/* A vCPU that was stopped makes nobody pay for it longer than may be. */
static void test_stopped(void **state __maybe_unused)
{
	u64 other = 0;

	sched.longest = 10000;
	clock_now += 1000000;
	guest_thread_yield(cpu);
	assert_int_equal(sched.current, 1);
	while (sched.current == 1) {
		other += 120;
		clock_now += 120;
		guest_thread_yield(cpu);
	}
	assert_in_range(other, sched.longest - 240, sched.longest + 240);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_pair, setup, teardown),
		cmocka_unit_test_setup_teardown(test_wake_all, setup, teardown),
		cmocka_unit_test_setup_teardown(test_early, setup, teardown),
		cmocka_unit_test_setup_teardown(test_unknown, setup, teardown),
		cmocka_unit_test_setup_teardown(test_repeated, setup, teardown),
		cmocka_unit_test_setup_teardown(test_lost, setup, teardown),
		cmocka_unit_test_setup_teardown(test_idle, setup, teardown),
		cmocka_unit_test_setup_teardown(test_noted_while_busy, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_fair, setup, teardown),
		cmocka_unit_test_setup_teardown(test_stopped, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
