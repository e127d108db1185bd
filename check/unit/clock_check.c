/* SPDX-License-Identifier: GPL-2.0-only */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/time.h>
#include <time.h>
#include <cmocka.h>
#include "clock.h"

static void test_now(void **state __maybe_unused)
{
	struct timespec t;
	u64 before, after, between;

	before = now_ns();
	clock_gettime(CLOCK_MONOTONIC, &t);
	after = now_ns();
	between = t.tv_sec * NSEC_PER_SEC + t.tv_nsec;
	assert_true(before <= between && between <= after);
}

static void test_thread_cpu(void **state __maybe_unused)
{
	u64 cpu = thread_cpu_ns(), wall, busy;

	/* Sleeping takes no CPU time. */
	sleep_until_ns(now_ns() + 50 * NSEC_PER_MSEC);
	assert_true(thread_cpu_ns() - cpu < 25 * NSEC_PER_MSEC);

	/* Working does, but no more than passes; it has a clock of its own. */
	cpu = thread_cpu_ns();
	wall = now_ns();
	do
		busy = thread_cpu_ns() - cpu;
	while (busy < 5 * NSEC_PER_MSEC);
	assert_true(now_ns() - wall + NSEC_PER_MSEC > busy);
}

static void test_sleep(void **state __maybe_unused)
{
	u64 deadline = now_ns() + 20 * NSEC_PER_MSEC;

	sleep_until_ns(deadline);
	assert_true(now_ns() >= deadline);

	/* What has passed is not waited for. */
	sleep_until_ns(0);
	sleep_until_ns(deadline);
	assert_true(now_ns() < deadline + 10 * NSEC_PER_SEC);
}

static void on_alarm(int sig __maybe_unused)
{
}

static void test_signal(void **state __maybe_unused)
{
	const struct sigaction action = { .sa_handler = on_alarm };
	const struct itimerval soon = { .it_value.tv_usec = 20000 };
	u64 deadline = now_ns() + 60 * NSEC_PER_SEC;

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &soon, NULL);
	sleep_until_ns(deadline);
	assert_true(now_ns() < deadline);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_now),
		cmocka_unit_test(test_thread_cpu),
		cmocka_unit_test(test_sleep),
		cmocka_unit_test(test_signal),
	};

	return cmocka_run_group_tests_name("clock", tests, NULL, NULL);
}
