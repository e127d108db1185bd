/* SPDX-License-Identifier: GPL-2.0-only */
#include "spaces.h"

const char *const space_invalidation_names[] = {
	[INVALIDATE_PAGE] = "page",
	[INVALIDATE_ASID] = "asid",
	[INVALIDATE_SWITCH] = "switch",
	[INVALIDATE_BROADCAST] = "broadcast",
	NULL,
};

u32 spaces_pages(const struct guest_mode *mode)
{
	return mode->page_bytes / sizeof(u64);
}

/* The GVAs of tables that are free, in control memory. */
static u64 alloc_pool(struct vm *vm, u32 tables)
{
	u64 bytes = vm->mode->page_bytes;
	u64 *pool = vm_alloc(vm, tables * sizeof(*pool), sizeof(*pool));

	for (u32 i = 0; i < tables; i++)
		pool[i] = vm_gva(vm, vm_alloc(vm, bytes, bytes));
	return vm_gva(vm, pool);
}

static u64 alloc_shootdown(struct vm *vm)
{
	struct space_shootdown *s;
	u64 bytes = sizeof(*s) + vm->nr_vcpus * sizeof(*s->cpu);

	s = vm_alloc(vm, bytes, _Alignof(struct space_shootdown));
	s->nr_cpus = vm->nr_vcpus;
	return vm_gva(vm, s);
}

u64 spaces_alloc(struct vm *vm, enum space_invalidation how, bool local)
{
	u64 bytes = vm->mode->page_bytes;
	struct guest_spaces *spaces, all = {
		.shared_leaf = vm_gva(vm, vm_alloc(vm, bytes, bytes)),
		.page_bytes = bytes,
		.tables_offset = IMAGE_GVA - CONTROL_GPA,
		.shootdown = alloc_shootdown(vm),
		.invalidation = how,
		.local = local,
	};

	arch_spaces_init(vm, &all);
	spaces = vm_alloc(vm, vm->nr_vcpus * sizeof(*spaces),
			  _Alignof(struct guest_spaces));
	for (u32 i = 0; i < vm->nr_vcpus; i++) {
		spaces[i] = all;
		spaces[i].pool = alloc_pool(vm, all.levels);
		spaces[i].pool_nr = all.levels;
	}
	return vm_gva(vm, spaces);
}
