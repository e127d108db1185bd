/* SPDX-License-Identifier: GPL-2.0-only */
/* Threads beside the main thread: of vCPUs, and helpers of the host. */
#ifndef KVMETER_THREAD_START_H
#define KVMETER_THREAD_START_H

#include <pthread.h>
#include "types.h"

/*
 * Signals for the process go to the main thread: of all signals, such a thread
 * receives KICK_SIGNAL alone. Its stack is small. Returns 0 or an errno, which
 * means that a limit of threads was reached (ulimit -u).
 */
int thread_start(pthread_t *thread, void *(*body)(void *arg), void *arg);

/* What a thread may take to end that only has to notice that it is to. */
#define THREAD_END_S 30

/*
 * Waits for a thread that is about to end; dies, with @what (printf), if it has
 * not within @seconds. Main thread only; a signal ends the wait by
 * interrupt_check().
 */
void thread_join(pthread_t thread, unsigned int seconds, const char *what, ...)
	__printf(3, 4);

#endif
