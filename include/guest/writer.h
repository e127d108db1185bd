/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vCPUs that write a fixed amount: each fills every word of its share of the
 * memory, pass after pass. What is written tells the page and the pass, so that
 * the host finds writes that were lost or went elsewhere. One of them may read
 * an option ROM between its writes.
 */
#ifndef KVMETER_GUEST_WRITER_H
#define KVMETER_GUEST_WRITER_H

#include <guest/rom.h>

/* Pages between two looks at whether it is time for the ROM. */
#define WRITER_TURN_PAGES 16

/* Of one vCPU, its private; those of all lie in a row. */
struct guest_writer {
	/* host to guest */
	u64 base; /* GVA of the share's first page */
	u64 page_bytes;
	u64 first; /* that page, counted from the memory's first */
	u64 pages;
	u64 passes;
	struct guest_rom rom;

	/* guest to host */
	u64 done;     /* its share is written */
	u64 overtime; /* ticks that it went on reading after that */
};

/* Every word of page @page of the memory after pass @pass, which counts from 1.
 */
static inline u64 writer_word(u64 pass, u64 page)
{
	return pass << 32 | page;
}

#ifdef KVMETER_GUEST

struct guest_cpu;

static inline struct guest_writer *guest_writer(const struct guest_cpu *cpu)
{
	return (struct guest_writer *)cpu->private;
}

/*
 * Writes the share, and counts a write for each page, and its time as a stall
 * if it is its turn (cpu->stalls). A reader then reads on until all have done.
 */
void guest_write_share(struct guest_cpu *cpu);

#endif
#endif
