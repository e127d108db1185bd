/* SPDX-License-Identifier: GPL-2.0-only */
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "clock.h"
#include "steal.h"

u64 steal_read(void)
{
	FILE *in = fopen("/proc/stat", "re");
	long hz = sysconf(_SC_CLK_TCK);
	u64 ticks;
	int found;

	if (!in)
		return STEAL_UNKNOWN;
	/* user, nice, system, idle, iowait, irq, softirq, steal */
	found = fscanf(in, "cpu %*u %*u %*u %*u %*u %*u %*u %" SCNu64, &ticks);
	fclose(in);
	return found == 1 && hz > 0 ? ticks * (NSEC_PER_SEC / hz) :
				      STEAL_UNKNOWN;
}
