/* SPDX-License-Identifier: GPL-2.0-only */
/* x86_64: the CPU that KVM offers, KVM_GET_SUPPORTED_CPUID. */
#ifndef KVMETER_X86_64_ARCH_CPU_H
#define KVMETER_X86_64_ARCH_CPU_H

#include "kvm_ioctl.h"
#include "types.h"

/* More leaves than any KVM has (KVM_MAX_CPUID_ENTRIES of the kernel). */
#define CPUID_ENTRIES 256

struct cpuid {
	struct kvm_cpuid2 head;
	struct kvm_cpuid_entry2 entry[CPUID_ENTRIES];
};

/* One bit: SDM vol. 2A, CPUID; APM vol. 3, appendix E. */
struct cpuid_feature {
	u32 function, index;
	unsigned int reg; /* 0 EAX, 1 EBX, 2 ECX, 3 EDX */
	unsigned int bit;
};

#define CPUID_PCID ((struct cpuid_feature){ 1, 0, 2, 17 })
#define CPUID_INVPCID ((struct cpuid_feature){ 7, 0, 1, 10 })
#define CPUID_LA57 ((struct cpuid_feature){ 7, 0, 2, 16 })
#define CPUID_X2APIC ((struct cpuid_feature){ 1, 0, 2, 21 })
#define CPUID_PAGE_1G ((struct cpuid_feature){ 0x80000001, 0, 3, 26 })
/* Documentation/virt/kvm/x86/cpuid.rst, KVM_FEATURE_ASYNC_PF_INT */
#define CPUID_KVM_ASYNC_PF_INT ((struct cpuid_feature){ 0x40000001, 0, 0, 14 })

void cpuid_get(int kvm_fd, struct cpuid *cpuid);
bool cpuid_has(const struct cpuid *cpuid, struct cpuid_feature feature);
/* CPUID 80000008H:EAX[7:0], or 36 where there is no such leaf. */
unsigned int cpuid_physical_bits(const struct cpuid *cpuid);

#endif
