/* SPDX-License-Identifier: GPL-2.0-only */
#include <unistd.h>

#include "dirty.h"
#include "dirty_ring.h"
#include "util.h"

const char *const dirty_mode_names[] = {
	[DIRTY_GET_LOG] = "get-log",
	[DIRTY_CLEAR_LOG] = "clear-log",
	[DIRTY_RING] = "ring",
	[DIRTY_RING_BITMAP] = "ring+bitmap",
	NULL,
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

const char *dirty_mode_missing(int kvm_fd, unsigned int mode)
{
	if (mode == DIRTY_CLEAR_LOG && !dirty_manual_modes(kvm_fd))
		return "this KVM has no KVM_CAP_MANUAL_DIRTY_LOG_PROTECT2 "
		       "(Linux 5.0): get-log is what it has";
	if (dirty_mode_has_rings(mode) && !dirty_ring_max(kvm_fd))
		return "this KVM has no KVM_CAP_DIRTY_LOG_RING (Linux 5.11, "
		       "some architectures later or never)";
	if (mode == DIRTY_RING_BITMAP && !dirty_ring_has_bitmap(kvm_fd))
		return "this KVM has no KVM_CAP_DIRTY_LOG_RING_WITH_BITMAP: "
		       "where vCPUs alone write, ring is enough";
	return NULL;
}

u64 dirty_mode_enable(struct vm *vm, enum dirty_mode mode)
{
	u64 modes = mode == DIRTY_CLEAR_LOG ? dirty_manual_modes(vm->fd) : 0;

	if (modes)
		dirty_enable_manual(vm, modes);
	return modes;
}

bool dirty_valid_chunk(const void *member, const char **why)
{
	*why = "not a multiple of the host's base page";
	return *(const u64 *)member % sysconf(_SC_PAGESIZE) == 0;
}

bool dirty_valid_ring(const void *member, const char **why)
{
	u64 entries = *(const u64 *)member;

	*why = "not a power of two";
	return (entries & (entries - 1)) == 0;
}

static bool has_mode(const struct dirty_options *options, enum dirty_mode mode)
{
	for (unsigned int i = 0; i < options->modes.nr; i++)
		if (options->modes.v[i] == mode)
			return true;
	return !options->modes.nr;
}

void dirty_options_validate(const struct dirty_options *options)
{
	if (!has_mode(options, DIRTY_CLEAR_LOG) &&
	    (options->wait_ms || options->clearers > 1 ||
	     options->chunk_bytes != OPTION_UNSET))
		usage_error("--chunk, --clear-wait and --clearers: there is "
			    "nothing to clear without --log-mode clear-log");
}

void dirty_options_require(const struct dirty_options *options)
{
	int kvm_fd = kvm_open();
	u32 max = dirty_ring_max(kvm_fd);
	bool wanted = max && (has_mode(options, DIRTY_RING) ||
			      has_mode(options, DIRTY_RING_BITMAP));

	if (wanted && options->ring_entries > max)
		skip("--ring-entries %llu: this KVM's rings have at most %u",
		     (unsigned long long)options->ring_entries, max);
	if (wanted && !dirty_ring_fits(kvm_fd, options->ring_entries))
		skip("--ring-entries %llu: this KVM needs more, for a page of "
		     "the host and for what it keeps free",
		     (unsigned long long)options->ring_entries);
	close(kvm_fd);
}

struct vm_tracking dirty_tracking(enum dirty_mode mode,
				  const struct dirty_options *options)
{
	return (struct vm_tracking){
		.ring_entries =
			dirty_mode_has_rings(mode) ? options->ring_entries : 0,
		.ring_bitmap = mode == DIRTY_RING_BITMAP,
	};
}
