/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Asynchronous page faults: KVM tells the guest that a page is not present
 * instead of making the vCPU wait for it, and later that it is ready. A token
 * names the fault in both events.
 *
 * The port's entry code takes the events from KVM, as short as it can be made,
 * and has the interrupted thread call guest_async_pf_event() where the workload
 * runs; from there on the scheduler (guest/thread.h) decides.
 */
#ifndef KVMETER_GUEST_ASYNC_PF_H
#define KVMETER_GUEST_ASYNC_PF_H

#include <guest/types.h>

/* Every thread that waits is to look again: what was lost is not told. */
#define ASYNC_PF_WAKE_ALL UINT32_C(0xffffffff)

/* A power of two above what KVM has in flight per vCPU (64 on x86_64). */
#define ASYNC_PF_READY_MAX 128

/*
 * In struct guest_cpu: from the port's entry code to the scheduler. Entry code
 * runs with interrupts off and may come between any two instructions of the
 * scheduler, which sets @busy to be left alone: then events are only noted.
 */
struct guest_async_pf {
	u64 shared_gpa; /* by the host: what the port shares with KVM */
	u64 since;	/* arch_counter() at the last not-present */
	u32 busy;
	u32 not_present; /* its token, if it is new, else 0 */
	u32 head;	 /* of ready[], advanced by entry code */
	u32 tail;	 /* advanced by the scheduler */
	u32 ready[ASYNC_PF_READY_MAX];
};

#ifdef KVMETER_GUEST

struct guest_cpu;

/* On this vCPU. Where the port has them: the host asks it beforehand. */
void guest_async_pf_enable(struct guest_cpu *cpu);
void guest_async_pf_disable(struct guest_cpu *cpu);

/* Sleeps until an event is noted; returns at once if one is. While busy. */
void guest_async_pf_idle(struct guest_cpu *cpu);

/* Called by the port on the interrupted thread's stack, with busy set. */
void guest_async_pf_event(void);

#endif
#endif
