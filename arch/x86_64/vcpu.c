/* SPDX-License-Identifier: GPL-2.0-only */
#include <string.h>

#include "arch.h"
#include "arch_vm.h"
#include "vm.h"
#include <guest_arch.h>

/* SDM vol. 3, 2.3, 2.5 and 2.2.1 (EFER) */
#define RFLAGS_RESERVED BIT(1)
#define RFLAGS_IF BIT(9)
#define RFLAGS_IOPL_3 (UINT64_C(3) << 12)
#define CR0_PE BIT(0)
#define CR0_MP BIT(1)
#define CR0_ET BIT(4)
#define CR0_NE BIT(5)
#define CR0_WP BIT(16)
#define CR0_AM BIT(18)
#define CR0_PG BIT(31)
#define CR4_PAE BIT(5)
#define CR4_LA57 BIT(12)
#define EFER_LME BIT(8)
#define EFER_LMA BIT(10)
#define EFER_NX BIT(11)

/* IA32_APIC_BASE: SDM vol. 3, 10.12.1 */
#define APIC_BASE_X2APIC (BIT(11) | BIT(10))

/*
 * Task state segment: SDM vol. 3, figure 8-11 and vol. 1, 19.5.2. Its I/O
 * bitmap lets user mode reach the ucall port where IOPL does not: PVM drops
 * IOPL from RFLAGS with the first exit.
 */
#define TSS_RSP0 4
#define TSS_IOMAP_BASE 102
#define TSS_IOMAP 104
#define TSS_IOMAP_BYTES                                      \
	(ARCH_UCALL_PORT / 8 + 2) /* and a last byte of ones \
				   */
#define TSS_BYTES (TSS_IOMAP + TSS_IOMAP_BYTES)
#define TSS_OFFSET GUEST_AREA_PAGE /* in the area, below the trap stack */

static const struct kvm_segment user_cs = {
	.limit = ~0U,
	.selector = SELECTOR_USER_CS,
	.type = 11,
	.present = 1,
	.dpl = 3,
	.s = 1,
	.l = 1,
	.g = 1,
};

static const struct kvm_segment user_ds = {
	.limit = ~0U,
	.selector = SELECTOR_USER_DS,
	.type = 3,
	.present = 1,
	.dpl = 3,
	.db = 1,
	.s = 1,
	.g = 1,
};

/* Where exceptions from user mode find their stack; one port is open. */
static u64 init_tss(struct vcpu *vcpu)
{
	u8 *tss = (u8 *)vcpu->area + TSS_OFFSET;
	u64 rsp0 = vcpu->area_gva + GUEST_TRAP_STACK_TOP;
	u16 iomap = TSS_IOMAP;

	memcpy(tss + TSS_RSP0, &rsp0, sizeof(rsp0));
	memcpy(tss + TSS_IOMAP_BASE, &iomap, sizeof(iomap));
	memset(tss + TSS_IOMAP, 0xff, TSS_IOMAP_BYTES);
	tss[TSS_IOMAP + ARCH_UCALL_PORT / 8] &= ~BIT(ARCH_UCALL_PORT % 8);
	return vcpu->area_gva + TSS_OFFSET;
}

static void init_sregs(struct vcpu *vcpu)
{
	const struct arch_vm *arch = vcpu->vm->arch;
	struct kvm_sregs sregs;

	kvm_ioctl(vcpu->fd, KVM_GET_SREGS, &sregs);
	sregs.cs = user_cs;
	sregs.ss = user_ds;
	sregs.ds = user_ds;
	sregs.es = user_ds;
	sregs.fs = user_ds;
	sregs.gs = user_ds;
	sregs.gdt.base = arch->gdt_gva;
	sregs.gdt.limit = arch->gdt_limit;
	sregs.idt.base = arch->idt_gva;
	sregs.idt.limit = arch->idt_limit;
	sregs.tr = (struct kvm_segment){
		.base = init_tss(vcpu),
		.limit = TSS_BYTES - 1,
		.selector = SELECTOR_TSS,
		.type = 11,
		.present = 1,
	};
	sregs.ldt = (struct kvm_segment){ .unusable = 1, .type = 2 };
	sregs.cr0 = CR0_PE | CR0_MP | CR0_ET | CR0_NE | CR0_WP | CR0_AM |
		    CR0_PG;
	sregs.cr3 = vm_gpa(vcpu->vm, arch->root);
	sregs.cr4 = CR4_PAE | (arch->levels == 5 ? CR4_LA57 : 0);
	sregs.efer = EFER_LME | EFER_LMA | EFER_NX;
	if (vcpu->vm->async_pf)
		sregs.apic_base |= APIC_BASE_X2APIC;
	kvm_ioctl(vcpu->fd, KVM_SET_SREGS, &sregs);
}

void arch_vcpu_init(struct vcpu *vcpu)
{
	struct kvm_regs regs = {
		.rip = vcpu->vm->image.entry,
		.rsp = vcpu->area_gva + GUEST_AREA_BYTES,
		.rdi = vcpu->area_gva,
		.rflags = RFLAGS_RESERVED | RFLAGS_IOPL_3,
	};

	kvm_ioctl(vcpu->fd, KVM_SET_CPUID2, &vcpu->vm->arch->cpuid);
	init_sregs(vcpu);
	if (vcpu->vm->async_pf) {
		async_pf_init_vcpu(vcpu);
		regs.rflags |= RFLAGS_IF;
	}
	kvm_ioctl(vcpu->fd, KVM_SET_REGS, &regs);
}

bool arch_is_ucall(const struct kvm_run *run)
{
	return run->exit_reason == KVM_EXIT_IO &&
	       run->io.port == ARCH_UCALL_PORT &&
	       run->io.direction == KVM_EXIT_IO_OUT;
}

int arch_vcpu_pc(struct vcpu *vcpu, u64 *pc)
{
	struct kvm_regs regs;
	int error = __kvm_ioctl(vcpu->fd, KVM_GET_REGS, &regs);

	if (!error)
		*pc = regs.rip;
	return error;
}

int arch_vcpu_dump(struct vcpu *vcpu, FILE *out)
{
	struct kvm_regs r;
	struct kvm_sregs s;
	int error = __kvm_ioctl(vcpu->fd, KVM_GET_REGS, &r);

	if (!error)
		error = __kvm_ioctl(vcpu->fd, KVM_GET_SREGS, &s);
	if (error)
		return error;
	fprintf(out,
		"rax %016llx  rbx %016llx  rcx %016llx  rdx %016llx\n"
		"rsi %016llx  rdi %016llx  rbp %016llx  rsp %016llx\n"
		"r8  %016llx  r9  %016llx  r10 %016llx  r11 %016llx\n"
		"r12 %016llx  r13 %016llx  r14 %016llx  r15 %016llx\n"
		"rip %016llx  rflags %llx  cs %x (CPL %u)  cr0 %llx  cr2 %llx  "
		"cr3 %llx  cr4 %llx  efer %llx\n",
		r.rax, r.rbx, r.rcx, r.rdx, r.rsi, r.rdi, r.rbp, r.rsp, r.r8,
		r.r9, r.r10, r.r11, r.r12, r.r13, r.r14, r.r15, r.rip, r.rflags,
		s.cs.selector, s.cs.selector & 3, s.cr0, s.cr2, s.cr3, s.cr4,
		s.efer);
	return 0;
}

const char *arch_exit_name(const struct kvm_run *run)
{
	switch (run->exit_reason) {
	case KVM_EXIT_SHUTDOWN:
		return "triple fault (KVM_EXIT_SHUTDOWN)";
	case KVM_EXIT_IO:
		return "access to an I/O port (KVM_EXIT_IO)";
	default:
		return NULL;
	}
}
