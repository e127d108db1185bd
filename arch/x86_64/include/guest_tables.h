/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * x86_64: entries of the guest's page tables, which both halves write: SDM vol.
 * 3, 4.5; APM vol. 2, 5.3. A table has 512 entries of 8 bytes; level 1 maps 4K,
 * level 2 maps 2M, level 3 maps 1G.
 */
#ifndef KVMETER_GUEST_TABLES_H
#define KVMETER_GUEST_TABLES_H

#include <guest/types.h>

#define TABLE_BYTES 4096
#define LEVEL_BITS 9
#define ENTRY_PRESENT BIT(0)
#define ENTRY_WRITE BIT(1)
#define ENTRY_USER BIT(2)
#define ENTRY_UNCACHED \
	(BIT(3) | BIT(4)) /* PWT and PCD: UC with PAT's reset value */
#define ENTRY_ACCESSED BIT(5)
#define ENTRY_DIRTY BIT(6)
#define ENTRY_LARGE BIT(7)
#define ENTRY_ADDRESS UINT64_C(0x000ffffffffff000)

/* Nothing is written to tables by the CPU: accessed and dirty are set. */
#define ENTRY_TABLE (ENTRY_PRESENT | ENTRY_WRITE | ENTRY_USER | ENTRY_ACCESSED)
#define ENTRY_LEAF (ENTRY_TABLE | ENTRY_DIRTY)

#endif
