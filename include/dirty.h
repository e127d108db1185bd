/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The dirty log of memory under test, over all of its slots: collected with
 * KVM_GET_DIRTY_LOG and, under manual protection, cleared in chunks with
 * KVM_CLEAR_DIRTY_LOG. Documentation/virt/kvm/api.rst 4.8, 4.117, 7.27.
 *
 * Bitmaps of the whole memory have a bit per base page, bit 0 the first, in
 * dirty_words() words.
 */
#ifndef KVMETER_DIRTY_H
#define KVMETER_DIRTY_H

#include "testmem.h"
#include "timing.h"

struct dirty_log;

/* Which of KVM_DIRTY_LOG_MANUAL_PROTECT_ENABLE, KVM_DIRTY_LOG_INITIALLY_SET
 * KVM_CAP_MANUAL_DIRTY_LOG_PROTECT2 offers; 0: no manual protection. */
u64 dirty_manual_modes(int kvm_or_vm_fd);

/* Enables some of them on a VM, before logging is on; dies if refused. */
void dirty_enable_manual(struct vm *vm, u64 modes);

/* Allocates what collecting needs, touched already. */
struct dirty_log *dirty_log_create(struct testmem *mem);
void dirty_log_free(struct dirty_log *log); /* NULL is fine */

/* One KVM_GET_DIRTY_LOG for each slot. */
void dirty_log_get(struct dirty_log *log);

/* For an option of such bytes: a multiple of the base page? */
bool dirty_valid_chunk(const void *member, const char **why);

/*
 * Pages of a chunk of @bytes: KVM takes multiples of DIRTY_CLEAR_PAGES, so that
 * it is rounded up; all that a slot can have if @bytes is OPTION_UNSET.
 */
u64 dirty_chunk_pages(const struct testmem *mem, u64 bytes);

/*
 * Clears what the last get has found, in calls of @chunk_pages (at most a whole
 * slot a call), and waits @wait_ms after each call. The time waited is not in
 * the timing.
 */
struct timing dirty_log_clear(struct dirty_log *log, u64 chunk_pages,
			      u64 wait_ms);

/* Clears all of it, each slot in one call. */
void dirty_log_clear_all(struct dirty_log *log);

/* Calls that the last dirty_log_clear() has made. */
u64 dirty_log_calls(const struct dirty_log *log);

/* Slots that KVM still has a dirty log for: none once logging is off. */
u32 dirty_log_slots(struct dirty_log *log);

/* ORs what the last get has found into @bitmap. */
void dirty_log_merge(const struct dirty_log *log, u64 *bitmap);

static inline size_t dirty_words(const struct testmem *mem)
{
	return DIV_ROUND_UP(testmem_pages(mem), 64);
}

/* Bits set in @words words, and bits of @a that are not in @b. */
u64 bitmap_count(const u64 *a, size_t words);
u64 bitmap_count_without(const u64 *a, const u64 *b, size_t words);

#endif
