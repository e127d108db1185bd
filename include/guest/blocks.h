/* SPDX-License-Identifier: GPL-2.0-only */
/* What a CPU-bound thread does: it runs blocks of nops, and counts them. */
#ifndef KVMETER_GUEST_BLOCKS_H
#define KVMETER_GUEST_BLOCKS_H

#include <guest/types.h>

#define BLOCKS_NOPS 16
/* Blocks between two looks at the clock. */
#define BLOCKS_BATCH 256

/* Counted twice, so that a lost or a doubled count shows. */
struct guest_blocks {
	u64 nr;
	u64 batches;
};

/* Are the counts right for a thread that was left behind wherever it was? */
static inline bool blocks_are_right(const struct guest_blocks *b)
{
	return b->nr && b->nr - b->batches * BLOCKS_BATCH <= BLOCKS_BATCH;
}

#ifdef KVMETER_GUEST

struct guest_cpu;

/* Forever; calls guest_thread_tick() on the way. */
void __attribute__((noreturn))
guest_run_blocks(struct guest_cpu *cpu, struct guest_blocks *b);

#endif
#endif
