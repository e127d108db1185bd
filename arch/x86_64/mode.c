/* SPDX-License-Identifier: GPL-2.0-only */
#include <string.h>
#include <unistd.h>

#include "arch.h"
#include "arch_cpu.h"
#include "kvm_ioctl.h"

#define VA_BITS_5_LEVEL 57
#define CR4_LA57 BIT(12)

/* clang-format off */
const struct guest_mode arch_guest_modes[] = {
	{ .id = 9,  .name = "PXXV48_4K", .va_bits = 48, .page_bytes = KIB(4) },
	{ .id = 20, .name = "PXXV57_4K", .va_bits = 57, .page_bytes = KIB(4) },
	{ .name = NULL }
};
/* clang-format on */

static bool vcpu_takes_la57(int vcpu_fd, struct cpuid *cpuid)
{
	struct kvm_sregs sregs;

	if (__kvm_ioctl(vcpu_fd, KVM_SET_CPUID2, cpuid) ||
	    __kvm_ioctl(vcpu_fd, KVM_GET_SREGS, &sregs))
		return false;
	sregs.cr4 |= CR4_LA57;
	return __kvm_ioctl(vcpu_fd, KVM_SET_SREGS, &sregs) == 0;
}

/* PVM shows LA57 in CPUID and refuses it in CR4: only trying tells. */
static bool kvm_takes_la57(int kvm_fd, struct cpuid *cpuid)
{
	int vm_fd = kvm_ioctl(kvm_fd, KVM_CREATE_VM, 0);
	int vcpu_fd = kvm_ioctl(vm_fd, KVM_CREATE_VCPU, 0);
	bool takes = vcpu_takes_la57(vcpu_fd, cpuid);

	close(vcpu_fd);
	close(vm_fd);
	return takes;
}

const char *arch_mode_missing(int kvm_fd, const struct guest_mode *mode)
{
	struct cpuid cpuid;

	if (mode->va_bits != VA_BITS_5_LEVEL)
		return NULL;
	cpuid_get(kvm_fd, &cpuid);
	if (!cpuid_has(&cpuid, CPUID_LA57))
		return "the CPU that KVM offers has no 5-level paging (LA57): "
		       "choose another --mode";
	if (!kvm_takes_la57(kvm_fd, &cpuid))
		return "this KVM offers 5-level paging (LA57) and then refuses "
		       "it: choose another --mode";
	return NULL;
}

unsigned int arch_pa_bits(int kvm_fd, const struct guest_mode *mode)
{
	struct cpuid cpuid;

	(void)mode;
	cpuid_get(kvm_fd, &cpuid);
	return cpuid_physical_bits(&cpuid);
}

unsigned long arch_vm_type(int kvm_fd, const struct guest_mode *mode)
{
	(void)kvm_fd;
	(void)mode;
	return 0;
}
