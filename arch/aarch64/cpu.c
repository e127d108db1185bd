/* SPDX-License-Identifier: GPL-2.0-only */
#include <unistd.h>

#include "arch_cpu.h"

/* What KVM_CREATE_VM's type 0 means: Documentation/virt/kvm/api.rst 4.2. */
#define IPA_BITS_DEFAULT 40

int reg_try(int vcpu_fd, u64 id, u64 *value)
{
	struct kvm_one_reg reg = { .id = id, .addr = (u64)value };

	return __kvm_ioctl(vcpu_fd, KVM_GET_ONE_REG, &reg);
}

u64 reg_get(int vcpu_fd, u64 id)
{
	u64 value = 0;
	struct kvm_one_reg reg = { .id = id, .addr = (u64)&value };

	kvm_ioctl(vcpu_fd, KVM_GET_ONE_REG, &reg);
	return value;
}

void reg_set(int vcpu_fd, u64 id, u64 value)
{
	struct kvm_one_reg reg = { .id = id, .addr = (u64)&value };

	kvm_ioctl(vcpu_fd, KVM_SET_ONE_REG, &reg);
}

void cpu_init(int vm_fd, int vcpu_fd)
{
	struct kvm_vcpu_init init;

	kvm_ioctl(vm_fd, KVM_ARM_PREFERRED_TARGET, &init);
	init.features[0] |= BIT(KVM_ARM_VCPU_PSCI_0_2);
	kvm_ioctl(vcpu_fd, KVM_ARM_VCPU_INIT, &init);
}

int cpu_probe_vm(int kvm_fd)
{
	int bits = kvm_has(kvm_fd, KVM_CAP_ARM_VM_IPA_SIZE);

	return kvm_ioctl(kvm_fd, KVM_CREATE_VM,
			 bits ? KVM_VM_TYPE_ARM_IPA_SIZE(bits) : 0);
}

u64 cpu_memory_features(int kvm_fd)
{
	int vm_fd = cpu_probe_vm(kvm_fd);
	int vcpu_fd = kvm_ioctl(vm_fd, KVM_CREATE_VCPU, 0);
	u64 value;

	cpu_init(vm_fd, vcpu_fd);
	value = reg_get(vcpu_fd, SYS_ID_AA64MMFR0_EL1);
	close(vcpu_fd);
	close(vm_fd);
	return value;
}

unsigned int cpu_ipa_bits(int kvm_fd)
{
	int bits = kvm_has(kvm_fd, KVM_CAP_ARM_VM_IPA_SIZE);

	return bits ? bits : IPA_BITS_DEFAULT;
}
