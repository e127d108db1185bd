/* SPDX-License-Identifier: GPL-2.0-only */
/* Stage-2 leaf entries of a VM as KVM counts them, by what each maps. */
#ifndef KVMETER_MAPPING_H
#define KVMETER_MAPPING_H

#include "arch.h"
#include "types.h"

#define MAPPING_SIZES ARCH_BLOCK_SIZES
#define MAPPING_TEXT 96

/* Counts in the order of arch_stage2_sizes(). */
struct mappings {
	u64 count[MAPPING_SIZES];
};

/* Why the counts cannot be read here; NULL if they can. Static storage. */
const char *mappings_missing(const struct vm *vm);

/* All leaf entries of the VM at this moment; needs mappings_missing() NULL. */
struct mappings mappings_read(const struct vm *vm);

/* @a - @b, each count on its own; a count that would be negative is 0. */
struct mappings mappings_sub(struct mappings a, struct mappings b);
bool mappings_equal(struct mappings a, struct mappings b);

/* Adds @nr entries that map @bytes each; dies if there is no such size. */
void mappings_add(struct mappings *m, u64 bytes, u64 nr);

/* Entries that map @bytes each, and entries in all. */
u64 mappings_count(const struct mappings *m, u64 bytes);
u64 mappings_total(const struct mappings *m);

/* "128 x 2M", "128 x 2M + 3 x 4K", "none". Returns @buf. */
const char *mappings_format(struct mappings m, char buf[MAPPING_TEXT]);

#endif
