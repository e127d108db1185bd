/* SPDX-License-Identifier: GPL-2.0-only */
/* What guest/space.c needs to know from the host. */
#include "arch.h"
#include "arch_vm.h"
#include "vm.h"
#include <guest/space.h>

/* Every CPU has all of them: Arm ARM D8.13. */
const char *arch_invalidation_missing(int kvm_fd, unsigned int how)
{
	(void)kvm_fd;
	(void)how;
	return NULL;
}

/* The upper half of the addresses; the memory under test is in the lower. */
void arch_spaces_init(const struct vm *vm, struct guest_spaces *spaces)
{
	unsigned int levels = table_levels(vm);
	u64 entries = vm->mode->page_bytes / sizeof(u64);

	spaces->window = BIT(vm->mode->va_bits - 1);
	spaces->window_index =
		(spaces->window >> level_shift(vm, levels)) % entries;
	spaces->levels = levels;
	spaces->host_root = vm_gva(vm, vm->arch->root);
	spaces->port = vm->arch->lpa2;
}
