/* SPDX-License-Identifier: GPL-2.0-only */
/* How far the vCPUs of a gang have come. */
#ifndef KVMETER_PROGRESS_H
#define KVMETER_PROGRESS_H

#include "types.h"

struct progress {
	u64 reads;
	u64 writes;
	u64 ns; /* the moment of reading, now_ns(); of a difference: its length
		 */
};

void progress_add(struct progress *sum, struct progress p);
struct progress progress_sub(struct progress a, struct progress b);
/* Reads and writes of a difference per second. */
u64 progress_per_s(struct progress difference);
/*
 * How long to sleep until a difference has @accesses, as far as it tells: with
 * none so far as much time again. At least 20 us, and 1 ms at most, but 0 if it
 * has them.
 */
u64 progress_wait_ns(struct progress difference, u64 accesses);

#endif
