/* SPDX-License-Identifier: GPL-2.0-only */
#include <time.h>
#include "clock.h"

static u64 read_clock(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return t.tv_sec * NSEC_PER_SEC + t.tv_nsec;
}

u64 now_ns(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

u64 thread_cpu_ns(void)
{
	return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

u64 cpu_ns_of(pthread_t thread)
{
	clockid_t id;

	return pthread_getcpuclockid(thread, &id) ? 0 : read_clock(id);
}

void sleep_until_ns(u64 deadline_ns)
{
	struct timespec t = {
		.tv_sec = deadline_ns / NSEC_PER_SEC,
		.tv_nsec = deadline_ns % NSEC_PER_SEC,
	};

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}
