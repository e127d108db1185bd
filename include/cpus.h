/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sets of CPUs, of any number: a cpu_set_t has 1024, and on a host where more
 * are possible the kernel refuses to write that few.
 */
#ifndef KVMETER_CPUS_H
#define KVMETER_CPUS_H

#include <sched.h>

#include "types.h"

struct cpus { /* all 0: none */
	cpu_set_t *set;
	size_t bytes;
};

/* Those that the calling thread may use. Returns 0 or an errno. */
int cpus_read(struct cpus *cpus);
/* Lets the calling thread use them. Returns 0 or an errno. */
int cpus_apply(const struct cpus *cpus);
void cpus_fini(struct cpus *cpus);

/* Returns 0 or an errno. */
int cpus_add(struct cpus *cpus, u64 cpu);
bool cpus_have(const struct cpus *cpus, u64 cpu);

/* How many the calling thread may use; 0: unknown. */
u64 cpus_usable(void);

#endif
