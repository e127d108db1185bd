/* SPDX-License-Identifier: GPL-2.0-only */
/* What guest/space.c needs to know from the host. */
#include "arch.h"
#include "arch_cpu.h"
#include "arch_vm.h"
#include "vm.h"
#include <guest/space.h>
#include <guest_tables.h>

const char *arch_invalidation_missing(int kvm_fd, unsigned int how)
{
	struct cpuid cpuid;

	if (how != INVALIDATE_ASID)
		return NULL;
	cpuid_get(kvm_fd, &cpuid);
	if (!cpuid_has(&cpuid, CPUID_PCID) || !cpuid_has(&cpuid, CPUID_INVPCID))
		return "the CPU that KVM offers has no PCID with INVPCID: "
		       "choose page or switch";
	return NULL;
}

/* In the lower half, below what the memory under test is mapped at. */
void arch_spaces_init(const struct vm *vm, struct guest_spaces *spaces)
{
	unsigned int top_shift = 12 + LEVEL_BITS * (vm->arch->levels - 1);

	spaces->window = BIT(vm->mode->va_bits - 3);
	spaces->window_index = spaces->window >> top_shift;
	spaces->levels = vm->arch->levels;
	spaces->host_root = vm_gva(vm, vm->arch->root);
}
