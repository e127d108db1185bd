/* SPDX-License-Identifier: GPL-2.0-only */
/* Running one vCPU and telling why it stopped. */
#ifndef KVMETER_VCPU_H
#define KVMETER_VCPU_H

#include "vm.h"

enum vcpu_stop {
	STOP_IDLE,   /* waits for a function */
	STOP_SYNC,   /* guest_sync() */
	STOP_DONE,   /* guest_done() */
	STOP_KICKED, /* vcpu_kick() */
	/* what follows is a broken promise of the guest */
	STOP_ASSERT, /* guest_assert() */
	STOP_TRAP,   /* an exception that nobody handles */
	STOP_EXIT,   /* an exit that nobody expects */
	STOP_ERROR,  /* KVM_RUN failed */
};

static inline bool vcpu_stop_is_broken(enum vcpu_stop stop)
{
	return stop >= STOP_ASSERT;
}

/*
 * Runs the vCPU until it stops. guest_print() goes to standard error on the
 * way. One thread at a time. For STOP_ERROR, errno is that of KVM_RUN.
 */
enum vcpu_stop vcpu_run(struct vcpu *vcpu);

/*
 * Makes vcpu_run() return STOP_KICKED, for good, provided that a signal then
 * reaches its thread. Any thread.
 */
void vcpu_kick(struct vcpu *vcpu);

/*
 * What stopped the vCPU: cause in words, guest PC with symbol, faulting
 * address, registers. @error is errno for STOP_ERROR. To be freed. The vCPU
 * must not be running.
 */
char *vcpu_report(struct vcpu *vcpu, enum vcpu_stop stop, int error);

#endif
