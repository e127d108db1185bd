/* SPDX-License-Identifier: GPL-2.0-only */
/* The guest's own page tables. */
#include "arch.h"
#include "arch_vm.h"
#include "util.h"
#include "vm.h"
#include <guest_tables.h>

static u64 *table_at(struct vm *vm, u64 descriptor);

unsigned int level_shift(const struct vm *vm, unsigned int level)
{
	u64 page = vm->mode->page_bytes;

	return granule_shift(page) + (level - 1) * level_bits(page);
}

unsigned int table_levels(const struct vm *vm)
{
	u64 page = vm->mode->page_bytes;

	return DIV_ROUND_UP(vm->mode->va_bits - granule_shift(page),
			    level_bits(page));
}

/* 4K: up to 1G; 16K: up to 32M; 64K: up to 512M. */
unsigned int arch_block_sizes(const struct vm *vm, u64 bytes[ARCH_BLOCK_SIZES])
{
	unsigned int levels = vm->mode->page_bytes == KIB(4) ? 3 : 2;

	for (unsigned int i = 0; i < levels; i++)
		bytes[i] = BIT(level_shift(vm, i + 1));
	return levels;
}

static u64 encode_leaf(const struct vm *vm, u64 gpa, unsigned int level,
		       unsigned int attribute)
{
	struct table_format format = { vm->mode->page_bytes, vm->arch->lpa2 };

	return descriptor_leaf(format, gpa, attribute) |
	       (level == 1 ? DESCRIPTOR_TABLE : 0);
}

static u64 *next_table(struct vm *vm, u64 *entry)
{
	u64 bytes = vm->mode->page_bytes;
	void *table;

	if (*entry)
		return table_at(vm, *entry);
	/* control memory lies below 48 bits */
	table = vm_alloc(vm, bytes, bytes);
	*entry = vm_gpa(vm, table) | DESCRIPTOR_VALID | DESCRIPTOR_TABLE;
	return table;
}

static u64 *table_at(struct vm *vm, u64 descriptor)
{
	u64 bytes = vm->mode->page_bytes;
	u64 gpa = ALIGN_DOWN(descriptor & ADDRESS_48, bytes);

	if (!(descriptor & DESCRIPTOR_TABLE))
		die("guest page tables: a block is mapped here already");
	return vm_hva(vm, IMAGE_GVA + (gpa - CONTROL_GPA), bytes);
}

void map_one(struct vm *vm, u64 gva, u64 gpa, u64 block_bytes,
	     unsigned int attribute)
{
	unsigned int level = table_levels(vm);
	u64 entries = vm->mode->page_bytes / sizeof(u64);
	u64 *table = vm->arch->root;
	u64 *entry;

	for (;; level--) {
		entry = &table[(gva >> level_shift(vm, level)) % entries];
		if (BIT(level_shift(vm, level)) == block_bytes)
			break;
		table = next_table(vm, entry);
	}
	if (*entry)
		die("guest page tables: GVA %#llx is mapped already",
		    (unsigned long long)gva);
	*entry = encode_leaf(vm, gpa, level, attribute);
}

void arch_map_block(struct vm *vm, u64 gva, u64 gpa, u64 block_bytes)
{
	map_one(vm, gva, gpa, block_bytes, MEMORY_NORMAL);
}
