/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "clock.h"
#include "remedy.h"
#include "timing.h"
#include "util.h"

static u64 timeval_ns(struct timeval tv)
{
	return tv.tv_sec * NSEC_PER_SEC + tv.tv_usec * NSEC_PER_USEC;
}

static struct thread_usage usage_of(int who)
{
	struct rusage ru;

	if (getrusage(who, &ru))
		die("getrusage: %s", errno_text(errno));
	return (struct thread_usage){
		.user_ns = timeval_ns(ru.ru_utime),
		.sys_ns = timeval_ns(ru.ru_stime),
		.voluntary = ru.ru_nvcsw,
		.involuntary = ru.ru_nivcsw,
	};
}

struct thread_usage thread_usage_now(void)
{
	return usage_of(RUSAGE_THREAD);
}

struct thread_usage thread_usage_add(struct thread_usage a,
				     struct thread_usage b)
{
	return (struct thread_usage){
		.user_ns = a.user_ns + b.user_ns,
		.sys_ns = a.sys_ns + b.sys_ns,
		.voluntary = a.voluntary + b.voluntary,
		.involuntary = a.involuntary + b.involuntary,
		.delay_ns = a.delay_ns + b.delay_ns,
	};
}

/*
 * Not below 0: the kernel divides a thread's time into user and system by
 * estimates, which of a process and of its threads need not agree.
 */
static u64 minus(u64 a, u64 b)
{
	return a - min_u64(a, b);
}

struct thread_usage thread_usage_sub(struct thread_usage a,
				     struct thread_usage b)
{
	return (struct thread_usage){
		.user_ns = minus(a.user_ns, b.user_ns),
		.sys_ns = minus(a.sys_ns, b.sys_ns),
		.voluntary = minus(a.voluntary, b.voluntary),
		.involuntary = minus(a.involuntary, b.involuntary),
		.delay_ns = minus(a.delay_ns, b.delay_ns),
	};
}

/* Documentation/scheduler/sched-stats.rst: the second number. */
int delay_open(int tid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/task/%d/schedstat", tid);
	return open(path, O_RDONLY | O_CLOEXEC);
}

u64 delay_read(int fd)
{
	char text[96];
	ssize_t bytes = fd < 0 ? 0 : pread_all(fd, text, sizeof(text) - 1, 0);
	u64 delay_ns = 0;

	if (bytes <= 0)
		return 0;
	text[bytes] = '\0';
	return sscanf(text, "%*u %" SCNu64, &delay_ns) == 1 ? delay_ns : 0;
}

/* The thread that asks is always the main thread. */
static u64 own_delay(void)
{
	static int fd = -2;

	if (fd == -2)
		fd = delay_open((int)syscall(SYS_gettid));
	return delay_read(fd);
}

struct usage usage_now(void)
{
	struct usage u = { .host = thread_usage_now() };

	u.vcpus = thread_usage_sub(usage_of(RUSAGE_SELF), u.host);
	u.host.delay_ns = own_delay();
	return u;
}

struct usage usage_since(const struct usage *before)
{
	struct usage now = usage_now();

	return (struct usage){
		.vcpus = thread_usage_sub(now.vcpus, before->vcpus),
		.host = thread_usage_sub(now.host, before->host),
	};
}

struct usage usage_add(struct usage a, struct usage b)
{
	return (struct usage){
		.vcpus = thread_usage_add(a.vcpus, b.vcpus),
		.host = thread_usage_add(a.host, b.host),
		.in_run_ns = a.in_run_ns + b.in_run_ns,
	};
}

void usage_move_to_host(struct usage *u, struct thread_usage of_others)
{
	u->vcpus = thread_usage_sub(u->vcpus, of_others);
	u->host = thread_usage_add(u->host, of_others);
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

u64 timing_per_min(const struct timing *t, const u64 *done)
{
	double sum = 0;

	for (unsigned int i = 0; i < t->nr_vcpus; i++)
		if (t->vcpu_ns[i])
			sum += (double)done[i] * 60 * NSEC_PER_SEC /
			       t->vcpu_ns[i];
	return sum;
}

struct timing timing_add(struct timing a, struct timing b)
{
	return (struct timing){
		.ns = a.ns + b.ns,
		.usage = usage_add(a.usage, b.usage),
	};
}
