/* SPDX-License-Identifier: GPL-2.0-only */
/* aarch64: registers of a vCPU, KVM_GET_ONE_REG and KVM_SET_ONE_REG. */
#ifndef KVMETER_AARCH64_ARCH_CPU_H
#define KVMETER_AARCH64_ARCH_CPU_H

#include <stddef.h>
#include "kvm_ioctl.h"
#include "types.h"

/* System registers by op0, op1, CRn, CRm, op2: Arm ARM D19.2. */
#define SYS_ID_AA64MMFR0_EL1 ARM64_SYS_REG(3, 0, 0, 7, 0)
#define SYS_SCTLR_EL1 ARM64_SYS_REG(3, 0, 1, 0, 0)
#define SYS_TTBR0_EL1 ARM64_SYS_REG(3, 0, 2, 0, 0)
#define SYS_TCR_EL1 ARM64_SYS_REG(3, 0, 2, 0, 2)
#define SYS_ESR_EL1 ARM64_SYS_REG(3, 0, 5, 2, 0)
#define SYS_FAR_EL1 ARM64_SYS_REG(3, 0, 6, 0, 0)
#define SYS_MAIR_EL1 ARM64_SYS_REG(3, 0, 10, 2, 0)
#define SYS_VBAR_EL1 ARM64_SYS_REG(3, 0, 12, 0, 0)

#define CORE_REG(member)                                       \
	(KVM_REG_ARM64 | KVM_REG_SIZE_U64 | KVM_REG_ARM_CORE | \
	 KVM_REG_ARM_CORE_REG(member))

/* 0 or -errno; the others die. */
int reg_try(int vcpu_fd, u64 id, u64 *value);
u64 reg_get(int vcpu_fd, u64 id);
void reg_set(int vcpu_fd, u64 id, u64 value);

/* KVM_ARM_VCPU_INIT with KVM's preferred target, running from the start. */
void cpu_init(int vm_fd, int vcpu_fd);

/*
 * A VM to ask questions of: with as many address bits as KVM offers, since type
 * 0 asks for 40, which some CPUs do not have. Descriptor to close().
 */
int cpu_probe_vm(int kvm_fd);

/* ID_AA64MMFR0_EL1 as a vCPU sees it; asks a VM made for that. */
u64 cpu_memory_features(int kvm_fd);

/* Bits of guest physical addresses that KVM offers at most. */
unsigned int cpu_ipa_bits(int kvm_fd);

#endif
