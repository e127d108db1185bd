/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * x86_64: a vCPU at CPL 3 in 4-level paging that stores to each page and
 * leaves by OUT. Without a descriptor table for exceptions: one that happens
 * is a triple fault, which the neutral half reports.
 */
#include <stdlib.h>
#include <string.h>

#include "../../bare.h"

#define PORT 0xf4

/* RBX and RDX stay: address of the first page and number of pages. */
__asm__(".pushsection .rodata, \"a\"\n"
	"bare_guest:\n"
	"1:	outb	%al, $0xf4\n"
	"	mov	%rbx, %rdi\n"
	"	mov	%rdx, %rcx\n"
	"2:	mov	%rcx, (%rdi)\n"
	"	add	$4096, %rdi\n"
	"	dec	%rcx\n"
	"	jnz	2b\n"
	"	jmp	1b\n"
	"bare_guest_end:\n"
	".popsection\n");
extern const uint8_t bare_guest[] __attribute__((visibility("hidden")));
extern const uint8_t bare_guest_end[] __attribute__((visibility("hidden")));

/* Pages of control memory; tables are handed out from TABLES on. */
enum { CODE, TSS, ROOT, TABLES };

/* SDM vol. 3, 4.5: present, write, user, accessed; dirty; large */
#define ENTRY_TABLE 0x27
#define ENTRY_LEAF 0x67
#define ENTRY_LARGE 0x80
#define ENTRY_ADDRESS UINT64_C(0x000ffffffffff000)

/* SDM vol. 3, figure 8-11: offset of the I/O bitmap, and the bitmap */
#define TSS_IOMAP_BASE 102
#define TSS_IOMAP 104
#define TSS_BYTES (TSS_IOMAP + PORT / 8 + 2)

/* SDM vol. 3, 2.3, 2.5 and 2.2.1: PE MP ET NE WP AM PG, PAE, LME LMA NX */
#define CR0 0x80050033
#define CR4 0x20
#define EFER 0xd00
#define RFLAGS_IOPL_3 0x3002

#define CPUID_ENTRIES 256

static uint64_t gpa_of(uint64_t page)
{
	return BARE_CONTROL_GPA + page * BARE_PAGE;
}

static uint64_t *table_at(const struct bare *b, uint64_t gpa)
{
	return (uint64_t *)(b->control + (gpa - BARE_CONTROL_GPA));
}

/* @level counts from 1, whose entries map 4K. */
static void map(const struct bare *b, uint64_t gva, uint64_t gpa,
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
	*entry = gpa | ENTRY_LEAF | (leaf_level > 1 ? ENTRY_LARGE : 0);
}

static void map_memory(const struct bare *b)
{
	uint64_t large = UINT64_C(0x200000);
	uint64_t at = 0;

	map(b, gpa_of(CODE), gpa_of(CODE), 1);
	map(b, gpa_of(TSS), gpa_of(TSS), 1);
	while (at < b->bytes) {
		bool fits = b->guest_page >= large && b->bytes - at >= large;

		map(b, BARE_GVA + at, BARE_GPA + at, fits ? 2 : 1);
		at += fits ? large : BARE_PAGE;
	}
}

/* One port is open. IOPL 3 is not enough: PVM drops it at the first exit. */
static void init_tss(uint8_t *tss)
{
	uint16_t base = TSS_IOMAP;

	memcpy(tss + TSS_IOMAP_BASE, &base, sizeof(base));
	memset(tss + TSS_IOMAP, 0xff, TSS_BYTES - TSS_IOMAP);
	tss[TSS_IOMAP + PORT / 8] &= ~(1 << PORT % 8);
}

static void init_cpuid(const struct bare *b)
{
	struct kvm_cpuid2 *cpuid;

	cpuid = calloc(1, sizeof(*cpuid) +
				  CPUID_ENTRIES * sizeof(cpuid->entries[0]));
	if (!cpuid)
		abort();
	cpuid->nent = CPUID_ENTRIES;
	bare_ioctl(b->kvm, "KVM_GET_SUPPORTED_CPUID", KVM_GET_SUPPORTED_CPUID,
		   cpuid);
	bare_ioctl(b->vcpu, "KVM_SET_CPUID2", KVM_SET_CPUID2, cpuid);
	free(cpuid);
}

static void init_sregs(const struct bare *b)
{
	struct kvm_segment code = { .limit = ~0U,
				    .selector = 0x20 | 3,
				    .type = 11,
				    .present = 1,
				    .dpl = 3,
				    .s = 1,
				    .l = 1,
				    .g = 1 };
	struct kvm_segment data = { .limit = ~0U,
				    .selector = 0x18 | 3,
				    .type = 3,
				    .present = 1,
				    .dpl = 3,
				    .db = 1,
				    .s = 1,
				    .g = 1 };
	struct kvm_sregs sregs;

	bare_ioctl(b->vcpu, "KVM_GET_SREGS", KVM_GET_SREGS, &sregs);
	sregs.cs = code;
	sregs.ds = sregs.es = sregs.fs = sregs.gs = sregs.ss = data;
	sregs.tr = (struct kvm_segment){ .base = gpa_of(TSS),
					 .limit = TSS_BYTES - 1,
					 .selector = 0x28,
					 .type = 11,
					 .present = 1 };
	sregs.ldt = (struct kvm_segment){ .unusable = 1, .type = 2 };
	sregs.cr0 = CR0;
	sregs.cr3 = gpa_of(ROOT);
	sregs.cr4 = CR4;
	sregs.efer = EFER;
	bare_ioctl(b->vcpu, "KVM_SET_SREGS", KVM_SET_SREGS, &sregs);
}

unsigned long bare_arch_vm_type(void)
{
	return 0;
}

void bare_arch_init(const struct bare *b)
{
	struct kvm_regs regs = {
		.rip = gpa_of(CODE),
		.rbx = BARE_GVA,
		.rdx = b->bytes / BARE_PAGE,
		.rflags = RFLAGS_IOPL_3,
	};

	memcpy(b->control + CODE * BARE_PAGE, bare_guest,
	       bare_guest_end - bare_guest);
	init_tss(b->control + TSS * BARE_PAGE);
	map_memory(b);
	init_cpuid(b);
	init_sregs(b);
	bare_ioctl(b->vcpu, "KVM_SET_REGS", KVM_SET_REGS, &regs);
}

bool bare_arch_left(const struct kvm_run *run)
{
	return run->exit_reason == KVM_EXIT_IO && run->io.port == PORT &&
	       run->io.direction == KVM_EXIT_IO_OUT;
}
