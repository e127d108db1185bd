/* SPDX-License-Identifier: GPL-2.0-only */
#include <sys/resource.h>

#include "clock.h"
#include "timing.h"

static u64 timeval_ns(struct timeval tv)
{
	return tv.tv_sec * NSEC_PER_SEC + tv.tv_usec * NSEC_PER_USEC;
}

struct usage usage_now(void)
{
	struct rusage ru;

	getrusage(RUSAGE_SELF, &ru);
	return (struct usage){
		.user_ns = timeval_ns(ru.ru_utime),
		.sys_ns = timeval_ns(ru.ru_stime),
		.voluntary = ru.ru_nvcsw,
		.involuntary = ru.ru_nivcsw,
	};
}

struct usage usage_since(const struct usage *before)
{
	struct usage now = usage_now();

	return (struct usage){
		.user_ns = now.user_ns - before->user_ns,
		.sys_ns = now.sys_ns - before->sys_ns,
		.voluntary = now.voluntary - before->voluntary,
		.involuntary = now.involuntary - before->involuntary,
	};
}

struct stopwatch stopwatch_start(void)
{
	struct stopwatch watch = { .usage = usage_now() };

	watch.start_ns = now_ns();
	return watch;
}

struct timing stopwatch_stop(const struct stopwatch *watch)
{
	u64 ns = now_ns() - watch->start_ns;

	return (struct timing){
		.ns = ns,
		.usage = usage_since(&watch->usage),
	};
}

struct timing timing_add(struct timing a, struct timing b)
{
	return (struct timing){
		.ns = a.ns + b.ns,
		.usage =
			{
				.user_ns = a.usage.user_ns + b.usage.user_ns,
				.sys_ns = a.usage.sys_ns + b.usage.sys_ns,
				.in_run_ns =
					a.usage.in_run_ns + b.usage.in_run_ns,
				.voluntary =
					a.usage.voluntary + b.usage.voluntary,
				.involuntary = a.usage.involuntary +
					       b.usage.involuntary,
			},
	};
}
