/* SPDX-License-Identifier: GPL-2.0-only */
/* Clocks: u64 nanoseconds everywhere. Thread-safe; they cannot fail. */
#ifndef KVMETER_CLOCK_H
#define KVMETER_CLOCK_H

#include <pthread.h>
#include "types.h"

#define NSEC_PER_USEC UINT64_C(1000)
#define NSEC_PER_MSEC UINT64_C(1000000)
#define NSEC_PER_SEC UINT64_C(1000000000)

/* CLOCK_MONOTONIC: what every duration is measured with. */
u64 now_ns(void);

/* User plus system time of the calling thread (includes guest time). */
u64 thread_cpu_ns(void);

/* The same of another one; 0 if it cannot be told. */
u64 cpu_ns_of(pthread_t thread);

/* Sleeps until now_ns() reaches @deadline_ns or a signal arrives. */
void sleep_until_ns(u64 deadline_ns);

#endif
