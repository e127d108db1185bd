/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * KVM's dirty rings, one per vCPU: Documentation/virt/kvm/api.rst 8.29. Any
 * thread may use a ring, one at a time.
 */
#ifndef KVMETER_DIRTY_RING_H
#define KVMETER_DIRTY_RING_H

#include "vm.h"

/* Entries of the largest ring that KVM offers, a power of two; 0: no rings. */
u32 dirty_ring_max(int kvm_fd);

/*
 * Does KVM take rings of @entries? The least is a page of the host, and more
 * than what KVM keeps for itself: 64, and as many as the CPU buffers (512 with
 * PML): Linux, virt/kvm/dirty_ring.c.
 */
bool dirty_ring_fits(int kvm_fd, u32 entries);

/* Can pages that no vCPU writes be logged in a bitmap beside them? */
bool dirty_ring_has_bitmap(int kvm_fd);

/* By vm_create(): before and after the vCPUs are created. */
void dirty_ring_enable(struct vm *vm, const struct vm_tracking *tracking);
void dirty_ring_create(struct vcpu *vcpu, u32 entries);
void dirty_ring_free(struct vcpu *vcpu);

/*
 * Hands each entry that KVM has filled to @page, in order, and back to KVM's
 * next reset. Returns how many there were.
 */
u32 dirty_ring_harvest(struct vcpu *vcpu,
		       void (*page)(void *arg, u32 slot_id, u64 page),
		       void *arg);

/*
 * Lets KVM write-protect what has been harvested, of all vCPUs, and reuse its
 * entries. Returns how many entries that were, or -errno.
 */
int __dirty_ring_reset(struct vm *vm);

#endif
