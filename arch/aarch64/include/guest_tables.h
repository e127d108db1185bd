/* SPDX-License-Identifier: GPL-2.0-only */
/* aarch64: entries of the guest's page tables, which both halves write: Arm ARM
 * D8.3. */
#ifndef KVMETER_GUEST_TABLES_H
#define KVMETER_GUEST_TABLES_H

#include <guest/types.h>

#define DESCRIPTOR_VALID BIT(0)
#define DESCRIPTOR_TABLE BIT(1) /* at the last level: a page, not a block */
#define DESCRIPTOR_ATTRIBUTE(index) ((u64)(index) << 2)
#define DESCRIPTOR_READ_ONLY BIT(7) /* AP[2] */
#define DESCRIPTOR_INNER_SHAREABLE (UINT64_C(3) << 8)
#define DESCRIPTOR_ACCESSED BIT(10)
#define DESCRIPTOR_NOT_GLOBAL BIT(11)
/* UXN and PXN: nothing may prefetch from a device */
#define DESCRIPTOR_NO_EXECUTE (BIT(54) | BIT(53))
#define ADDRESS_48 ((UINT64_C(1) << 48) - 1)

/* Attributes of MAIR_EL1 by index in a descriptor. */
enum { MEMORY_DEVICE, MEMORY_NORMAL };

struct table_format {
	u64 page_bytes;
	bool lpa2; /* TCR_EL1.DS: 52-bit descriptors of 4K and 16K */
};

/* Where an address goes that has more than 48 bits: Arm ARM D8.3.1. */
static inline u64 descriptor_address(struct table_format f, u64 gpa)
{
	if (f.lpa2)
		return (gpa & (BIT(50) - 1)) | (gpa >> 50 & 3) << 8;
	if (f.page_bytes == KIB(64))
		return (gpa & ADDRESS_48) | (gpa >> 48 & 0xf) << 12;
	return gpa;
}

/* A block's descriptor; DESCRIPTOR_TABLE makes it that of a page. */
static inline u64 descriptor_leaf(struct table_format f, u64 gpa,
				  unsigned int attribute)
{
	u64 descriptor = descriptor_address(f, gpa) | DESCRIPTOR_VALID |
			 DESCRIPTOR_ATTRIBUTE(attribute) | DESCRIPTOR_ACCESSED;

	if (attribute == MEMORY_DEVICE)
		descriptor |= DESCRIPTOR_NO_EXECUTE;
	/* with LPA2 TCR_EL1.SH0 holds for all */
	if (!f.lpa2)
		descriptor |= DESCRIPTOR_INNER_SHAREABLE;
	return descriptor;
}

#endif
