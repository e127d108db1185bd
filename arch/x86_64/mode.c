/* SPDX-License-Identifier: GPL-2.0-only */
#include <string.h>

#include "arch.h"
#include "arch_cpuid.h"
#include "kvm_ioctl.h"

#define VA_BITS_5_LEVEL 57

const struct guest_mode arch_guest_modes[] = { { 9, "PXXV48_4K", 48, 0, 4096 },
					       { 10, "PXXV57_4K", 57, 0, 4096 },
					       { 0, NULL, 0, 0, 0 } };

const char *arch_mode_missing(int kvm_fd, const struct guest_mode *mode)
{
	struct cpuid cpuid;

	cpuid_get(kvm_fd, &cpuid);
	if (mode->va_bits == VA_BITS_5_LEVEL && !cpuid_has(&cpuid, CPUID_LA57))
		return "the CPU that KVM offers has no 5-level paging (LA57)";
	return NULL;
}

unsigned int arch_pa_bits(int kvm_fd, const struct guest_mode *mode)
{
	struct cpuid cpuid;

	(void)mode;
	cpuid_get(kvm_fd, &cpuid);
	return cpuid_physical_bits(&cpuid);
}

unsigned long arch_vm_type(const struct guest_mode *mode)
{
	(void)mode;
	return 0;
}
