/* SPDX-License-Identifier: GPL-2.0-only */
#include "arch_cpu.h"

/* A CPU without leaf 80000008H but with PAE. */
#define PHYSICAL_BITS_MIN 36

void cpuid_get(int kvm_fd, struct cpuid *cpuid)
{
	*cpuid = (struct cpuid){ .head.nent = CPUID_ENTRIES };
	kvm_ioctl(kvm_fd, KVM_GET_SUPPORTED_CPUID, cpuid);
}

static const struct kvm_cpuid_entry2 *find(const struct cpuid *cpuid,
					   u32 function, u32 index)
{
	for (u32 i = 0; i < cpuid->head.nent; i++) {
		const struct kvm_cpuid_entry2 *e = &cpuid->entry[i];

		if (e->function == function && e->index == index)
			return e;
	}
	return NULL;
}

bool cpuid_has(const struct cpuid *cpuid, struct cpuid_feature feature)
{
	const struct kvm_cpuid_entry2 *e =
		find(cpuid, feature.function, feature.index);
	const u32 regs[] = { e ? e->eax : 0, e ? e->ebx : 0, e ? e->ecx : 0,
			     e ? e->edx : 0 };

	return regs[feature.reg] >> feature.bit & 1;
}

unsigned int cpuid_physical_bits(const struct cpuid *cpuid)
{
	const struct kvm_cpuid_entry2 *e = find(cpuid, 0x80000008, 0);

	return e ? e->eax & 0xff : PHYSICAL_BITS_MIN;
}
