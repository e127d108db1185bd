/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Is there memory for a run? Asked before anything is created: what does not
 * fit would end by the OOM killer, without a word. Reads files only.
 */
#ifndef KVMETER_MEMORY_ROOM_H
#define KVMETER_MEMORY_ROOM_H

#include "types.h"

/*
 * What a run takes of host memory: that of the guest, @guest_bytes (0 for
 * memory that was set aside before, such as hugetlb pages), tables and bitmaps
 * for @mapped_bytes, and what each vCPU needs. An estimate that errs upwards.
 */
u64 memory_needed(u64 guest_bytes, u64 mapped_bytes, u64 nr_vcpus);

/*
 * NULL if this process can have @bytes; else why not, and what would help, to
 * be freed: the host's memory, what it promises (vm.overcommit_memory), the
 * limits of control groups.
 */
char *memory_missing(u64 bytes);

#endif
