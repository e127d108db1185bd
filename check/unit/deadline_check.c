/* SPDX-License-Identifier: GPL-2.0-only */
/* Waits that do not come to an end, and waits that only look so. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#undef skip /* cmocka's */
#include "child.h"
#include "clock.h"
#include "futex.h"
#include "patience.h"
#include "stops.h"
#include "thread_start.h"
#include "util.h"
#include "watchdog.h"

#define TICK_NS (20 * NSEC_PER_MSEC)

static void sleep_ns(u64 ns)
{
	u64 end = now_ns() + ns;

	while (now_ns() < end)
		sleep_until_ns(end);
}

/* Stops this process, and has it continued after @ns. */
static void be_stopped(u64 ns)
{
	pid_t parent = getpid(), pid = fork();

	if (pid == 0) {
		kill(parent, SIGSTOP);
		sleep_ns(ns);
		kill(parent, SIGCONT);
		_exit(0);
	}
	/* until the stop has come, and then until the other has gone */
	waitpid(pid, NULL, 0);
}

static void test_patience(void **state __maybe_unused)
{
	struct patience p;

	patience_begin(&p, TICK_NS);
	assert_true(patience_look(&p) < TICK_NS);
	sleep_ns(TICK_NS);
	assert_in_range(patience_look(&p), TICK_NS, 2 * TICK_NS + TICK_NS);
	/* so much later, it was not running */
	sleep_ns(10 * TICK_NS);
	assert_in_range(patience_look(&p), 3 * TICK_NS, 5 * TICK_NS);
}

static void test_stops(void **state __maybe_unused)
{
	u32 word = 0;
	u64 before;

	stops_init();
	before = stops_seen();
	futex_wait(&word, 0, TICK_NS);
	assert_int_equal(stops_seen(), before);
	be_stopped(5 * TICK_NS);
	assert_int_equal(stops_seen(), before + 1);
	/* what no signal tells of */
	stops_look(now_ns() - STOP_LATE_NS - 2 * TICK_NS, TICK_NS);
	assert_int_equal(stops_seen(), before + 2);
	stops_look(now_ns() - STOP_LATE_NS, TICK_NS);
	assert_int_equal(stops_seen(), before + 2);
}

/* ---- threads ---- */

static void *end_at_once(void *arg)
{
	return arg;
}

static void *end_never(void *arg)
{
	for (;;)
		pause();
	return arg;
}

static void join_one(void *body)
{
	pthread_t thread;

	if (thread_start(&thread, *(void *(**)(void *))body, NULL))
		exit(CHILD_RETURNED + 1);
	thread_join(thread, 1, "thread %d, which dallies", 7);
}

static void test_thread_join(void **state __maybe_unused)
{
	void *(*body)(void *) = end_at_once;
	struct child child;
	u64 start;

	child_run(&child, join_one, &body);
	assert_int_equal(child.code, CHILD_RETURNED);
	body = end_never;
	start = now_ns();
	child_run(&child, join_one, &body);
	assert_int_equal(child.code, EXIT_FAIL);
	assert_non_null(strstr(child.err, "thread 7, which dallies: no end "
					  "within 1 s"));
	assert_in_range(now_ns() - start, NSEC_PER_SEC, 5 * NSEC_PER_SEC);
}

/* ---- the main thread ---- */

static void report(void *arg, const char *message)
{
	printf("%s: %s\n", (const char *)arg, message);
	fflush(stdout);
}

static void wait_for_signal(void)
{
	for (;;)
		pause();
}

static void read_nothing(void)
{
	char byte;
	int ends[2];

	if (pipe(ends) || read(ends[0], &byte, 1) < 0)
		exit(EXIT_SKIP);
}

/*
 * The parent of vfork() is stopped by the kernel itself: D, in ps(1). A busy
 * machine makes the watchdog patient.
 */
static void wait_in_kernel(void)
{
	pid_t pid = vfork();

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		sleep(60);
		_exit(0);
	}
}

static void sleep_long(void)
{
	sleep_ns(2 * NSEC_PER_SEC);
}

static void work_long(void)
{
	u64 end = now_ns() + 2 * NSEC_PER_SEC;

	while (now_ns() < end)
		;
}

static void look_now_and_then(void)
{
	u32 word = 0;

	for (int i = 0; i < 20; i++)
		futex_wait(&word, 0, NSEC_PER_SEC / 10);
}

static void write_to_slow_reader(void)
{
	char page[4096] = { 0 };
	int ends[2];

	if (pipe(ends))
		exit(EXIT_SKIP);
	if (fork() == 0) {
		close(ends[1]);
		sleep_ns(2 * NSEC_PER_SEC);
		while (read(ends[0], page, sizeof(page)) > 0)
			;
		_exit(0);
	}
	close(ends[0]);
	for (int i = 0; i < 100; i++)
		if (write(ends[1], page, sizeof(page)) < 0)
			exit(EXIT_SKIP);
}

#define NR_STUCK 3

static void be_watched(void *wait)
{
	watchdog_start(&(struct watchdog_config){ 1, report, "dog" });
	(*(void (**)(void))wait)();
}

static void test_watchdog(void **state __maybe_unused)
{
	/* the first ones are stuck */
	static void (*waits[])(void) = {
		wait_for_signal, read_nothing,	    wait_in_kernel,
		sleep_long,	 look_now_and_then, write_to_slow_reader,
		work_long,
	};
	static struct child child[ARRAY_SIZE(waits)];

	for (size_t i = 0; i < ARRAY_SIZE(waits); i++)
		child_start(&child[i], be_watched, &waits[i]);
	for (size_t i = 0; i < ARRAY_SIZE(waits); i++)
		child_finish(&child[i]);
	for (size_t i = 0; i < ARRAY_SIZE(waits); i++) {
		const char *stuck = strstr(child[i].out,
					   "dog: the main thread has stood "
					   "still for 1 s, in system call ");

		assert_int_equal(stuck != NULL, i < NR_STUCK);
		assert_int_equal(child[i].code,
				 i < NR_STUCK ? EXIT_FAIL : CHILD_RETURNED);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_patience),
		cmocka_unit_test(test_stops),
		cmocka_unit_test(test_thread_join),
		cmocka_unit_test(test_watchdog),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
