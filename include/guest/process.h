/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Short-lived processes: address spaces that a vCPU makes, uses and takes down,
 * one after another, whose pages prove whose they are.
 *
 * Every page holds a signature of its vCPU, process and number. What a process
 * reads must be its own, or for a device what the one before has written; what
 * it writes must be found in its frame afterwards, and a page that it has
 * copied is unchanged where it was copied from. Anything else fails an
 * assertion that names process, page, and what was expected and seen.
 *
 * Each process also moves a page that all vCPUs share to another frame. Who
 * reads the page later than that was said must find it there. Since chance
 * alone would seldom have a vCPU read before and after with nothing in between
 * that drops translations anyway, vCPUs can also wait for each other's moves,
 * reading all the time.
 */
#ifndef KVMETER_GUEST_PROCESS_H
#define KVMETER_GUEST_PROCESS_H

#include <guest/frames.h>
#include <guest/space.h>

#define PROCESS_PAGES_MIN 3 /* code, stack, data */
#define PUBLISHED_WORDS 8   /* a cache line for each vCPU */

/*
 * What one vCPU knows of its processes. Their pages are, in this order: code, a
 * stack, data; from first_cow on those that are copied on write; pages of a
 * device that has memory, and of one that has registers.
 */
struct guest_process {
	/* by the host */
	struct guest_frames frames;
	u64 spaces;	   /* GVA of struct guest_spaces */
	u64 frame;	   /* GVA of u64[pages]: where each page is now */
	u64 published;	   /* GVA of u64[], PUBLISHED_WORDS for each vCPU */
	u64 originals_gpa; /* of pages that are copied on write */
	u64 shared_gpa;	   /* two frames that its shared page is in by turns */
	u64 device_gpa, mmio_gpa;
	u64 count; /* of processes in a round */
	u32 pages, first_cow, first_device, first_mmio;
	u32 vcpu;	   /* its index */
	u32 wrong;	   /* added to a signature, to see that it is noticed */
	u32 watched_moves; /* of each vCPU, in process_watch_moves() */
	u32 reserved;
	/* by the guest */
	u64 space;	/* GVA of its struct space */
	u64 done;	/* processes */
	u64 touched;	/* pages that they found right */
	u64 cow_faults; /* pages that they copied */
	u64 moved;	/* times that this vCPU moved its shared page */
	u64 read_moved; /* reads of pages that other vCPUs had moved */
	u64 watched;	/* moves of others that it was waiting for, and saw */
} __attribute__((aligned(64)));
_Static_assert(sizeof(struct guest_process) == 192, "the same in both halves");

/* What is in a page of a process, counted from 1; 0 was before the first. */
static inline u64 signature_of(u64 vcpu, u64 process, u64 page)
{
	return (vcpu + 1) << 48 | process << 16 | page;
}

#ifdef KVMETER_GUEST

/* Once on each vCPU, before any process: what was before the first. */
void process_populate(struct guest_cpu *cpu);

/*
 * Around a function that runs processes of @cpu. At the end vCPUs wait for each
 * other.
 */
struct guest_process *process_begin(struct guest_cpu *cpu, struct space *space);
void process_end(struct guest_cpu *cpu);

/* What a process goes through, in this order. */
void process_fill_pages(struct guest_process *p);
u64 process_create(u64 process); /* in kernel mode; a struct guest_process */
void process_use_pages(struct guest_process *p);
void process_move_shared_page(struct guest_process *p);
void process_watch_moves(struct guest_process *p); /* after use, once in a VM */
u64 process_exit(u64 process);			   /* in kernel mode */
void process_check_pages(struct guest_process *p);

#endif /* KVMETER_GUEST */
#endif
