/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <sched.h>
#include <string.h>

#include "pin.h"
#include "util.h"

int pin_self(u64 cpu)
{
	cpu_set_t set;

	if (cpu == NOT_PINNED)
		return 0;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(0, sizeof(set), &set) ? errno : 0;
}

void pin_require(u64 cpu, int error)
{
	if (error)
		die("--pin: CPU %llu: sched_setaffinity: %s: is it still "
		    "online, and allowed to this process? Choose another, or "
		    "do without",
		    (unsigned long long)cpu, strerror(error));
}
