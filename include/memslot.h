/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memslots: KVM_SET_USER_MEMORY_REGION, Documentation/virt/kvm/api.rst 4.35,
 * and their dirty log (4.8, 4.117).
 *
 * The host memory behind a slot belongs to the caller and must outlive it.
 * __functions return 0 or -errno, the others die.
 */
#ifndef KVMETER_MEMSLOT_H
#define KVMETER_MEMSLOT_H

#include "types.h"
#include "vm.h"

/* What KVM_CLEAR_DIRTY_LOG's first page and number of pages are multiples of.
 */
#define DIRTY_CLEAR_PAGES 64

/* No slot of KVM's: its numbers have 16 bits, and those above name an address
 * space (api.rst 4.35). Everything asked of it fails with EINVAL. */
#define MEMSLOT_NO_ID (~UINT32_C(0))

struct memslot {
	struct vm *vm;
	u32 id; /* number in the VM; MEMSLOT_NO_ID once deleted */
	u32 flags;
	u64 gpa;
	u64 bytes;
	void *hva;
};

struct memslot_config {
	u64 gpa, bytes; /* multiples of the host's page */
	void *hva;
	u32 flags; /* KVM_MEM_* */
};

/* KVM_CAP_NR_MEMSLOTS: slots that user space may have in a VM. */
unsigned int memslot_limit(const struct vm *vm);

/*
 * Fills @slot and creates it with the lowest number that is free: not slot 0,
 * which is control memory, nor memslot_limit() and above, and deletion frees
 * it. If all are in use __memslot_add() returns -ENOSPC without asking KVM.
 * Adding and deleting cost no more than KVM's part of it: neither allocates.
 */
void memslot_add(struct memslot *slot, struct vm *vm,
		 const struct memslot_config *cfg);
int __memslot_add(struct memslot *slot, struct vm *vm,
		  const struct memslot_config *cfg);
void memslot_delete(struct memslot *slot);
int __memslot_delete(struct memslot *slot);
void memslot_move(struct memslot *slot, u64 gpa);
int __memslot_move(struct memslot *slot, u64 gpa);
void memslot_set_flags(struct memslot *slot, u32 flags);
int __memslot_set_flags(struct memslot *slot, u32 flags);

enum dirty_logging { DIRTY_LOG_OFF, DIRTY_LOG_ON };
void memslot_log_dirty(struct memslot *slot, enum dirty_logging log);

static inline u64 memslot_pages(const struct memslot *slot, u64 page_bytes)
{
	return slot->bytes / page_bytes;
}

/*
 * The dirty bitmap, a bit per host page, rounded up to u64 words; KVM clears
 * its own unless manual protection is on.
 */
void memslot_get_dirty(struct memslot *slot, u64 *bitmap);
int __memslot_get_dirty(struct memslot *slot, u64 *bitmap);

/*
 * With manual protection: clears (and write-protects) pages
 * [@first, @first + @nr) whose bit in @bitmap is set; @bitmap is that of the
 * whole slot. @first is a multiple of DIRTY_CLEAR_PAGES, and so is @nr unless
 * the range ends with the slot.
 */
void memslot_clear_dirty(struct memslot *slot, u64 *bitmap, u64 first, u64 nr);
int __memslot_clear_dirty(struct memslot *slot, u64 *bitmap, u64 first, u64 nr);

#endif
