/* SPDX-License-Identifier: GPL-2.0-only */
/* Exceptions in words: SDM vol. 3, table 6-1 and 4.7; APM vol. 2, 8.2. */
#include "arch.h"

#define VECTOR_TS 10
#define VECTOR_NP 11
#define VECTOR_SS 12
#define VECTOR_GP 13
#define VECTOR_PF 14

/* Error code of a page fault. */
#define PF_PRESENT BIT(0)
#define PF_WRITE BIT(1)
#define PF_USER BIT(2)
#define PF_RESERVED BIT(3)
#define PF_FETCH BIT(4)

/* Error code of a fault on a descriptor. */
#define SELECTOR_EXTERNAL BIT(0)
#define SELECTOR_IDT BIT(1)

static const struct {
	const char *mnemonic, *name;
} vectors[] = {
	[0] = { "#DE", "divide error" },
	[1] = { "#DB", "debug exception" },
	[2] = { "NMI", "non-maskable interrupt" },
	[3] = { "#BP", "breakpoint" },
	[4] = { "#OF", "overflow" },
	[5] = { "#BR", "bound range exceeded" },
	[6] = { "#UD", "invalid opcode" },
	[7] = { "#NM", "device not available" },
	[8] = { "#DF", "double fault" },
	[VECTOR_TS] = { "#TS", "invalid TSS" },
	[VECTOR_NP] = { "#NP", "segment not present" },
	[VECTOR_SS] = { "#SS", "stack fault" },
	[VECTOR_GP] = { "#GP", "general protection" },
	[VECTOR_PF] = { "#PF", "page fault" },
	[16] = { "#MF", "x87 floating-point error" },
	[17] = { "#AC", "alignment check" },
	[18] = { "#MC", "machine check" },
	[19] = { "#XM", "SIMD floating-point error" },
	[20] = { "#VE", "virtualization exception" },
	[21] = { "#CP", "control protection" },
	[28] = { "#HV", "hypervisor injection" },
	[29] = { "#VC", "VMM communication" },
	[30] = { "#SX", "security exception" },
};

const char *const arch_trap_regs[] = {
	"rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "r8",
	"r9",  "r10", "r11", "r12", "r13", "r14", "r15", NULL,
};

static void describe_page_fault(u64 error, FILE *out)
{
	const char *access = error & PF_FETCH ? "instruction fetch from" :
			     error & PF_WRITE ? "write to" :
						"read of";
	const char *page = error & PF_RESERVED ? "an entry with reserved bits" :
			   error & PF_PRESENT  ? "a protected page" :
						 "an unmapped page";

	fprintf(out, ": %s %s %s", error & PF_USER ? "user" : "kernel", access,
		page);
}

static void describe_selector(u64 error, FILE *out)
{
	if (!error)
		return;
	fprintf(out, ": %s %llu%s",
		error & SELECTOR_IDT ? "IDT entry" : "descriptor",
		(unsigned long long)(error & 0xffff) >> 3,
		error & SELECTOR_EXTERNAL ? ", external event" : "");
}

void arch_trap_describe(const struct guest_trap *trap, FILE *out)
{
	u64 v = trap->cause;
	bool known = v < ARRAY_SIZE(vectors) && vectors[v].name;

	fprintf(out, "%s (%s, vector %llu, error code %#llx)",
		known ? vectors[v].name : "interrupt",
		known ? vectors[v].mnemonic : "external", (unsigned long long)v,
		(unsigned long long)trap->syndrome);
	if (v == VECTOR_PF)
		describe_page_fault(trap->syndrome, out);
	else if (v >= VECTOR_TS && v <= VECTOR_GP)
		describe_selector(trap->syndrome, out);
}

bool arch_trap_has_address(const struct guest_trap *trap)
{
	return trap->cause == VECTOR_PF;
}
