/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Devices without memory: ranges of guest physical addresses that no memslot
 * backs, and what answers a guest's access to them (KVM_EXIT_MMIO,
 * Documentation/virt/kvm/api.rst 5).
 *
 * An access that no range holds is still an exit that nobody expects.
 */
#ifndef KVMETER_MMIO_H
#define KVMETER_MMIO_H

#include "vm.h"

struct mmio_access {
	u32 vcpu;   /* index of who accesses */
	u64 offset; /* in the range */
	u32 bytes;  /* 1, 2, 4 or 8 */
	bool is_write;
	u64 value; /* written, or to be filled in */
};

struct mmio_range {
	u64 gpa, bytes;
	/*
	 * Called in the thread of the vCPU, while those of others may be in it
	 * as well, and within what is timed.
	 */
	void (*access)(void *arg, struct mmio_access *access);
	void *arg;
};

/* Before vm_start(). Dies if it overlaps another one. The VM keeps a copy. */
void mmio_add(struct vm *vm, const struct mmio_range *range);

/*
 * For vcpu_run(): answers the exit that @vcpu has stopped with. False: it is
 * none, or no range holds all of it.
 */
bool mmio_answer(struct vcpu *vcpu);

#endif
