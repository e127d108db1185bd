/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Waits of the library have deadlines; system calls have none. A thread that
 * watches the main thread sees when it stands still in one: it uses no CPU
 * time and is not even woken. Then it says in which, and ends the process.
 *
 * A thread that waits for the reader of its output, that sleeps for as long as
 * it was told, or that a debugger has stopped, does not stand still. One that
 * works without end does not either: that is for who has started it to limit.
 */
#ifndef KVMETER_WATCHDOG_H
#define KVMETER_WATCHDOG_H

#include "types.h"

/* What the kernel takes for a hung task: hung_task_timeout_secs. */
#define WATCHDOG_S 120

struct watchdog_config {
	u64 seconds;
	/* Called by the thread that watches, before the process ends by
	 * EXIT_FAIL; the main thread may hold any lock. */
	void (*report)(void *arg, const char *message);
	void *arg; /* lives as long as the process */
};

/*
 * By the main thread, once. That the thread cannot be started is a warning: it
 * is needed only if something else fails.
 */
void watchdog_start(const struct watchdog_config *cfg);

#endif
