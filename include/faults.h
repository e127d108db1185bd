/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stage-2 faults that the vCPUs of a VM have taken, for the ports whose KVM
 * does not count its mappings: memory that was mapped by 128 blocks took 128
 * faults, memory that was mapped by pages one for each.
 *
 * Counted by the tracepoint that the port names, where it may be used, which
 * is exact as long as the process runs no other VM; else by the exits in the
 * vCPUs' statistics, which has no fewer but may hold more, since interrupts of
 * the host make a vCPU exit as well.
 */
#ifndef KVMETER_FAULTS_H
#define KVMETER_FAULTS_H

#include "vm.h"

struct fault_counter;

/* Before the VM's threads are created. NULL: no way to count here. */
struct fault_counter *fault_counter_create(struct vm *vm);
void fault_counter_free(struct fault_counter *counter); /* NULL is fine */

/* So far; needs vm_vcpu_stats() to have succeeded. */
u64 fault_counter_read(const struct fault_counter *counter);

/* Does it count nothing but faults? */
bool fault_counter_is_exact(const struct fault_counter *counter);
/* "kvm/kvm_guest_fault", "exit statistics". Static storage. */
const char *fault_counter_name(const struct fault_counter *counter);

#endif
