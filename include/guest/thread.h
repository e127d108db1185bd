/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Two threads that share a vCPU, and the scheduler between them.
 *
 * The function that the host has the vCPU run is thread 0. A thread runs until
 * it has had more than its half of the time, by a quantum, and says so at its
 * next guest_thread_tick(); or until the page that it touches is not present
 * and KVM tells (guest/async_pf.h). A page that becomes ready makes its thread
 * runnable, and the one that has had less time goes on, at once. Time is what
 * the guest's clock says: a thread whose page fault keeps the whole vCPU
 * waiting is charged for it, as by any scheduler that knows no better.
 *
 * With no thread to run the vCPU sleeps until the next event.
 */
#ifndef KVMETER_GUEST_THREAD_H
#define KVMETER_GUEST_THREAD_H

#include <guest/guest.h>
#include <guest/histogram.h>

#define GUEST_THREADS 2
/* Of thread 1; what lies above it in the area is thread 0's. */
#define GUEST_THREAD_STACK_TOP (3 * GUEST_AREA_PAGE + GUEST_AREA_PAGE / 2)

/* Not-present events without their ready, and the other way round. */
#define GUEST_TOKENS 64

struct guest_tokens {
	u32 nr;
	u32 token[GUEST_TOKENS];
};

struct guest_thread {
	u64 sp;	      /* of a thread that does not run */
	u64 ran;      /* ticks, without the slice that has not ended */
	u64 since;    /* when it began to wait */
	u64 progress; /* of the vCPU at its last not-present */
	u32 token;    /* that it waits for; 0: runnable */
	u32 reserved;
};

/*
 * Of one vCPU; the host allocates it zeroed, sets what is its part and reads
 * the rest when the vCPU is stopped.
 */
struct guest_scheduler {
	/* host to guest */
	u64 quantum; /* ticks of arch_counter() */
	/*
	 * What a thread is charged for at most at a time, in ticks; 0: for all.
	 * One that was running while the vCPU was stopped (SIGSTOP) must not
	 * wait so long for its turn that it looks stuck.
	 */
	u64 longest;
	u32 async_pf; /* ask KVM for asynchronous page faults */
	u32 lose;     /* injected fault: so many ready events go unnoticed */

	/* guest to host */
	u32 overflow; /* more tokens outstanding than the lists can hold */
	u64 not_present;
	u64 ready; /* without those to wake all */
	u64 wake_all;
	u64 empty;    /* interrupts that told of no page */
	u64 repeated; /* not-present events for a page that had been ready */
	u64 early;    /* ready events that came before their not-present */
	struct guest_tokens waiting;   /* not-present, not ready yet */
	struct guest_tokens unmatched; /* ready, never not-present */
	u64 shortest; /* in flight, ticks; valid if in_flight.nr */
	struct guest_histogram in_flight; /* from not-present to ready, ticks */

	/* the guest's own */
	u32 lost; /* as @lose asked for */
	u32 nr;
	u32 current;
	u64 slice_start;
	u64 function; /* of thread 1 */
	struct guest_thread thread[GUEST_THREADS];
};

#ifdef KVMETER_GUEST

/*
 * @second, if not NULL, becomes thread 1. It never returns: it is left behind
 * wherever it is when thread 0 calls guest_threads_end(). Thread 0 goes first.
 */
void guest_threads_begin(struct guest_cpu *cpu, struct guest_scheduler *s,
			 void (*second)(struct guest_cpu *cpu));

/* Thread 0 alone is left, and every page that was not present is ready. */
void guest_threads_end(struct guest_cpu *cpu);

/* Lets another thread go on if it has had less time. */
void guest_thread_yield(struct guest_cpu *cpu);

static inline struct guest_scheduler *
guest_scheduler(const struct guest_cpu *cpu)
{
	return (struct guest_scheduler *)cpu->scheduler;
}

/* For every thread to call, much more often than once a quantum. */
static inline void guest_thread_tick(struct guest_cpu *cpu)
{
	const struct guest_scheduler *s = guest_scheduler(cpu);

	if (arch_counter() - s->slice_start >= s->quantum)
		guest_thread_yield(cpu);
}

#endif
#endif
