/* SPDX-License-Identifier: GPL-2.0-only */
/* Threads that stay on a CPU: the option --pin. */
#ifndef KVMETER_PIN_H
#define KVMETER_PIN_H

#include "cpus.h"
#include "units.h"

#define NOT_PINNED (~UINT64_C(0)) /* for which all is fine */

/*
 * Keeps the calling thread on @cpu. Returns 0 or an errno: bench_main() has
 * checked that the CPU may be used, but it may have gone offline since, or what
 * confines us may forbid the call.
 */
int pin_self(u64 cpu);

/*
 * The CPUs of @usable on the nodes of the first @nr CPUs of @pin, those of the
 * vCPUs; these themselves where nodes are unknown. @root stands for "/". None
 * if there is no memory for it.
 */
struct cpus pin_neighbours(const char *root, const struct u64_list *pin, u64 nr,
			   const struct cpus *usable);

/*
 * Has the calling thread, and those that it creates, touch memory first where
 * the vCPUs will use it, until pin_return() with what it returns. Without a
 * @pin it stays where it is, as it does if that is refused: the gang will tell.
 */
struct cpus pin_visit(const struct u64_list *pin, u64 nr);
void pin_return(struct cpus home);

/* Dies of what pin_self() has returned, unless that is 0. Main thread only. */
void pin_require(u64 cpu, int error);

#endif
