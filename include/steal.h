/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a hypervisor below this host takes of the time in which its CPUs had
 * something to run: proc(5), /proc/stat. Any thread.
 */
#ifndef KVMETER_STEAL_H
#define KVMETER_STEAL_H

#include "types.h"

#define STEAL_UNKNOWN (~UINT64_C(0))

/*
 * Nanoseconds since boot, of all CPUs, in steps of USER_HZ (10 ms); or
 * STEAL_UNKNOWN.
 */
u64 steal_read(void);

#endif
