/* SPDX-License-Identifier: GPL-2.0-only */
/* Exceptions in words: Arm ARM D19.2.37 (ESR_EL1). */
#include "arch.h"

#define ESR_CLASS(esr) ((esr) >> 26 & 0x3f)
#define ESR_FAULT_STATUS(esr) ((esr)&0x3f)
#define ESR_WRITE BIT(6)	/* of data aborts */
#define ESR_FAR_INVALID BIT(10) /* of aborts */

#define CLASS_FETCH_LOWER 0x20
#define CLASS_FETCH 0x21
#define CLASS_PC_ALIGNMENT 0x22
#define CLASS_DATA_LOWER 0x24
#define CLASS_DATA 0x25

static const char *const classes[64] = {
	[0x00] = "unknown reason (undefined instruction)",
	[0x01] = "trapped WFI or WFE",
	[0x07] = "trapped FP or SIMD access",
	[0x0e] = "illegal execution state",
	[0x11] = "SVC from AArch32",
	[0x15] = "SVC",
	[0x16] = "HVC",
	[0x17] = "SMC",
	[0x18] = "trapped system register access",
	[0x19] = "trapped SVE access",
	[0x1c] = "pointer authentication failure",
	[CLASS_FETCH_LOWER] = "instruction abort from EL0",
	[CLASS_FETCH] = "instruction abort",
	[CLASS_PC_ALIGNMENT] = "misaligned PC",
	[CLASS_DATA_LOWER] = "data abort from EL0",
	[CLASS_DATA] = "data abort",
	[0x26] = "misaligned stack pointer",
	[0x2c] = "trapped FP exception",
	[0x2f] = "SError",
	[0x30] = "breakpoint from EL0",
	[0x31] = "breakpoint",
	[0x32] = "single step from EL0",
	[0x33] = "single step",
	[0x34] = "watchpoint from EL0",
	[0x35] = "watchpoint",
	[0x3c] = "BRK",
};

static const char *const statuses[64] = {
	[0x00] = "address size fault, level 0",
	[0x01] = "address size fault, level 1",
	[0x02] = "address size fault, level 2",
	[0x03] = "address size fault, level 3",
	[0x04] = "translation fault, level 0",
	[0x05] = "translation fault, level 1",
	[0x06] = "translation fault, level 2",
	[0x07] = "translation fault, level 3",
	[0x08] = "access flag fault, level 0",
	[0x09] = "access flag fault, level 1",
	[0x0a] = "access flag fault, level 2",
	[0x0b] = "access flag fault, level 3",
	[0x0c] = "permission fault, level 0",
	[0x0d] = "permission fault, level 1",
	[0x0e] = "permission fault, level 2",
	[0x0f] = "permission fault, level 3",
	[0x10] = "synchronous external abort",
	[0x11] = "synchronous tag check fault",
	[0x13] = "synchronous external abort on a table walk, level -1",
	[0x14] = "synchronous external abort on a table walk, level 0",
	[0x15] = "synchronous external abort on a table walk, level 1",
	[0x16] = "synchronous external abort on a table walk, level 2",
	[0x17] = "synchronous external abort on a table walk, level 3",
	[0x21] = "alignment fault",
	[0x29] = "address size fault, level -1",
	[0x2b] = "translation fault, level -1",
	[0x30] = "TLB conflict abort",
	[0x31] = "unsupported atomic update of a descriptor",
	[0x34] = "lockdown fault",
	[0x35] = "unsupported exclusive or atomic access",
};

/* Of guest_vectors: four origins of four kinds each. */
static const char *const kinds[] = { "synchronous exception", "IRQ", "FIQ",
				     "SError" };
static const char *const origins[] = { "EL1t", "EL1h", "EL0 (AArch64)",
				       "EL0 (AArch32)" };

const char *const arch_trap_regs[] = {
	"x0",  "x1",  "x2",  "x3",  "x4",  "x5",  "x6",	 "x7",
	"x8",  "x9",  "x10", "x11", "x12", "x13", "x14", "x15",
	"x16", "x17", "x18", "x19", "x20", "x21", "x22", "x23",
	"x24", "x25", "x26", "x27", "x28", "x29", "x30", NULL,
};

static bool is_abort(u64 esr)
{
	u64 class = ESR_CLASS(esr);

	return class == CLASS_FETCH || class == CLASS_FETCH_LOWER ||
	       class == CLASS_DATA || class == CLASS_DATA_LOWER;
}

void arch_trap_describe(const struct guest_trap *trap, FILE *out)
{
	u64 esr = trap->syndrome;
	u64 class = ESR_CLASS(esr);
	const char *status = statuses[ESR_FAULT_STATUS(esr)];

	fprintf(out, "%s (ESR class %#llx, ESR %#llx, %s from %s)",
		classes[class] ? classes[class] : "reserved class",
		(unsigned long long)class, (unsigned long long)esr,
		kinds[trap->cause % 4], origins[trap->cause / 4 % 4]);
	if (!is_abort(esr))
		return;
	fprintf(out, ": %s", status ? status : "reserved fault status");
	if (class == CLASS_DATA || class == CLASS_DATA_LOWER)
		fprintf(out, " by a %s", esr & ESR_WRITE ? "write" : "read");
}

bool arch_trap_has_address(const struct guest_trap *trap)
{
	u64 esr = trap->syndrome;

	return (is_abort(esr) && !(esr & ESR_FAR_INVALID)) ||
	       ESR_CLASS(esr) == CLASS_PC_ALIGNMENT;
}
