/* SPDX-License-Identifier: GPL-2.0-only */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arch.h"
#include "arch_cpu.h"
#include "arch_vm.h"
#include "remedy.h"
#include "util.h"
#include "vm.h"
#include <guest_arch.h>

/* In the window of devices, DEVICE_GPA. */
#define UCALL_GPA DEVICE_GPA
#define GIC_DIST_GPA (DEVICE_GPA + MIB(1))
#define GIC_REDIST_GPA (DEVICE_GPA + MIB(2))
#define GIC_IRQS 64 /* the 32 private ones and 32 shared */

/* One region for all: Documentation/virt/kvm/devices/arm-vgic-v3.rst. */
#define GIC_REDIST_COUNT(nr) ((u64)(nr) << 52)

static int set_attribute(int device_fd, u32 group, u64 attribute, void *value)
{
	struct kvm_device_attr attr = {
		.group = group,
		.attr = attribute,
		.addr = (u64)value,
	};

	return __kvm_ioctl(device_fd, KVM_SET_DEVICE_ATTR, &attr);
}

static void must_set(int device_fd, u32 group, u64 attribute, void *value)
{
	int ret = set_attribute(device_fd, group, attribute, value);

	if (ret)
		die("KVM_SET_DEVICE_ATTR of the GIC (group %u, attribute "
		    "%llu): %s",
		    group, (unsigned long long)attribute, errno_text(-ret));
}

/* A host without GICv3 does without: no benchmark needs interrupts. */
static int create_gic(struct vm *vm)
{
	struct kvm_create_device device = { .type = KVM_DEV_TYPE_ARM_VGIC_V3 };

	return __kvm_ioctl(vm->fd, KVM_CREATE_DEVICE, &device) ? -1 :
								 (int)device.fd;
}

static void init_gic(struct vm *vm)
{
	int fd = vm->arch->gic_fd;
	u64 dist = GIC_DIST_GPA;
	u64 redist = GIC_REDIST_GPA | GIC_REDIST_COUNT(vm->nr_vcpus);
	u32 irqs = GIC_IRQS;

	must_set(fd, KVM_DEV_ARM_VGIC_GRP_NR_IRQS, 0, &irqs);
	must_set(fd, KVM_DEV_ARM_VGIC_GRP_ADDR, KVM_VGIC_V3_ADDR_TYPE_DIST,
		 &dist);
	must_set(fd, KVM_DEV_ARM_VGIC_GRP_ADDR,
		 KVM_VGIC_V3_ADDR_TYPE_REDIST_REGION, &redist);
	must_set(fd, KVM_DEV_ARM_VGIC_GRP_CTRL, KVM_DEV_ARM_VGIC_CTRL_INIT,
		 NULL);
}

void arch_vm_init(struct vm *vm)
{
	struct arch_vm *arch = xcalloc(1, sizeof(*arch));
	u64 page = vm->mode->page_bytes;

	vm->arch = arch;
	arch->lpa2 = vm->pa_bits > 48 && page != KIB(64);
	arch->root = vm_alloc(vm, page, page);
	arch->vectors_gva = vm_function(vm, "guest_vectors");
	arch->gic_fd = create_gic(vm);
	map_one(vm, ARCH_UCALL_GVA, UCALL_GPA, page, MEMORY_DEVICE);
}

static int enable_eager_split(int vm_fd, u64 bytes)
{
	struct kvm_enable_cap cap = {
		.cap = KVM_CAP_ARM_EAGER_SPLIT_CHUNK_SIZE,
		.args = { bytes },
	};

	return __kvm_ioctl(vm_fd, KVM_ENABLE_CAP, &cap);
}

/* KVM_CHECK_EXTENSION says 0 until a size is set: only trying tells. */
const char *arch_eager_split_missing(int kvm_fd, u64 bytes)
{
	int vm_fd = cpu_probe_vm(kvm_fd);
	int ret = enable_eager_split(vm_fd, bytes);

	close(vm_fd);
	return ret ? "this KVM does not take that chunk size "
		     "(KVM_CAP_ARM_EAGER_SPLIT_CHUNK_SIZE, Linux 6.6): choose a "
		     "block size such as 2M" :
		     NULL;
}

void arch_eager_split(struct vm *vm, u64 bytes)
{
	int ret = enable_eager_split(vm->fd, bytes);

	if (ret)
		die("KVM_ENABLE_CAP (KVM_CAP_ARM_EAGER_SPLIT_CHUNK_SIZE, "
		    "%llu): %s",
		    (unsigned long long)bytes, errno_text(-ret));
}

const char *arch_async_pf_missing(int kvm_fd)
{
	(void)kvm_fd;
	return "KVM has no asynchronous page faults on arm64";
}

/* CNTFRQ_EL0 is the same for host and guests. */
u64 arch_counter_hz(const struct vm *vm)
{
	u64 hz;

	(void)vm;
	__asm__ volatile("mrs %0, cntfrq_el0" : "=r"(hz));
	return hz;
}

void arch_vm_start(struct vm *vm)
{
	if (vm->arch->gic_fd >= 0)
		init_gic(vm);
}

void arch_vm_fini(struct vm *vm)
{
	if (!vm->arch)
		return;
	if (vm->arch->gic_fd >= 0)
		close(vm->arch->gic_fd);
	free(vm->arch);
}

unsigned int arch_stage2_sizes(u64 bytes[ARCH_BLOCK_SIZES])
{
	u64 page = sysconf(_SC_PAGESIZE);
	unsigned int bits = level_bits(page);

	bytes[0] = page;
	bytes[1] = page << bits;
	bytes[2] = page << 2 * bits;
	/* KVM makes blocks of the third size with 4K pages only */
	return page == KIB(4) ? 3 : 2;
}

/* The hardware walks both stages: the guest's own blocks do not matter. */
u64 arch_stage2_block(const struct vm *vm, u64 host_page_bytes,
		      u64 guest_page_bytes)
{
	u64 size[ARCH_BLOCK_SIZES];
	unsigned int nr = arch_stage2_sizes(size);

	(void)vm;
	(void)guest_page_bytes;
	while (nr > 1 && size[nr - 1] > host_page_bytes)
		nr--;
	return size[nr - 1];
}

/* arm64's KVM does not count its mappings. */
const char *arch_mapping_stat(unsigned int size)
{
	(void)size;
	return NULL;
}

static const char *const exits[] = { "exits", NULL };
static const char *const other_exits[] = { "mmio_exit_user",
					   "mmio_exit_kernel",
					   "signal_exits",
					   "hvc_exit_stat",
					   "wfe_exit_stat",
					   "wfi_exit_stat",
					   NULL };

/*
 * ESR_EL2: Arm ARM D19.2.37. Data aborts (class 0x24, not 0x20) by translation
 * and permission, neither access flag nor instruction fetch, of which text
 * brings some; and those at level 3, where the entries are pages.
 */
#define DATA_ABORTS "hsr & 4 && hsr & 0x10000000"
#define AT_LEVEL_3 "hsr & 1 && hsr & 2"
/* DEVICE_GPA and CONTROL_GPA_END: memory under test lies elsewhere. */
#define OF_TEST_MEMORY "(ipa < 0x100000000 || ipa >= 0x200000000)"
static_assert(DEVICE_GPA == 0x100000000 && CONTROL_GPA_END == 0x200000000,
	      "OF_TEST_MEMORY");

const struct arch_fault_source *arch_fault_source(void)
{
	static const struct arch_fault_source source = {
		.tracepoint = "kvm/kvm_guest_fault",
		.filter = DATA_ABORTS " && " OF_TEST_MEMORY,
		.page_filter = DATA_ABORTS " && " OF_TEST_MEMORY
					   " && " AT_LEVEL_3,
		.exits = exits,
		.other_exits = other_exits,
	};

	return &source;
}

const char *arch_fault_stat(void)
{
	return NULL;
}

bool arch_log_off_rebuilds(void)
{
	return false;
}

bool arch_read_fault_logs(void)
{
	return false;
}

bool arch_cpu_buffers_dirty_pages(void)
{
	return false;
}
