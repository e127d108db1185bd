/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "dirty_ring.h"
#include "mode.h"
#include "remedy.h"
#include "util.h"
#include "vcpu.h"

struct dirty_ring {
	struct kvm_dirty_gfn *entry;
	u32 nr; /* a power of two */
	u32 next;
};

/* The one with defined memory ordering, where KVM has both. */
static int ring_capability(int kvm_fd)
{
	return kvm_has(kvm_fd, KVM_CAP_DIRTY_LOG_RING_ACQ_REL) ?
		       KVM_CAP_DIRTY_LOG_RING_ACQ_REL :
		       KVM_CAP_DIRTY_LOG_RING;
}

u32 dirty_ring_max(int kvm_fd)
{
	return kvm_has(kvm_fd, ring_capability(kvm_fd)) /
	       sizeof(struct kvm_dirty_gfn);
}

bool dirty_ring_has_bitmap(int kvm_fd)
{
	return kvm_has(kvm_fd, KVM_CAP_DIRTY_LOG_RING_WITH_BITMAP);
}

static size_t ring_bytes(u32 entries)
{
	return entries * sizeof(struct kvm_dirty_gfn);
}

static struct kvm_enable_cap ring_of(int kvm_fd, u32 entries)
{
	return (struct kvm_enable_cap){
		.cap = ring_capability(kvm_fd),
		.args = { ring_bytes(entries) },
	};
}

bool dirty_ring_fits(int kvm_fd, u32 entries)
{
	struct kvm_enable_cap ring = ring_of(kvm_fd, entries);
	int vm_fd = kvm_ioctl(kvm_fd, KVM_CREATE_VM,
			      arch_vm_type(kvm_fd, mode_find(NULL)));
	int error = __kvm_ioctl(vm_fd, KVM_ENABLE_CAP, &ring);

	close(vm_fd);
	return error != -EINVAL;
}

void dirty_ring_enable(struct vm *vm, const struct vm_tracking *tracking)
{
	struct kvm_enable_cap ring =
		ring_of(vm->kvm_fd, tracking->ring_entries);
	struct kvm_enable_cap with_bitmap = {
		.cap = KVM_CAP_DIRTY_LOG_RING_WITH_BITMAP,
	};

	kvm_ioctl(vm->fd, KVM_ENABLE_CAP, &ring);
	if (tracking->ring_bitmap)
		kvm_ioctl(vm->fd, KVM_ENABLE_CAP, &with_bitmap);
}

void dirty_ring_create(struct vcpu *vcpu, u32 entries)
{
	struct dirty_ring *ring = xcalloc(1, sizeof(*ring));

	ring->nr = entries;
	ring->entry = mmap(NULL, ring_bytes(entries), PROT_READ | PROT_WRITE,
			   MAP_SHARED, vcpu->fd,
			   KVM_DIRTY_LOG_PAGE_OFFSET * sysconf(_SC_PAGESIZE));
	if (ring->entry == MAP_FAILED)
		die("mapping the dirty ring of vCPU %u, %u entries: %s",
		    vcpu->index, entries, errno_text(errno));
	vcpu->ring = ring;
}

void dirty_ring_free(struct vcpu *vcpu)
{
	if (!vcpu->ring)
		return;
	munmap(vcpu->ring->entry, ring_bytes(vcpu->ring->nr));
	free(vcpu->ring);
	vcpu->ring = NULL;
}

/*
 * KVM fills an entry before it marks it as dirty; KVM must not see it marked
 * for reset before it has been read.
 */
u32 dirty_ring_harvest(struct vcpu *vcpu,
		       void (*page)(void *arg, u32 slot_id, u64 page),
		       void *arg)
{
	struct dirty_ring *ring = vcpu->ring;
	u32 nr;

	for (nr = 0;; nr++) {
		struct kvm_dirty_gfn *e =
			&ring->entry[ring->next & (ring->nr - 1)];

		if (!(__atomic_load_n(&e->flags, __ATOMIC_ACQUIRE) &
		      KVM_DIRTY_GFN_F_DIRTY))
			return nr;
		page(arg, e->slot, e->offset);
		__atomic_store_n(&e->flags, KVM_DIRTY_GFN_F_RESET,
				 __ATOMIC_RELEASE);
		ring->next++;
	}
}

int __dirty_ring_reset(struct vm *vm)
{
	return __kvm_ioctl(vm->fd, KVM_RESET_DIRTY_RINGS, 0);
}
