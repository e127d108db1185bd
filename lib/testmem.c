/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdlib.h>
#include <unistd.h>

#include "interrupt.h"
#include "populate.h"
#include "testmem.h"
#include "util.h"

/* Congruent to the GPA modulo every block size. */
u64 testmem_window(const struct vm *vm, u64 gpa)
{
	u64 base = BIT(vm->mode->va_bits - 2);

	return base + gpa % (base / 2);
}

u64 testmem_shift(const struct guest_mode *mode)
{
	return max_u64(sysconf(_SC_PAGESIZE), mode->page_bytes);
}

static u64 place(const struct vm *vm, const struct testmem_config *cfg)
{
	u64 gpa = cfg->gpa;

	if (gpa == TESTMEM_GPA_DEFAULT)
		gpa = max_u64(CONTROL_GPA_END,
			      ALIGN_UP(CONTROL_GPA + 2 * vm->control_used +
					       cfg->bytes / 256,
				       GIB(1)));
	return gpa + (cfg->unaligned ? testmem_shift(vm->mode) : 0);
}

static void add_slots(struct testmem *mem, const char *backing)
{
	u64 granule = backing_granule(backing);
	u64 units = mem->bytes / granule;

	mem->slot = xcalloc(mem->nr_slots, sizeof(*mem->slot));
	for (u64 i = 0; i < mem->nr_slots; i++) {
		u64 from = units * i / mem->nr_slots * granule;
		u64 to = units * (i + 1) / mem->nr_slots * granule;

		interrupt_check();
		memslot_add(&mem->slot[i], mem->vm,
			    &(struct memslot_config){
				    .gpa = mem->gpa + from,
				    .bytes = to - from,
				    .hva = (u8 *)mem->backing->mem + from,
			    });
	}
}

struct testmem *testmem_create(struct vm *vm, const struct testmem_config *cfg)
{
	struct testmem *mem = xcalloc(1, sizeof(*mem));

	mem->vm = vm;
	mem->bytes = cfg->bytes;
	mem->nr_slots = cfg->nr_slots;
	mem->page_bytes = sysconf(_SC_PAGESIZE);
	mem->gpa = place(vm, cfg);
	mem->gva = testmem_window(vm, mem->gpa);
	mem->guest_block = cfg->guest_page;
	mem->backing = backing_create(cfg->backing, cfg->bytes);
	keep_mapped(mem->backing->mem, cfg->bytes);
	if (cfg->prefault)
		populate(mem->backing->mem, cfg->bytes,
			 mem->backing->page_bytes);
	add_slots(mem, cfg->backing);
	vm_map(vm, mem->gva, mem->gpa, cfg->bytes, mem->guest_block);
	return mem;
}

void testmem_free(struct testmem *mem)
{
	if (!mem)
		return;
	backing_destroy(mem->backing);
	free(mem->slot);
	free(mem);
}

void testmem_log_dirty(struct testmem *mem, enum dirty_logging log)
{
	for (u32 i = 0; i < mem->nr_slots; i++)
		memslot_log_dirty(&mem->slot[i], log);
}

/*
 * Counts the mappings of [@from, @end) of a slot: blocks of size number @i
 * where they fit, and where guest and host addresses are congruent; the rest by
 * smaller ones.
 */
/* NOLINTNEXTLINE(misc-no-recursion): as deep as there are sizes of blocks */
static void expect_range(const struct memslot *slot, u64 from, u64 end,
			 unsigned int i, struct mappings *expected)
{
	u64 size[ARCH_BLOCK_SIZES];
	u64 low, high;

	arch_stage2_sizes(size);
	while (i && !IS_ALIGNED(slot->gpa ^ (u64)slot->hva, size[i]))
		i--;
	low = min_u64(ALIGN_UP(from, size[i]), end);
	high = max_u64(ALIGN_DOWN(end, size[i]), low);
	mappings_add(expected, size[i], (high - low) / size[i]);
	if (i && from < low)
		expect_range(slot, from, low, i - 1, expected);
	if (i && high < end)
		expect_range(slot, high, end, i - 1, expected);
}

/* If the host holds all of it in pages of @host_page. */
static void expect_all(const struct testmem *mem, u64 host_page,
		       struct mappings *expected)
{
	u64 size[ARCH_BLOCK_SIZES];
	unsigned int i = arch_stage2_sizes(size) - 1;
	u64 block = arch_stage2_block(mem->vm, host_page, mem->guest_block);

	while (i && size[i] > block)
		i--;
	*expected = (struct mappings){ 0 };
	for (u32 k = 0; k < mem->nr_slots; k++) {
		const struct memslot *slot = &mem->slot[k];

		expect_range(slot, slot->gpa, slot->gpa + slot->bytes, i,
			     expected);
	}
}

const char *testmem_expect(const struct testmem *mem, struct mappings *expected)
{
	struct backing_huge huge;
	u64 blocks;

	if (!backing_huge(mem->backing, &huge))
		return "/proc/self/smaps cannot be read";
	expect_all(mem, huge.bytes ? huge.page_bytes : mem->page_bytes,
		   expected);
	blocks = mappings_count(expected, huge.page_bytes);
	if (!huge.bytes || blocks * huge.page_bytes <= huge.bytes)
		return NULL;
	/* a huge page across two slots is no block: which ones are there? */
	if (mem->nr_slots > 1)
		return "the host holds only a part of it in huge pages";
	blocks = huge.bytes / huge.page_bytes;
	*expected = (struct mappings){ 0 };
	mappings_add(expected, huge.page_bytes, blocks);
	mappings_add(expected, mem->page_bytes,
		     (mem->bytes - huge.bytes) / mem->page_bytes);
	return NULL;
}

const char *testmem_block_limit(const struct testmem *mem)
{
	struct backing_huge huge;

	if (!backing_huge(mem->backing, &huge) || !huge.bytes ||
	    huge.page_bytes == mem->page_bytes)
		return NULL;
	if (huge.bytes < mem->bytes)
		return "the host holds only a part of it in huge pages";
	if (arch_stage2_block(mem->vm, huge.page_bytes, huge.page_bytes) <
	    huge.page_bytes)
		return "KVM makes no mappings of that size";
	if (arch_stage2_block(mem->vm, huge.page_bytes, mem->guest_block) <
	    huge.page_bytes)
		return "the guest's own tables map less, and KVM shadows them";
	for (u32 i = 0; i < mem->nr_slots; i++) {
		const struct memslot *slot = &mem->slot[i];

		if (!IS_ALIGNED(slot->gpa ^ (u64)slot->hva, huge.page_bytes))
			return "guest and host addresses differ modulo the "
			       "block size";
		if (!IS_ALIGNED(slot->gpa | slot->bytes, huge.page_bytes))
			return "a slot does not begin or end with a block";
	}
	return NULL;
}
