/* SPDX-License-Identifier: GPL-2.0-only */
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "clock.h"
#include "interrupt.h"
#include "kick.h"
#include "patience.h"
#include "thread_start.h"
#include "units.h"
#include "util.h"

#define STACK_BYTES KIB(256)

/* Between two looks at a thread that is to end: ever longer. */
#define FIRST_LOOK_NS (20 * NSEC_PER_USEC)
#define LAST_LOOK_NS (10 * NSEC_PER_MSEC)

int thread_start(pthread_t *thread, void *(*body)(void *arg), void *arg)
{
	sigset_t all, old;
	pthread_attr_t attr;
	int error;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	sigfillset(&all);
	sigdelset(&all, KICK_SIGNAL);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	error = pthread_create(thread, &attr, body, arg);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
	return error;
}

static void __noreturn die_waiting(unsigned int seconds, const char *what,
				   va_list args)
{
	char *text;

	if (vasprintf(&text, what, args) < 0)
		die("out of memory");
	die("%s: no end within %u s: see dmesg", text, seconds);
}

void thread_join(pthread_t thread, unsigned int seconds, const char *what, ...)
{
	u64 look = FIRST_LOOK_NS;
	struct patience patience;
	va_list args;

	patience_begin(&patience, LAST_LOOK_NS);
	/* the deadline of pthread_timedjoin_np() moves with the wall clock */
	while (pthread_tryjoin_np(thread, NULL)) {
		interrupt_check();
		if (patience_look(&patience) > seconds * NSEC_PER_SEC) {
			va_start(args, what);
			die_waiting(seconds, what, args);
		}
		sleep_until_ns(now_ns() + look);
		look = min_u64(2 * look, LAST_LOOK_NS);
	}
}
