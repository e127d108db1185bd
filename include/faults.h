/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stage-2 faults that the vCPUs of a VM have taken, for the ports whose KVM
 * does not count its mappings: memory that was mapped by 128 blocks took 128
 * faults, memory that was mapped by pages one for each.
 *
 * Counted by the tracepoint that the port names, where it may be used, which
 * knows those in the memory under test and is exact as long as the process runs
 * no other VM; else by the exits in the vCPUs' statistics, which has no fewer
 * but may hold more, since interrupts of the host make a vCPU exit as well.
 *
 * vCPUs that meet at an entry try again until the one that changes it is done.
 * If its CPU is taken from it meanwhile, as CPUs of emulated machines and of
 * nested guests are, that is hundreds of faults for one entry, without an upper
 * limit. But they find no table of pages, since an entry that is made a block,
 * or a table, is cleared first: faults that do are counted apart.
 */
#ifndef KVMETER_FAULTS_H
#define KVMETER_FAULTS_H

#include "vm.h"

struct fault_counter;

struct faults {
	u64 all;
	u64 at_pages; /* of these, in a table of base pages */
};

/*
 * Before the VM's threads are created; @may_trace: by the tracepoint, if it can
 * be. NULL: no way to count here.
 */
struct fault_counter *fault_counter_create(struct vm *vm, bool may_trace);
void fault_counter_free(struct fault_counter *counter); /* NULL is fine */

/* So far; needs vm_vcpu_stats() to have succeeded. If it is not exact, all
 * count as if they were at pages. */
struct faults fault_counter_read(const struct fault_counter *counter);

/* Does it count nothing but faults in the memory under test? */
bool fault_counter_is_exact(const struct fault_counter *counter);
/* "kvm/kvm_guest_fault", "exit statistics". Static storage. */
const char *fault_counter_name(const struct fault_counter *counter);

#endif
