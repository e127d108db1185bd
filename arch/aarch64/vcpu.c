/* SPDX-License-Identifier: GPL-2.0-only */
#include "arch.h"
#include "arch_cpu.h"
#include "arch_vm.h"
#include "vm.h"

/* Arm ARM C5.2.19 (SPSR_EL1): EL1t, all interrupts masked. */
#define PSTATE_EL1T UINT64_C(0x3c4)

/* Arm ARM D19.2.119 (SCTLR_EL1) */
#define SCTLR_M BIT(0)
#define SCTLR_C BIT(2)
#define SCTLR_I BIT(12)
#define SCTLR_WXN BIT(19)

/* Arm ARM D19.2.139 (TCR_EL1) */
#define TCR_T0SZ(va_bits) (UINT64_C(64) - (va_bits))
#define TCR_IRGN0_WRITE_BACK BIT(8)
#define TCR_ORGN0_WRITE_BACK BIT(10)
#define TCR_SH0_INNER (UINT64_C(3) << 12)
#define TCR_TG0_4K (UINT64_C(0) << 14)
#define TCR_TG0_64K (UINT64_C(1) << 14)
#define TCR_TG0_16K (UINT64_C(2) << 14)
#define TCR_EPD1 BIT(23)
#define TCR_IPS_SHIFT 32
#define TCR_DS BIT(59)

/* MAIR_EL1: index 0 device nGnRnE, index 1 normal, write back, allocating. */
#define MAIR ((UINT64_C(0xff) << 8 * MEMORY_NORMAL) | UINT64_C(0x00))

static u64 granule_field(u64 page_bytes)
{
	switch (page_bytes) {
	case KIB(16):
		return TCR_TG0_16K;
	case KIB(64):
		return TCR_TG0_64K;
	default:
		return TCR_TG0_4K;
	}
}

/* TCR_EL1.IPS: the smallest size that holds so many bits. */
static u64 ips_field(unsigned int pa_bits)
{
	static const unsigned int sizes[] = { 32, 36, 40, 42, 44, 48, 52 };
	u64 i = 0;

	while (i < ARRAY_SIZE(sizes) - 1 && sizes[i] < pa_bits)
		i++;
	return i << TCR_IPS_SHIFT;
}

static u64 tcr_of(const struct vm *vm)
{
	return TCR_T0SZ(vm->mode->va_bits) | TCR_IRGN0_WRITE_BACK |
	       TCR_ORGN0_WRITE_BACK | TCR_SH0_INNER | TCR_EPD1 |
	       granule_field(vm->mode->page_bytes) | ips_field(vm->pa_bits) |
	       (vm->arch->lpa2 ? TCR_DS : 0);
}

void arch_vcpu_init(struct vcpu *vcpu)
{
	const struct vm *vm = vcpu->vm;
	u64 sctlr;

	cpu_init(vm->fd, vcpu->fd);
	reg_set(vcpu->fd, SYS_MAIR_EL1, MAIR);
	reg_set(vcpu->fd, SYS_TCR_EL1, tcr_of(vm));
	reg_set(vcpu->fd, SYS_TTBR0_EL1, vm_gpa(vm, vm->arch->root));
	reg_set(vcpu->fd, SYS_VBAR_EL1, vm->arch->vectors_gva);
	sctlr = reg_get(vcpu->fd, SYS_SCTLR_EL1);
	reg_set(vcpu->fd, SYS_SCTLR_EL1,
		(sctlr | SCTLR_M | SCTLR_C | SCTLR_I) & ~SCTLR_WXN);

	reg_set(vcpu->fd, CORE_REG(regs.pstate), PSTATE_EL1T);
	reg_set(vcpu->fd, CORE_REG(regs.sp), vcpu->area_gva + GUEST_AREA_BYTES);
	reg_set(vcpu->fd, CORE_REG(sp_el1),
		vcpu->area_gva + GUEST_TRAP_STACK_TOP);
	reg_set(vcpu->fd, CORE_REG(regs.pc), vm->image.entry);
	reg_set(vcpu->fd, CORE_REG(regs.regs[0]), vcpu->area_gva);
}

/* The one page that no memslot backs and the guest maps for it. */
bool arch_is_ucall(const struct kvm_run *run)
{
	return run->exit_reason == KVM_EXIT_MMIO && run->mmio.is_write &&
	       run->mmio.phys_addr == DEVICE_GPA;
}

int arch_vcpu_pc(struct vcpu *vcpu, u64 *pc)
{
	return reg_try(vcpu->fd, CORE_REG(regs.pc), pc);
}

int arch_vcpu_dump(struct vcpu *vcpu, FILE *out)
{
	static const struct {
		const char *name;
		u64 id;
	} others[] = {
		{ "pc", CORE_REG(regs.pc) },
		{ "sp_el0", CORE_REG(regs.sp) },
		{ "sp_el1", CORE_REG(sp_el1) },
		{ "pstate", CORE_REG(regs.pstate) },
		{ "esr_el1", SYS_ESR_EL1 },
		{ "far_el1", SYS_FAR_EL1 },
		{ "ttbr0_el1", SYS_TTBR0_EL1 },
		{ "sctlr_el1", SYS_SCTLR_EL1 },
	};
	u64 x0 = CORE_REG(regs.regs[0]);
	u64 step = CORE_REG(regs.regs[1]) - x0;
	u64 value = 0;
	int error = 0;

	for (unsigned int i = 0; !error && i < 31; i++) {
		error = reg_try(vcpu->fd, x0 + i * step, &value);
		if (!error)
			fprintf(out, "%sx%-2u %016llx", i % 4 ? "  " : "\n", i,
				(unsigned long long)value);
	}
	for (size_t i = 0; !error && i < ARRAY_SIZE(others); i++) {
		error = reg_try(vcpu->fd, others[i].id, &value);
		if (!error)
			fprintf(out, "%s%s %llx", i % 4 ? "  " : "\n",
				others[i].name, (unsigned long long)value);
	}
	return error;
}

const char *arch_exit_name(const struct kvm_run *run)
{
	switch (run->exit_reason) {
	case KVM_EXIT_SYSTEM_EVENT:
		return "PSCI call (KVM_EXIT_SYSTEM_EVENT)";
	case KVM_EXIT_ARM_NISV:
		return "access to a guest physical address without a memslot, "
		       "by an instruction that the CPU does not describe "
		       "(KVM_EXIT_ARM_NISV)";
	default:
		return NULL;
	}
}
