/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * aarch64: a vCPU at EL1 with 4K pages and 48-bit addresses that stores to each
 * page and leaves by a store where no memslot is. An exception reads there
 * instead, which the neutral half reports.
 */
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "../../bare.h"

/* X0: first page, X1: number of pages, X2: LEAVE */
__asm__(".pushsection .rodata, \"a\"\n"
	"	.balign	4\n"
	"bare_guest:\n"
	"1:	str	xzr, [x2]\n"
	"	mov	x3, x0\n"
	"	mov	x4, x1\n"
	"2:	str	x4, [x3]\n"
	"	add	x3, x3, #4096\n"
	"	subs	x4, x4, #1\n"
	"	b.ne	2b\n"
	"	b	1b\n"
	"bare_guest_end:\n"
	"bare_vector:\n"
	"	ldr	x3, [x2]\n"
	".popsection\n");
extern const uint8_t bare_guest[] __attribute__((visibility("hidden")));
extern const uint8_t bare_guest_end[] __attribute__((visibility("hidden")));
extern const uint8_t bare_vector[] __attribute__((visibility("hidden")));

/* Pages of control memory; tables are handed out from TABLES on. */
enum { CODE, VECTORS, ROOT, TABLES };

#define VECTOR_BYTES 128
#define LEAVE (BARE_CONTROL_GPA - BARE_PAGE)

/* Arm ARM D8.3: valid, table or page, inner shareable, accessed; MAIR index */
#define ENTRY_VALID 0x1
#define ENTRY_TABLE 0x3
#define ENTRY_LEAF 0x701
#define ENTRY_PAGE 0x2
#define ENTRY_NORMAL 0x4
#define ENTRY_NO_EXECUTE (UINT64_C(3) << 53)
#define ENTRY_ADDRESS UINT64_C(0x0000fffffffff000)

/* Arm ARM D19.2: device nGnRnE and normal memory; 48 bits of 4K pages, write
 * back, 40 bits of physical address, no TTBR1; MMU and caches; EL1h, masked */
#define MAIR 0xff00
#define TCR UINT64_C(0x200803510)
#define SCTLR 0x1005
#define PSTATE 0x3c5
#define IPA_BITS 48

#define SYSTEM(op1, crn, crm, op2) ARM64_SYS_REG(3, op1, crn, crm, op2)
#define CORE(member)                                           \
	(KVM_REG_ARM64 | KVM_REG_SIZE_U64 | KVM_REG_ARM_CORE | \
	 KVM_REG_ARM_CORE_REG(member))

static uint64_t gpa_of(uint64_t page)
{
	return BARE_CONTROL_GPA + page * BARE_PAGE;
}

static uint64_t *table_at(const struct bare *b, uint64_t gpa)
{
	return (uint64_t *)(b->control + (gpa - BARE_CONTROL_GPA));
}

/* @level counts from 1, whose entries map 4K. */
static void map(const struct bare *b, uint64_t gva, uint64_t leaf,
		unsigned int leaf_level)
{
	static uint64_t used = TABLES;
	uint64_t *table = table_at(b, gpa_of(ROOT));
	uint64_t *entry;

	for (unsigned int level = 4;; level--) {
		entry = &table[gva >> (12 + 9 * (level - 1)) & 511];
		if (level == leaf_level)
			break;
		if (!*entry)
			*entry = gpa_of(used++) | ENTRY_TABLE;
		table = table_at(b, *entry & ENTRY_ADDRESS);
	}
	*entry = leaf | ENTRY_LEAF | (leaf_level == 1 ? ENTRY_PAGE : 0);
}

static void map_memory(const struct bare *b)
{
	uint64_t large = UINT64_C(0x200000);
	uint64_t at = 0;

	map(b, gpa_of(CODE), gpa_of(CODE) | ENTRY_NORMAL, 1);
	map(b, gpa_of(VECTORS), gpa_of(VECTORS) | ENTRY_NORMAL, 1);
	map(b, LEAVE, LEAVE | ENTRY_NO_EXECUTE, 1);
	while (at < b->bytes) {
		bool fits = b->guest_page >= large && b->bytes - at >= large;

		map(b, BARE_GVA + at, (BARE_GPA + at) | ENTRY_NORMAL,
		    fits ? 2 : 1);
		at += fits ? large : BARE_PAGE;
	}
}

static void set(const struct bare *b, uint64_t id, uint64_t value)
{
	struct kvm_one_reg reg = { .id = id, .addr = (uintptr_t)&value };

	bare_ioctl(b->vcpu, "KVM_SET_ONE_REG", KVM_SET_ONE_REG, &reg);
}

static uint64_t get(const struct bare *b, uint64_t id)
{
	uint64_t value;
	struct kvm_one_reg reg = { .id = id, .addr = (uintptr_t)&value };

	bare_ioctl(b->vcpu, "KVM_GET_ONE_REG", KVM_GET_ONE_REG, &reg);
	return value;
}

/* As many bits as page_table_test asks for; 0 where KVM knows 40 only. */
unsigned long bare_arch_vm_type(void)
{
	int kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);
	int bits = ioctl(kvm, KVM_CHECK_EXTENSION, KVM_CAP_ARM_VM_IPA_SIZE);

	close(kvm);
	if (bits <= 0)
		return 0;
	return KVM_VM_TYPE_ARM_IPA_SIZE(bits < IPA_BITS ? bits : IPA_BITS);
}

static void init_registers(const struct bare *b)
{
	uint64_t sctlr = SYSTEM(0, 1, 0, 0);

	set(b, SYSTEM(0, 10, 2, 0), MAIR);
	set(b, SYSTEM(0, 2, 0, 2), TCR);
	set(b, SYSTEM(0, 2, 0, 0), gpa_of(ROOT));
	set(b, SYSTEM(0, 12, 0, 0), gpa_of(VECTORS));
	set(b, sctlr, get(b, sctlr) | SCTLR);
	set(b, CORE(regs.pstate), PSTATE);
	set(b, CORE(regs.pc), gpa_of(CODE));
	set(b, CORE(regs.regs[0]), BARE_GVA);
	set(b, CORE(regs.regs[1]), b->bytes / BARE_PAGE);
	set(b, CORE(regs.regs[2]), LEAVE);
}

void bare_arch_init(const struct bare *b)
{
	struct kvm_vcpu_init init;

	memcpy(b->control + CODE * BARE_PAGE, bare_guest,
	       bare_guest_end - bare_guest);
	for (uint64_t at = 0; at < BARE_PAGE; at += VECTOR_BYTES)
		memcpy(b->control + VECTORS * BARE_PAGE + at, bare_vector, 4);
	map_memory(b);
	bare_ioctl(b->vm, "KVM_ARM_PREFERRED_TARGET", KVM_ARM_PREFERRED_TARGET,
		   &init);
	bare_ioctl(b->vcpu, "KVM_ARM_VCPU_INIT", KVM_ARM_VCPU_INIT, &init);
	init_registers(b);
}

bool bare_arch_left(const struct kvm_run *run)
{
	return run->exit_reason == KVM_EXIT_MMIO && run->mmio.is_write &&
	       run->mmio.phys_addr == LEAVE;
}
