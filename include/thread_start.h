/* SPDX-License-Identifier: GPL-2.0-only */
/* Threads beside the main thread: of vCPUs, and helpers of the host. */
#ifndef KVMETER_THREAD_START_H
#define KVMETER_THREAD_START_H

#include <pthread.h>

/*
 * Signals for the process go to the main thread: of all signals, such a thread
 * receives KICK_SIGNAL alone. Its stack is small. Returns 0 or an errno, which
 * means that a limit of threads was reached (ulimit -u).
 */
int thread_start(pthread_t *thread, void *(*body)(void *arg), void *arg);

#endif
