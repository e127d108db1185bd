/* SPDX-License-Identifier: GPL-2.0-only */
/* The guest's own page tables. */
#include "arch.h"
#include "arch_vm.h"
#include "util.h"
#include "vm.h"
#include <guest_tables.h>

static unsigned int level_shift(unsigned int level)
{
	return 12 + LEVEL_BITS * (level - 1);
}

unsigned int arch_block_sizes(const struct vm *vm, u64 bytes[ARCH_BLOCK_SIZES])
{
	unsigned int levels = vm->arch->has_1g ? 3 : 2;

	for (unsigned int i = 0; i < levels; i++)
		bytes[i] = BIT(level_shift(i + 1));
	return levels;
}

static u64 *next_table(struct vm *vm, u64 *entry)
{
	u64 gpa = *entry & ENTRY_ADDRESS;

	if (!*entry) {
		void *table = vm_alloc(vm, TABLE_BYTES, TABLE_BYTES);

		*entry = vm_gpa(vm, table) | ENTRY_TABLE;
		return table;
	}
	if (*entry & ENTRY_LARGE)
		die("guest page tables: a block is mapped here already");
	return vm_hva(vm, IMAGE_GVA + (gpa - CONTROL_GPA), TABLE_BYTES);
}

void arch_map_block(struct vm *vm, u64 gva, u64 gpa, u64 block_bytes)
{
	unsigned int level = vm->arch->levels;
	u64 *table = vm->arch->root;
	u64 *entry;

	for (;; level--) {
		u64 index = gva >> level_shift(level);

		entry = &table[index % (TABLE_BYTES / sizeof(*table))];
		if (BIT(level_shift(level)) == block_bytes)
			break;
		table = next_table(vm, entry);
	}
	if (*entry)
		die("guest page tables: GVA %#llx is mapped already",
		    (unsigned long long)gva);
	*entry = gpa | ENTRY_LEAF | (level > 1 ? ENTRY_LARGE : 0);
}
