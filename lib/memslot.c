/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <unistd.h>

#include "memslot.h"
#include "util.h"

unsigned int memslot_limit(const struct vm *vm)
{
	return kvm_has(vm->fd, KVM_CAP_NR_MEMSLOTS);
}

static struct kvm_userspace_memory_region region_of(const struct memslot *slot)
{
	return (struct kvm_userspace_memory_region){
		.slot = slot->id,
		.flags = slot->flags,
		.guest_phys_addr = slot->gpa,
		.memory_size = slot->bytes,
		.userspace_addr = (u64)slot->hva,
	};
}

/* Makes KVM's slot what @slot says. */
static int commit(const struct memslot *slot)
{
	struct kvm_userspace_memory_region region = region_of(slot);

	return __kvm_ioctl(slot->vm->fd, KVM_SET_USER_MEMORY_REGION, &region);
}

/* Dies for a failed commit() of @slot as it was to become. */
static void must(const struct memslot *slot, int error)
{
	struct kvm_userspace_memory_region region = region_of(slot);

	if (error)
		die("%s", kvm_ioctl_error("KVM_SET_USER_MEMORY_REGION",
					  KVM_SET_USER_MEMORY_REGION,
					  (unsigned long)&region, -error));
}

/* Replaces @slot by @next if KVM agrees. */
static int change(struct memslot *slot, struct memslot next)
{
	int error = commit(&next);

	if (!error)
		*slot = next;
	return error;
}

/* False if all of the VM's numbers are in use. */
static bool fill(struct memslot *slot, struct vm *vm,
		 const struct memslot_config *cfg)
{
	*slot = (struct memslot){
		.vm = vm,
		.id = MEMSLOT_NO_ID,
		.flags = cfg->flags,
		.gpa = cfg->gpa,
		.bytes = cfg->bytes,
		.hva = cfg->hva,
	};
	return id_pool_take(&vm->slot_ids, &slot->id);
}

static void give_up_id(struct memslot *slot)
{
	id_pool_release(&slot->vm->slot_ids, slot->id);
	slot->id = MEMSLOT_NO_ID;
}

int __memslot_add(struct memslot *slot, struct vm *vm,
		  const struct memslot_config *cfg)
{
	int error;

	if (!fill(slot, vm, cfg))
		return -ENOSPC;
	error = commit(slot);
	if (error)
		give_up_id(slot);
	return error;
}

void memslot_add(struct memslot *slot, struct vm *vm,
		 const struct memslot_config *cfg)
{
	if (!fill(slot, vm, cfg))
		die("all %u memslots of this KVM are in use: choose fewer",
		    vm->slot_ids.limit);
	must(slot, commit(slot));
}

int __memslot_delete(struct memslot *slot)
{
	struct memslot next = *slot;
	int error;

	next.bytes = 0;
	error = change(slot, next);
	if (!error)
		give_up_id(slot);
	return error;
}

void memslot_delete(struct memslot *slot)
{
	struct memslot next = *slot;

	next.bytes = 0;
	must(&next, __memslot_delete(slot));
}

int __memslot_move(struct memslot *slot, u64 gpa)
{
	struct memslot next = *slot;

	next.gpa = gpa;
	return change(slot, next);
}

void memslot_move(struct memslot *slot, u64 gpa)
{
	struct memslot next = *slot;

	next.gpa = gpa;
	must(&next, __memslot_move(slot, gpa));
}

int __memslot_set_flags(struct memslot *slot, u32 flags)
{
	struct memslot next = *slot;

	next.flags = flags;
	return change(slot, next);
}

void memslot_set_flags(struct memslot *slot, u32 flags)
{
	struct memslot next = *slot;

	next.flags = flags;
	must(&next, __memslot_set_flags(slot, flags));
}

void memslot_log_dirty(struct memslot *slot, enum dirty_logging log)
{
	u32 others = slot->flags & ~KVM_MEM_LOG_DIRTY_PAGES;

	memslot_set_flags(slot, log == DIRTY_LOG_ON ?
					others | KVM_MEM_LOG_DIRTY_PAGES :
					others);
}

static struct kvm_dirty_log log_of(const struct memslot *slot, u64 *bitmap)
{
	return (struct kvm_dirty_log){ .slot = slot->id,
				       .dirty_bitmap = bitmap };
}

int __memslot_get_dirty(struct memslot *slot, u64 *bitmap)
{
	struct kvm_dirty_log log = log_of(slot, bitmap);

	return __kvm_ioctl(slot->vm->fd, KVM_GET_DIRTY_LOG, &log);
}

void memslot_get_dirty(struct memslot *slot, u64 *bitmap)
{
	struct kvm_dirty_log log = log_of(slot, bitmap);

	kvm_ioctl(slot->vm->fd, KVM_GET_DIRTY_LOG, &log);
}

static struct kvm_clear_dirty_log clear_of(const struct memslot *slot,
					   u64 *bitmap, u64 first, u64 nr)
{
	return (struct kvm_clear_dirty_log){
		.slot = slot->id,
		.first_page = first,
		.num_pages = nr,
		.dirty_bitmap = bitmap + first / DIRTY_CLEAR_PAGES,
	};
}

int __memslot_clear_dirty(struct memslot *slot, u64 *bitmap, u64 first, u64 nr)
{
	struct kvm_clear_dirty_log clear = clear_of(slot, bitmap, first, nr);

	return __kvm_ioctl(slot->vm->fd, KVM_CLEAR_DIRTY_LOG, &clear);
}

void memslot_clear_dirty(struct memslot *slot, u64 *bitmap, u64 first, u64 nr)
{
	struct kvm_clear_dirty_log clear = clear_of(slot, bitmap, first, nr);

	kvm_ioctl(slot->vm->fd, KVM_CLEAR_DIRTY_LOG, &clear);
}
