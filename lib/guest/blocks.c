/* SPDX-License-Identifier: GPL-2.0-only */
#include <guest/blocks.h>
#include <guest/thread.h>

void guest_run_blocks(struct guest_cpu *cpu, struct guest_blocks *b)
{
	for (;;) {
		for (int i = 0; i < BLOCKS_BATCH; i++) {
			for (int k = 0; k < BLOCKS_NOPS; k++)
				arch_nop();
			WRITE_ONCE(b->nr, b->nr + 1);
		}
		WRITE_ONCE(b->batches, b->batches + 1);
		guest_thread_tick(cpu);
	}
}
