/* SPDX-License-Identifier: GPL-2.0-only */
/* aarch64: what the files of this port share. */
#ifndef KVMETER_AARCH64_ARCH_VM_H
#define KVMETER_AARCH64_ARCH_VM_H

#include "kvm_ioctl.h"
#include "types.h"
#include <guest_tables.h>

struct arch_vm {
	u64 *root;	 /* HVA of the guest's top-level table */
	u64 vectors_gva; /* VBAR_EL1 */
	bool lpa2;	 /* TCR_EL1.DS: 52-bit descriptors of 4K and 16K */
	int gic_fd;	 /* -1: no GIC */
};

struct vm;

/* arch_map_block() with an attribute. */
void map_one(struct vm *vm, u64 gva, u64 gpa, u64 block_bytes,
	     unsigned int attribute);

/* Levels of the guest's tables; they count up from the last one, which is 1. */
unsigned int table_levels(const struct vm *vm);
unsigned int level_shift(const struct vm *vm, unsigned int level);

/* Page table geometry of a granule: Arm ARM D8.2. */
static inline unsigned int granule_shift(u64 page_bytes)
{
	return __builtin_ctzll(page_bytes);
}

static inline unsigned int level_bits(u64 page_bytes)
{
	return granule_shift(page_bytes) - 3;
}

#endif
