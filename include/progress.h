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

#endif
