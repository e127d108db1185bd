/* SPDX-License-Identifier: GPL-2.0-only */
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "futex.h"
#include "stops.h"

void futex_wait(u32 *futex, u32 value, u64 ns)
{
	u64 since = ns == FUTEX_FOREVER ? 0 : now_ns();
	struct timespec timeout = {
		.tv_sec = ns / NSEC_PER_SEC,
		.tv_nsec = ns % NSEC_PER_SEC,
	};

	syscall(SYS_futex, futex, FUTEX_WAIT_PRIVATE, value,
		ns == FUTEX_FOREVER ? NULL : &timeout, NULL, 0);
	if (ns != FUTEX_FOREVER)
		stops_look(since, ns);
}

void futex_wake(u32 *futex, int nr)
{
	syscall(SYS_futex, futex, FUTEX_WAKE_PRIVATE, nr, NULL, NULL, 0);
}
