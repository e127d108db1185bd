/* SPDX-License-Identifier: GPL-2.0-only */
/* x86_64: what the files of this port share. */
#ifndef KVMETER_X86_64_ARCH_VM_H
#define KVMETER_X86_64_ARCH_VM_H

#include "arch_cpu.h"
#include "types.h"

/* Selectors in the descriptor table that arch_vm_init() writes. */
#define SELECTOR_KERNEL_CS 0x08
#define SELECTOR_KERNEL_DS 0x10
#define SELECTOR_USER_DS (0x18 | 3)
#define SELECTOR_USER_CS (0x20 | 3)
#define SELECTOR_TSS 0x28

struct arch_vm {
	u64 *root;	     /* HVA of the guest's top-level table */
	unsigned int levels; /* 4 or 5 */
	bool has_1g;	     /* CPUID 80000001H:EDX[26] */
	u64 gdt_gva;
	u64 idt_gva;
	struct gate *idt; /* HVA */
	u16 gdt_limit;
	u16 idt_limit;
	struct cpuid cpuid; /* what the vCPUs get */
};

struct vcpu;
struct vm;

/* Has an exception or interrupt enter the guest at @entry. Before it runs. */
void set_gate(struct vm *vm, unsigned int vector, u64 entry);

/* For VMs whose guests get asynchronous page faults. */
void async_pf_init_vm(struct vm *vm);
void async_pf_init_vcpu(struct vcpu *vcpu);

#endif
