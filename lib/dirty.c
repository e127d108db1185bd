/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "dirty.h"
#include "interrupt.h"
#include "util.h"

struct dirty_log {
	struct testmem *mem;
	u64 **bitmap; /* one per slot */
	u64 calls;
};

u64 dirty_manual_modes(int kvm_or_vm_fd)
{
	return kvm_has(kvm_or_vm_fd, KVM_CAP_MANUAL_DIRTY_LOG_PROTECT2);
}

void dirty_enable_manual(struct vm *vm, u64 modes)
{
	struct kvm_enable_cap cap = {
		.cap = KVM_CAP_MANUAL_DIRTY_LOG_PROTECT2,
		.args = { modes },
	};

	kvm_ioctl(vm->fd, KVM_ENABLE_CAP, &cap);
}

static u64 slot_pages(const struct dirty_log *log, u32 i)
{
	return memslot_pages(&log->mem->slot[i], log->mem->page_bytes);
}

struct dirty_log *dirty_log_create(struct testmem *mem)
{
	struct dirty_log *log = xcalloc(1, sizeof(*log));

	log->mem = mem;
	log->bitmap = xcalloc(mem->nr_slots, sizeof(*log->bitmap));
	for (u32 i = 0; i < mem->nr_slots; i++) {
		size_t words = DIV_ROUND_UP(slot_pages(log, i), 64);

		log->bitmap[i] = xcalloc(words, sizeof(u64));
		memset(log->bitmap[i], 0xff, words * sizeof(u64));
	}
	return log;
}

void dirty_log_free(struct dirty_log *log)
{
	if (!log)
		return;
	for (u32 i = 0; i < log->mem->nr_slots; i++)
		free(log->bitmap[i]);
	free(log->bitmap);
	free(log);
}

void dirty_log_get(struct dirty_log *log)
{
	for (u32 i = 0; i < log->mem->nr_slots; i++)
		memslot_get_dirty(&log->mem->slot[i], log->bitmap[i]);
}

static void wait_ns(u64 ns)
{
	u64 deadline = now_ns() + ns;

	while (now_ns() < deadline) {
		sleep_until_ns(deadline);
		interrupt_check();
	}
}

bool dirty_valid_chunk(const void *member, const char **why)
{
	*why = "not a multiple of the host's base page";
	return *(const u64 *)member % sysconf(_SC_PAGESIZE) == 0;
}

u64 dirty_chunk_pages(const struct testmem *mem, u64 bytes)
{
	u64 pages = min_u64(bytes, mem->bytes) / mem->page_bytes;

	return ALIGN_UP(max_u64(pages, 1), DIRTY_CLEAR_PAGES);
}

struct timing dirty_log_clear(struct dirty_log *log, u64 chunk_pages,
			      u64 wait_ms)
{
	struct usage before = usage_now();
	struct timing sum = { 0 };

	log->calls = 0;
	for (u32 i = 0; i < log->mem->nr_slots; i++) {
		struct memslot *slot = &log->mem->slot[i];
		u64 pages = slot_pages(log, i);

		for (u64 at = 0; at < pages; at += chunk_pages) {
			u64 nr = min_u64(chunk_pages, pages - at);
			u64 start_ns = now_ns();

			memslot_clear_dirty(slot, log->bitmap[i], at, nr);
			sum.ns += now_ns() - start_ns;
			log->calls++;
			wait_ns(wait_ms * NSEC_PER_MSEC);
		}
	}
	sum.usage = usage_since(&before);
	return sum;
}

void dirty_log_clear_all(struct dirty_log *log)
{
	for (u32 i = 0; i < log->mem->nr_slots; i++)
		memslot_clear_dirty(&log->mem->slot[i], log->bitmap[i], 0,
				    slot_pages(log, i));
}

u64 dirty_log_calls(const struct dirty_log *log)
{
	return log->calls;
}

/* ENOENT: Documentation/virt/kvm/api.rst 4.8 */
u32 dirty_log_slots(struct dirty_log *log)
{
	u32 slots = 0;

	for (u32 i = 0; i < log->mem->nr_slots; i++)
		if (__memslot_get_dirty(&log->mem->slot[i], log->bitmap[i]) !=
		    -ENOENT)
			slots++;
	return slots;
}

/* ORs @nr bits of @from into @to from bit @at. */
static void merge_bits(u64 *to, u64 at, const u64 *from, u64 nr)
{
	unsigned int shift = at % 64;

	to += at / 64;
	for (u64 done = 0; done < nr; done += 64, from++, to++) {
		u64 word = *from;

		if (nr - done < 64)
			word &= BIT(nr - done) - 1;
		to[0] |= word << shift;
		if (shift && word >> (64 - shift))
			to[1] |= word >> (64 - shift);
	}
}

void dirty_log_merge(const struct dirty_log *log, u64 *bitmap)
{
	u64 at = 0;

	for (u32 i = 0; i < log->mem->nr_slots; i++) {
		merge_bits(bitmap, at, log->bitmap[i], slot_pages(log, i));
		at += slot_pages(log, i);
	}
}

u64 bitmap_count(const u64 *a, size_t words)
{
	u64 nr = 0;

	while (words--)
		nr += __builtin_popcountll(a[words]);
	return nr;
}

u64 bitmap_count_without(const u64 *a, const u64 *b, size_t words)
{
	u64 nr = 0;

	while (words--)
		nr += __builtin_popcountll(a[words] & ~b[words]);
	return nr;
}
