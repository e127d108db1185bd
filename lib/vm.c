/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "dirty_ring.h"
#include "populate.h"
#include "quirks.h"
#include "remedy.h"
#include "rlimit.h"
#include "units.h"
#include "util.h"
#include "vm.h"

/* Address space only: pages come as vm_alloc() hands them out. */
#define CONTROL_RESERVE_BYTES GIB(16)
#define CONTROL_PAGE 4096
#define CONTROL_SLOT 0
/* Grows by the largest page that a host or a guest may have. */
#define CONTROL_UNIT KIB(64)

/*
 * /dev/kvm, VM, statistics, files of backing and results, kernel's log,
 * userfaultfd, tracepoints.
 */
#define OWN_FILES 24
/* The delays of the thread. */
#define HOST_THREAD_FILES 1
/* Of a thread: stack, allocator's arena, struct kvm_run, dirty ring. */
#define VCPU_SPACE_BYTES MIB(2)
/* Program and libraries, arenas, alignment to the largest page. */
#define SPARE_SPACE_BYTES GIB(2)
/* Up to which descriptors are looked for that others have left open. */
#define INHERITED_MAX 4096

static u64 open_files(void)
{
	u64 nr = 0;

	/* of any number: the limit may have been lowered since */
	for (int fd = 0; fd < INHERITED_MAX; fd++)
		nr += fcntl(fd, F_GETFD) >= 0;
	return nr;
}

/*
 * For each vCPU a descriptor, and perhaps one of its statistics and one of the
 * delays of its thread.
 */
u64 vm_files_needed(u64 nr_vcpus)
{
	return open_files() + 3 * nr_vcpus + OWN_FILES;
}

static void check_limits(const struct vm_needs *needs)
{
	u64 threads = (u64)needs->nr_vcpus + needs->host_threads;
	u64 files = vm_files_needed(needs->nr_vcpus) +
		    needs->host_threads * HOST_THREAD_FILES +
		    (threads + 1) * needs->more_files;
	u64 space = CONTROL_RESERVE_BYTES + SPARE_SPACE_BYTES +
		    threads * VCPU_SPACE_BYTES + ALIGN_UP(needs->bytes, GIB(1));
	char *why;

	limit_raise(LIMIT_FILES, files);
	why = limit_missing(LIMIT_FILES, files);
	if (why && needs->host_threads)
		skip("--vcpus %u and %u more host threads: %s, or choose fewer",
		     needs->nr_vcpus, needs->host_threads, why);
	if (why)
		skip("--vcpus %u: %s, or choose fewer", needs->nr_vcpus, why);
	why = limit_missing(LIMIT_ADDRESS_SPACE, space);
	if (why)
		skip("%s", why);
}

static void check_limit(int kvm_fd, int capability, const char *option,
			unsigned int nr, unsigned int own)
{
	unsigned int max = kvm_has(kvm_fd, capability);

	if (max && nr + own > max)
		skip("--%s %u: this KVM has at most %u: choose fewer", option,
		     nr, max - own);
}

static void create_vcpu(struct vm *vm, u32 index)
{
	struct vcpu *vcpu = &vm->vcpus[index];

	vcpu->vm = vm;
	vcpu->index = index;
	vcpu->fd = kvm_ioctl(vm->fd, KVM_CREATE_VCPU, index);
	vcpu->run = mmap(NULL, vm->run_bytes, PROT_READ | PROT_WRITE,
			 MAP_SHARED, vcpu->fd, 0);
	if (vcpu->run == MAP_FAILED)
		die("mapping struct kvm_run of vCPU %u: %s", index,
		    errno_text(errno));
	vcpu->area = vm_alloc(vm, GUEST_AREA_BYTES, GUEST_AREA_BYTES);
	vcpu->area_gva = vm_gva(vm, vcpu->area);
	vcpu->area->index = index;
	vcpu->area->nr_cpus = vm->nr_vcpus;
}

static void create_control(struct vm *vm, const struct vm_config *cfg)
{
	vm->control = mmap(NULL, CONTROL_RESERVE_BYTES, PROT_NONE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (vm->control == MAP_FAILED)
		die("reserving %llu bytes of address space for control memory: "
		    "%s: raise the limit (ulimit -v)",
		    (unsigned long long)CONTROL_RESERVE_BYTES, strerror(errno));
	/* its mappings are to be 4K ones, so that they can be told apart */
	madvise(vm->control, CONTROL_RESERVE_BYTES, MADV_NOHUGEPAGE);
	image_init(&vm->image, cfg->image, cfg->image_bytes);
	image_load(&vm->image, vm_alloc(vm, vm->image.bytes, CONTROL_PAGE));
}

static void check_eager_split(int kvm_fd, u64 bytes)
{
	const char *missing;
	char size[UNIT_LEN];

	if (bytes == VM_NO_EAGER_SPLIT)
		return;
	missing = arch_eager_split_missing(kvm_fd, bytes);
	if (missing)
		skip("--eager-split %s: %s", format_size(size, bytes), missing);
}

unsigned int vm_require(const struct vm_needs *needs)
{
	int kvm_fd = kvm_open();
	const char *missing = arch_mode_missing(kvm_fd, needs->mode);
	unsigned int pa_bits;

	if (missing)
		skip("--mode %s: %s", needs->mode->name, missing);
	check_limit(kvm_fd, KVM_CAP_MAX_VCPUS, "vcpus", needs->nr_vcpus, 0);
	if (!kvm_has(kvm_fd, KVM_CAP_NR_MEMSLOTS))
		skip("KVM_CAP_NR_MEMSLOTS: this KVM has no memslots: another "
		     "kernel is needed");
	/* one slot is that of control memory */
	check_limit(kvm_fd, KVM_CAP_NR_MEMSLOTS, "slots", needs->nr_slots, 1);
	check_eager_split(kvm_fd, needs->eager_split);
	quirks_require(kvm_fd, needs->disable_quirks);
	check_limits(needs);
	pa_bits = arch_pa_bits(kvm_fd, needs->mode);
	close(kvm_fd);
	return pa_bits;
}

static void init_slot_ids(struct vm *vm)
{
	u32 id;

	id_pool_init(&vm->slot_ids, kvm_has(vm->fd, KVM_CAP_NR_MEMSLOTS));
	if (!id_pool_take(&vm->slot_ids, &id) || id != CONTROL_SLOT)
		die("KVM_CAP_NR_MEMSLOTS: this KVM has no memslots");
}

struct vm *vm_create(const struct vm_config *cfg)
{
	struct vm *vm = xcalloc(1, sizeof(*vm));

	vm->mode = cfg->mode;
	vm->nr_vcpus = cfg->nr_vcpus;
	vm->async_pf = cfg->async_pf;
	vm->kvm_fd = kvm_open();
	vm->pa_bits = arch_pa_bits(vm->kvm_fd, cfg->mode);
	vm->fd = kvm_ioctl(vm->kvm_fd, KVM_CREATE_VM,
			   arch_vm_type(vm->kvm_fd, cfg->mode));
	vm->run_bytes = kvm_ioctl(vm->kvm_fd, KVM_GET_VCPU_MMAP_SIZE, 0);
	vm->stats = kvm_stats_open(vm->fd);
	init_slot_ids(vm);
	if (cfg->eager_split != VM_NO_EAGER_SPLIT)
		arch_eager_split(vm, cfg->eager_split);
	if (cfg->tracking.ring_entries)
		dirty_ring_enable(vm, &cfg->tracking);
	quirks_disable(vm->fd, cfg->disable_quirks);
	create_control(vm, cfg);
	arch_vm_init(vm);
	vm->vcpus = xcalloc(cfg->nr_vcpus, sizeof(*vm->vcpus));
	for (u32 i = 0; i < cfg->nr_vcpus; i++)
		create_vcpu(vm, i);
	for (u32 i = 0; cfg->tracking.ring_entries && i < cfg->nr_vcpus; i++)
		dirty_ring_create(&vm->vcpus[i], cfg->tracking.ring_entries);
	return vm;
}

void vm_free(struct vm *vm)
{
	if (!vm)
		return;
	for (u32 i = 0; i < vm->nr_vcpus; i++) {
		kvm_stats_close(vm->vcpus[i].stats);
		dirty_ring_free(&vm->vcpus[i]);
		munmap(vm->vcpus[i].run, vm->run_bytes);
		close(vm->vcpus[i].fd);
	}
	kvm_stats_close(vm->stats);
	arch_vm_fini(vm);
	close(vm->fd);
	close(vm->kvm_fd);
	munmap(vm->control, CONTROL_RESERVE_BYTES);
	id_pool_fini(&vm->slot_ids);
	free(vm->vcpus);
	free(vm->mmio);
	free(vm);
}

void *vm_alloc(struct vm *vm, u64 bytes, u64 align)
{
	u64 from = ALIGN_UP(vm->control_used, align);
	u64 to = from + bytes;

	if (vm->started)
		die("control memory is fixed once the VM has started");
	if (bytes > CONTROL_RESERVE_BYTES || to > CONTROL_RESERVE_BYTES)
		die("%llu bytes of control memory: only %llu are reserved",
		    (unsigned long long)to,
		    (unsigned long long)CONTROL_RESERVE_BYTES);
	if (mprotect(vm->control, ALIGN_UP(to, CONTROL_UNIT),
		     PROT_READ | PROT_WRITE))
		die("%llu bytes of control memory: %s: choose smaller --bytes "
		    "or --vcpus",
		    (unsigned long long)to, strerror(errno));
	vm->control_used = to;
	return vm->control + from;
}

u64 vm_gva(const struct vm *vm, const void *control)
{
	return IMAGE_GVA + ((const u8 *)control - vm->control);
}

u64 vm_gpa(const struct vm *vm, const void *control)
{
	return CONTROL_GPA + ((const u8 *)control - vm->control);
}

void *vm_hva(const struct vm *vm, u64 gva, u64 bytes)
{
	u64 offset = gva - IMAGE_GVA;

	if (gva < IMAGE_GVA || offset > vm->control_used ||
	    bytes > vm->control_used - offset)
		return NULL;
	return vm->control + offset;
}

void *vm_symbol(const struct vm *vm, const char *name, u64 bytes)
{
	u64 gva, found;

	if (!image_find(&vm->image, name, &gva, &found))
		die("the guest image has no symbol '%s'", name);
	if (found != bytes)
		die("guest symbol '%s' has %llu bytes, the host expects %llu",
		    name, (unsigned long long)found, (unsigned long long)bytes);
	return vm_hva(vm, gva, bytes);
}

u64 vm_function(const struct vm *vm, const char *name)
{
	u64 gva, bytes;

	if (!image_find(&vm->image, name, &gva, &bytes))
		die("the guest image has no function '%s'", name);
	return gva;
}

void vm_map(struct vm *vm, u64 gva, u64 gpa, u64 bytes, u64 max_block)
{
	u64 size[ARCH_BLOCK_SIZES];
	unsigned int nr = arch_block_sizes(vm, size);

	while (bytes) {
		unsigned int i = nr - 1;

		while (i && (size[i] > max_block || size[i] > bytes ||
			     !IS_ALIGNED(gva | gpa, size[i])))
			i--;
		arch_map_block(vm, gva, gpa, size[i]);
		gva += size[i];
		gpa += size[i];
		bytes -= min_u64(bytes, size[i]);
	}
}

/*
 * The tables that map control memory lie in control memory: each round maps
 * what the last one added.
 */
static void map_control(struct vm *vm)
{
	while (vm->control_mapped < vm->control_used) {
		u64 from = vm->control_mapped;
		/* a slot is made of the host's pages, tables of the mode's */
		u64 to = ALIGN_UP(vm->control_used, CONTROL_UNIT);

		vm->control_mapped = to;
		for (u64 at = from; at < to; at += vm->mode->page_bytes) {
			u64 in_areas = at - vm_gpa(vm, vm->vcpus[0].area) +
				       CONTROL_GPA;

			if (in_areas < (u64)vm->nr_vcpus * GUEST_AREA_BYTES &&
			    in_areas % GUEST_AREA_BYTES == GUEST_GUARD_OFFSET)
				continue;
			arch_map_block(vm, IMAGE_GVA + at, CONTROL_GPA + at,
				       vm->mode->page_bytes);
		}
	}
}

static void add_control_slot(struct vm *vm)
{
	struct kvm_userspace_memory_region region = {
		.slot = CONTROL_SLOT,
		.guest_phys_addr = CONTROL_GPA,
		.memory_size = vm->control_mapped,
		.userspace_addr = (u64)vm->control,
	};

	keep_mapped(vm->control, vm->control_mapped);
	populate(vm->control, vm->control_mapped, CONTROL_PAGE);
	kvm_ioctl(vm->fd, KVM_SET_USER_MEMORY_REGION, &region);
}

void vm_start(struct vm *vm)
{
	map_control(vm);
	add_control_slot(vm);
	vm->started = true;
	vm->vcpus[0].area->touch = IMAGE_GVA;
	vm->vcpus[0].area->touch_bytes = vm->control_mapped;
	for (u32 i = 0; i < vm->nr_vcpus; i++)
		arch_vcpu_init(&vm->vcpus[i]);
	arch_vm_start(vm);
}

/* All vCPUs have them, or none. */
static void close_vcpu_stats(struct vm *vm)
{
	for (u32 i = 0; i < vm->nr_vcpus; i++) {
		kvm_stats_close(vm->vcpus[i].stats);
		vm->vcpus[i].stats = NULL;
	}
}

bool vm_vcpu_stats(struct vm *vm)
{
	for (u32 i = 0; i < vm->nr_vcpus; i++) {
		struct vcpu *vcpu = &vm->vcpus[i];

		if (!vcpu->stats)
			vcpu->stats = kvm_stats_open(vcpu->fd);
		if (!vcpu->stats) {
			close_vcpu_stats(vm);
			return false;
		}
	}
	return true;
}
