/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The vCPU threads of a VM, released together and timed together.
 *
 * A waiting thread sleeps on a futex and uses no CPU. A phase runs from the
 * common release to the last vCPU's arrival; threads are created, and every
 * vCPU has run once up to its first idle, before the first phase.
 *
 * Every wait has a deadline: a vCPU whose progress (guest.h) stands still for
 * the timeout, or that breaks, ends the test by die() with its report.
 *
 * Main thread only.
 */
#ifndef KVMETER_GANG_H
#define KVMETER_GANG_H

#include "progress.h"
#include "timing.h"
#include "units.h"
#include "vm.h"

struct gang;

struct gang_config {
	u64 timeout_ns; /* of silence before a vCPU counts as stuck */
	/*
	 * CPUs that vCPU threads are pinned to in order, and last, if there is
	 * one more, the calling thread. NULL or empty: not pinned.
	 */
	const struct u64_list *pin;
	/* Called about once a second while waiting; may be NULL. */
	void (*tick)(void *arg, u64 elapsed_ns);
	void *tick_arg;
};

/* Starts @vm (vm_start()) and its threads. @vm must outlive the gang. */
struct gang *gang_create(struct vm *vm, const struct gang_config *cfg);
void gang_free(struct gang *gang); /* NULL is fine */

/*
 * Releases all vCPUs to run guest function @function, from idle; or, with
 * NULL, to go on after a sync. Returns when the last has stopped again.
 */
struct timing gang_round(struct gang *gang, const char *function);

/*
 * The same in two halves, for benchmarks in which the host acts under running
 * vCPUs: between them they run free until guest_stopped(). The timing runs
 * from the release to the last arrival.
 */
void gang_start(struct gang *gang, const char *function);
struct timing gang_stop(struct gang *gang);

/* The same for functions that end by themselves. */
struct timing gang_wait(struct gang *gang);

/*
 * Corrects @t, the timing that the gang has given last: vCPU @vcpu had done
 * what counts @ns before it arrived.
 */
void gang_discount(struct gang *gang, struct timing *t, u32 vcpu, u64 ns);

/*
 * After gang_start(): sleeps until now_ns() reaches @deadline_ns, and returns
 * true; or until all vCPUs have arrived, and returns false, at once if they
 * have. The deadline for silent vCPUs holds over several calls.
 */
bool gang_sleep_until(struct gang *gang, u64 deadline_ns);

/*
 * Between the two: sleeps until the vCPUs have made at least @accesses more, in
 * all. The deadline for silent vCPUs holds.
 */
void gang_wait_accesses(struct gang *gang, u64 accesses);

/*
 * Between the two: returns when each vCPU has been out of KVM_RUN once, so that
 * KVM knows what the CPU had noted for it. The deadline for silent vCPUs holds.
 */
void gang_force_exits(struct gang *gang);

/* Kernel's id of a vCPU's thread, for what is counted by thread. */
int gang_tid(const struct gang *gang, unsigned int vcpu);

/* What the vCPUs have done since the release; exact when they are stopped. */
struct progress gang_progress(const struct gang *gang);

#endif
