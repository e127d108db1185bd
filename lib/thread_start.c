/* SPDX-License-Identifier: GPL-2.0-only */
#include <signal.h>

#include "kick.h"
#include "thread_start.h"
#include "units.h"

#define STACK_BYTES KIB(256)

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
