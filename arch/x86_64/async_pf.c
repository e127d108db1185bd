/* SPDX-License-Identifier: GPL-2.0-only */
/* Asynchronous page faults: Documentation/virt/kvm/x86/msr.rst */
#include "arch.h"
#include "arch_cpu.h"
#include "arch_vm.h"
#include "async_pf_area.h"
#include "vm.h"

/* Interrupt routes of a split irqchip: none is used, KVM wants the number of
 * an I/O APIC's pins. */
#define IO_APIC_PINS 24

#define VECTOR_PF 14

const char *arch_async_pf_missing(int kvm_fd)
{
	struct cpuid cpuid;

	cpuid_get(kvm_fd, &cpuid);
	if (!kvm_has(kvm_fd, KVM_CAP_ASYNC_PF) ||
	    !kvm_has(kvm_fd, KVM_CAP_ASYNC_PF_INT) ||
	    !cpuid_has(&cpuid, CPUID_KVM_ASYNC_PF_INT))
		return "this KVM does not tell of ready pages by an interrupt "
		       "(KVM_CAP_ASYNC_PF_INT): Linux 5.8 does";
	if (!kvm_has(kvm_fd, KVM_CAP_SPLIT_IRQCHIP) ||
	    !cpuid_has(&cpuid, CPUID_X2APIC))
		return "this KVM has no local APIC that can be used alone, in "
		       "x2APIC mode (KVM_CAP_SPLIT_IRQCHIP): Linux 4.4 has";
	return NULL;
}

/* Local APICs in the kernel, nothing else. Before the vCPUs. */
void async_pf_init_vm(struct vm *vm)
{
	struct kvm_enable_cap cap = { .cap = KVM_CAP_SPLIT_IRQCHIP,
				      .args = { IO_APIC_PINS } };

	kvm_ioctl(vm->fd, KVM_ENABLE_CAP, &cap);
	set_gate(vm, VECTOR_PF, vm_function(vm, "guest_page_fault"));
	set_gate(vm, ASYNC_PF_VECTOR, vm_function(vm, "guest_page_ready"));
}

void async_pf_init_vcpu(struct vcpu *vcpu)
{
	/* others than the first would wait for an INIT from it */
	struct kvm_mp_state state = { .mp_state = KVM_MP_STATE_RUNNABLE };

	kvm_ioctl(vcpu->fd, KVM_SET_MP_STATE, &state);
	vcpu->area->async_pf.shared_gpa =
		vm_gpa(vcpu->vm, (u8 *)vcpu->area + ASYNC_PF_SHARED);
}
