/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdlib.h>
#include <unistd.h>

#include "interrupt.h"
#include "populate.h"
#include "testmem.h"
#include "util.h"

/*
 * A window in the upper half of what user addresses reach, congruent to the
 * GPA modulo every block size; physical addresses beyond it fold.
 */
static u64 window_gva(const struct vm *vm, u64 gpa)
{
	u64 base = BIT(vm->mode->va_bits - 2);

	return base + gpa % (base / 2);
}

static u64 place(const struct vm *vm, const struct testmem_config *cfg)
{
	u64 gpa = cfg->gpa;

	if (gpa == TESTMEM_GPA_DEFAULT)
		gpa = max_u64(CONTROL_GPA_END,
			      ALIGN_UP(CONTROL_GPA + 2 * vm->control_used +
					       cfg->bytes / 256,
				       GIB(1)));
	return gpa + (cfg->unaligned ? max_u64(sysconf(_SC_PAGESIZE),
					       vm->mode->page_bytes) :
				       0);
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
	mem->gva = window_gva(vm, mem->gpa);
	mem->guest_block = cfg->guest_page;
	mem->backing = backing_create(cfg->backing, cfg->bytes);
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
 * Counts the mappings of one slot if the host held all of it in pages of
 * @host_page: blocks lie whole inside the slot, and only where host and guest
 * addresses are congruent.
 */
static void expect_slot(const struct testmem *mem, const struct memslot *slot,
			u64 host_page, struct mappings *expected)
{
	u64 end = slot->gpa + slot->bytes;
	u64 block = arch_stage2_block(mem->vm, host_page, mem->guest_block);
	u64 from, to;

	if (!IS_ALIGNED(slot->gpa ^ (u64)slot->hva, block))
		block = mem->page_bytes;
	from = min_u64(ALIGN_UP(slot->gpa, block), end);
	to = max_u64(ALIGN_DOWN(end, block), from);
	mappings_add(expected, block, (to - from) / block);
	mappings_add(expected, mem->page_bytes,
		     (slot->bytes - (to - from)) / mem->page_bytes);
}

/*
 * Moves what the host does not hold in huge pages to base pages. Which blocks
 * those are is not known, but where blocks fit at all, each is one huge page.
 */
static void expect_fewer_blocks(const struct testmem *mem, u64 huge_bytes,
				u64 block, struct mappings *expected)
{
	u64 blocks = mappings_count(expected, block);

	blocks = min_u64(blocks, huge_bytes / block);
	*expected = (struct mappings){ 0 };
	mappings_add(expected, block, blocks);
	mappings_add(expected, mem->page_bytes,
		     (mem->bytes - blocks * block) / mem->page_bytes);
}

bool testmem_expect(const struct testmem *mem, struct mappings *expected)
{
	struct backing_huge huge;

	if (!backing_huge(mem->backing, &huge))
		return false;
	*expected = (struct mappings){ 0 };
	for (u32 i = 0; i < mem->nr_slots; i++)
		expect_slot(mem, &mem->slot[i],
			    huge.bytes ? huge.page_bytes : mem->page_bytes,
			    expected);
	if (huge.bytes && huge.bytes < mem->bytes)
		expect_fewer_blocks(mem, huge.bytes, huge.page_bytes, expected);
	return true;
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
