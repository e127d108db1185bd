/* SPDX-License-Identifier: GPL-2.0-only */
#include <string.h>

#include "cpus.h"
#include "pin.h"
#include "util.h"

int pin_self(u64 cpu)
{
	struct cpus cpus = { 0 };
	int error;

	if (cpu == NOT_PINNED)
		return 0;
	error = cpus_add(&cpus, cpu);
	if (!error)
		error = cpus_apply(&cpus);
	cpus_fini(&cpus);
	return error;
}

void pin_require(u64 cpu, int error)
{
	if (error)
		die("--pin: CPU %llu: sched_setaffinity: %s: is it still "
		    "online, and allowed to this process? Choose another, or "
		    "do without",
		    (unsigned long long)cpu, strerror(error));
}
