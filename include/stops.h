/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Times that this process was stopped and went on: by SIGSTOP or a terminal's
 * SIGTSTP and then SIGCONT, or, where no signal tells, because it did not come
 * to run for long. What was measured meanwhile contains that.
 */
#ifndef KVMETER_STOPS_H
#define KVMETER_STOPS_H

#include "types.h"

/* A sleeper that wakes so much too late was not merely waiting for a CPU. */
#define STOP_LATE_NS UINT64_C(3000000000)

/* Counts from here on. Once, before other threads exist. */
void stops_init(void);

/* How often until now. Any thread. */
u64 stops_seen(void);

/* One that was to sleep for @ns at most since @since_ns has just woken. */
void stops_look(u64 since_ns, u64 ns);

#endif
