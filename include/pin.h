/* SPDX-License-Identifier: GPL-2.0-only */
/* Threads that stay on a CPU: the option --pin. */
#ifndef KVMETER_PIN_H
#define KVMETER_PIN_H

#include "types.h"

#define NOT_PINNED (~UINT64_C(0)) /* for which all is fine */

/*
 * Keeps the calling thread on @cpu. Returns 0 or an errno: bench_main() has
 * checked that the CPU may be used, but it may have gone offline since, or what
 * confines us may forbid the call.
 */
int pin_self(u64 cpu);

/* Dies of what pin_self() has returned, unless that is 0. Main thread only. */
void pin_require(u64 cpu, int error);

#endif
