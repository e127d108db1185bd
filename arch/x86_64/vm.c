/* SPDX-License-Identifier: GPL-2.0-only */
/* The guest's descriptor tables: SDM vol. 3, 3.4.5 and 6.14; APM vol. 2, 4.8.
 */
#include <stdlib.h>
#include <string.h>

#include "arch.h"
#include "arch_cpu.h"
#include "arch_vm.h"
#include "kvm_module.h"
#include "util.h"
#include "vcpu.h"
#include "vm.h"

#define VECTORS 256
#define STUB_BYTES 16 /* of guest_trap_stubs in guest/entry.S */
#define VECTOR_BP 3   /* the kernel gate */
#define GATE_INTERRUPT 0xe
#define GATE_PRESENT 0x80

/* Segments of 64-bit mode, where base and limit do not matter. */
#define DESCRIPTOR_KERNEL_CS UINT64_C(0x00af9b000000ffff)
#define DESCRIPTOR_KERNEL_DS UINT64_C(0x00cf93000000ffff)
#define DESCRIPTOR_USER_DS UINT64_C(0x00cff3000000ffff)
#define DESCRIPTOR_USER_CS UINT64_C(0x00affb000000ffff)

struct gate {
	u16 offset_low;
	u16 selector;
	u8 ist;
	u8 type;
	u16 offset_middle;
	u32 offset_high;
	u32 reserved;
};
_Static_assert(sizeof(struct gate) == 16, "SDM vol. 3, figure 6-8");

static void init_gdt(struct vm *vm)
{
	/* the TSS is given to each vCPU by KVM_SET_SREGS, not by LTR */
	static const u64 descriptors[] = {
		[SELECTOR_KERNEL_CS / 8] = DESCRIPTOR_KERNEL_CS,
		[SELECTOR_KERNEL_DS / 8] = DESCRIPTOR_KERNEL_DS,
		[SELECTOR_USER_DS / 8] = DESCRIPTOR_USER_DS,
		[SELECTOR_USER_CS / 8] = DESCRIPTOR_USER_CS,
		[SELECTOR_TSS / 8] = 0,
		[SELECTOR_TSS / 8 + 1] = 0,
	};
	u64 *gdt = vm_alloc(vm, sizeof(descriptors), 16);

	memcpy(gdt, descriptors, sizeof(descriptors));
	vm->arch->gdt_gva = vm_gva(vm, gdt);
	vm->arch->gdt_limit = sizeof(descriptors) - 1;
}

void set_gate(struct vm *vm, unsigned int vector, u64 entry)
{
	u8 dpl = vector == VECTOR_BP ? 3 : 0;

	vm->arch->idt[vector] = (struct gate){
		.offset_low = entry,
		.selector = SELECTOR_KERNEL_CS,
		.type = GATE_PRESENT | dpl << 5 | GATE_INTERRUPT,
		.offset_middle = entry >> 16,
		.offset_high = entry >> 32,
	};
}

static void init_idt(struct vm *vm)
{
	u64 bytes = VECTORS * sizeof(struct gate);
	u64 stubs = vm_function(vm, "guest_trap_stubs");

	vm->arch->idt = vm_alloc(vm, bytes, 16);
	for (unsigned int i = 0; i < VECTORS; i++)
		set_gate(vm, i, stubs + (u64)i * STUB_BYTES);
	vm->arch->idt_gva = vm_gva(vm, vm->arch->idt);
	vm->arch->idt_limit = bytes - 1;
}

void arch_vm_init(struct vm *vm)
{
	struct arch_vm *arch = xcalloc(1, sizeof(*arch));

	vm->arch = arch;
	cpuid_get(vm->kvm_fd, &arch->cpuid);
	arch->has_1g = cpuid_has(&arch->cpuid, CPUID_PAGE_1G);
	arch->levels = vm->mode->va_bits > 48 ? 5 : 4;
	arch->root = vm_alloc(vm, 4096, 4096);
	init_gdt(vm);
	init_idt(vm);
	if (vm->async_pf)
		async_pf_init_vm(vm);
}

const char *arch_eager_split_missing(int kvm_fd, u64 bytes)
{
	(void)kvm_fd;
	(void)bytes;
	return "here it is a parameter of the module for all VMs: set "
	       "kvm.eager_page_split instead";
}

void arch_eager_split(struct vm *vm, u64 bytes)
{
	(void)vm;
	(void)bytes;
}

u64 arch_counter_hz(const struct vm *vm)
{
	return kvm_ioctl(vm->vcpus[0].fd, KVM_GET_TSC_KHZ, 0) * UINT64_C(1000);
}

void arch_vm_start(struct vm *vm)
{
	(void)vm;
}

void arch_vm_fini(struct vm *vm)
{
	free(vm->arch);
}

static const struct {
	u64 bytes;
	const char *stat;
} stage2_sizes[] = {
	{ KIB(4), "pages_4k" },
	{ MIB(2), "pages_2m" },
	{ GIB(1), "pages_1g" },
};

unsigned int arch_stage2_sizes(u64 bytes[ARCH_BLOCK_SIZES])
{
	for (unsigned int i = 0; i < ARRAY_SIZE(stage2_sizes); i++)
		bytes[i] = stage2_sizes[i].bytes;
	return ARRAY_SIZE(stage2_sizes);
}

const char *arch_mapping_stat(unsigned int size)
{
	return stage2_sizes[size].stat;
}

const struct arch_fault_source *arch_fault_source(void)
{
	return NULL;
}

const char *arch_fault_stat(void)
{
	return "pf_fixed";
}

bool arch_log_off_rebuilds(void)
{
	return true;
}

bool arch_read_fault_logs(void)
{
	return true;
}

/* Page modification logging: Intel SDM vol. 3, "Page-Modification Logging". */
bool arch_cpu_buffers_dirty_pages(void)
{
	return kvm_module_switch("", "pml");
}

/* KVM's module says that the hardware walks two dimensions. */
static bool has_two_dimensional_paging(void)
{
	return kvm_module_switch("", "ept") || kvm_module_switch("", "npt");
}

/*
 * KVM maps a block no larger than what the host's own page tables hold, and,
 * where it shadows the guest's tables, no larger than theirs.
 */
u64 arch_stage2_block(const struct vm *vm, u64 host_page_bytes,
		      u64 guest_page_bytes)
{
	u64 guest[ARCH_BLOCK_SIZES], size[ARCH_BLOCK_SIZES];
	unsigned int nr_guest = arch_block_sizes(vm, guest);
	unsigned int nr = arch_stage2_sizes(size);
	u64 limit = host_page_bytes;

	if (!has_two_dimensional_paging()) {
		limit = min_u64(limit, guest_page_bytes);
		limit = min_u64(limit, guest[nr_guest - 1]);
	}
	while (nr > 1 && size[nr - 1] > limit)
		nr--;
	return size[nr - 1];
}
