/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory under test: host memory of one backing source, split over one or
 * several memslots that follow each other in the guest's physical addresses,
 * and mapped in the guest's own tables.
 */
#ifndef KVMETER_TESTMEM_H
#define KVMETER_TESTMEM_H

#include "backing.h"
#include "mapping.h"
#include "memslot.h"
#include "vm.h"

/* Default GPA: the first multiple of 1G from 8G that is free of control. */
#define TESTMEM_GPA_DEFAULT (~UINT64_C(0))
#define TESTMEM_GUEST_PAGE_DEFAULT (~UINT64_C(0)) /* as alignment allows */

struct testmem_config {
	const char *backing;
	u64 bytes; /* a multiple of backing_granule() */
	u64 gpa;
	bool unaligned; /* GPA one base page up, to keep KVM from using blocks
			 */
	u64 guest_page; /* largest block in the guest's tables */
	u32 nr_slots;
	bool prefault; /* populate() it */
};

struct testmem {
	struct vm *vm;
	struct backing *backing;
	struct memslot *slot;
	u32 nr_slots;
	u64 gpa, gva, bytes;
	u64 page_bytes;	 /* of KVM's dirty log: the host's base page */
	u64 guest_block; /* largest block in the guest's tables */
};

/*
 * Where a guest maps what is not control memory: in a window in the upper half
 * of what user addresses reach. Physical addresses beyond it fold.
 */
u64 testmem_window(const struct vm *vm, u64 gpa);

/* What @unaligned adds to the GPA. */
u64 testmem_shift(const struct guest_mode *mode);

/*
 * Before vm_start(). Free after the gang; the slots go with the VM, which must
 * not run afterwards.
 */
struct testmem *testmem_create(struct vm *vm, const struct testmem_config *cfg);
void testmem_free(struct testmem *mem); /* NULL is fine */

static inline u64 testmem_pages(const struct testmem *mem)
{
	return mem->bytes / mem->page_bytes;
}

void testmem_log_dirty(struct testmem *mem, enum dirty_logging log);

/*
 * The stage-2 mappings that all of the memory has once every page has been
 * accessed, as the largest blocks that host page, alignment of host and guest
 * addresses, slot and (under shadow paging) guest page allow. NULL, or why it
 * cannot be told; static storage.
 */
const char *testmem_expect(const struct testmem *mem,
			   struct mappings *expected);

/*
 * Why KVM cannot map all of the memory by blocks as large as the host's pages;
 * NULL if it can, or if those are base pages. Static storage.
 */
const char *testmem_block_limit(const struct testmem *mem);

#endif
