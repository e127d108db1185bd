/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A world that is not as programs think, to be preloaded (ld.so(8)). WRONG says
 * in what:
 *
 *   clock   each look at the time of day finds it an hour earlier or later than
 *           the one before
 *   deaf    one KVM_RUN does not return, whatever signal its thread gets
 *   kernel  one KVM_GET_DIRTY_LOG does not return, as in a deadlock
 */
#include <linux/kvm.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define HOUR_S 3600
/* The first ones take vCPUs to where they are idle. */
#define RUNS_BEFORE 3

int clock_gettime(clockid_t id, struct timespec *t);
int gettimeofday(struct timeval *tv, void *zone);
time_t time(time_t *at);
int ioctl(int fd, unsigned long request, ...);

static int wrong_in(const char *what)
{
	const char *wrong = getenv("WRONG");

	return wrong && strcmp(wrong, what) == 0;
}

static time_t jump(void)
{
	static unsigned int looks;

	if (!wrong_in("clock"))
		return 0;
	return __atomic_add_fetch(&looks, 1, __ATOMIC_RELAXED) % 2 ? HOUR_S :
								     -HOUR_S;
}

int clock_gettime(clockid_t id, struct timespec *t)
{
	int ret = syscall(SYS_clock_gettime, id, t);

	if (!ret && id == CLOCK_REALTIME)
		t->tv_sec += jump();
	return ret;
}

int gettimeofday(struct timeval *tv, void *zone)
{
	struct timespec t;

	(void)zone;
	clock_gettime(CLOCK_REALTIME, &t);
	tv->tv_sec = t.tv_sec;
	tv->tv_usec = t.tv_nsec / 1000;
	return 0;
}

time_t time(time_t *at)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	if (at)
		*at = t.tv_sec;
	return t.tv_sec;
}

static void never_return(void)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	for (;;)
		syscall(SYS_ppoll, NULL, 0, NULL, NULL, 8);
}

int ioctl(int fd, unsigned long request, ...)
{
	static unsigned int runs;
	va_list args;
	void *arg;

	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	if (request == KVM_RUN && wrong_in("deaf") &&
	    __atomic_add_fetch(&runs, 1, __ATOMIC_RELAXED) == RUNS_BEFORE)
		never_return();
	if (request == KVM_GET_DIRTY_LOG && wrong_in("kernel"))
		never_return();
	return syscall(SYS_ioctl, fd, request, arg);
}
