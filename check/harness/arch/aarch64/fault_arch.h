/* SPDX-License-Identifier: GPL-2.0-only */
/* aarch64: ways for a guest to break, and rows for them in fault_test's table.
 */
#ifndef KVMETER_FAULT_ARCH_H
#define KVMETER_FAULT_ARCH_H

#define ARCH_FAULTS(row)                                                      \
	row("undefined", run_round, "guest_undefined")                        \
		row("breakpoint", run_round, "guest_breakpoint")              \
			row("supervisor-call", run_round, "guest_supervisor") \
				row("stack-alignment", run_round,             \
				    "guest_stack_alignment")

#ifdef KVMETER_GUEST

/* 0: the guest's kernel, where the workload runs as well. */
static inline u64 arch_privilege(void)
{
	u64 el;

	__asm__ volatile("mrs %0, CurrentEL" : "=r"(el));
	return el != 1 << 2;
}
#define ARCH_WORKLOAD_PRIVILEGE 0

/*
 * A load from @address that must fault, and whose handler must skip it, with a
 * bit of its own in each register from x2 to x28. Returns their sum and 1.
 */
#define ARCH_LOAD_BYTES 4
#define ARCH_REGISTERS_SUM (BIT(28) - 1)
static u64 arch_load_among_registers(u64 address)
{
	register u64 sum __asm__("x0") = 1;
	register u64 from __asm__("x1") = address;

	__asm__ volatile(".irp i, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, "
			 "15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, "
			 "28\n\t"
			 "mov x\\i, #1 << (\\i - 1)\n\t"
			 ".endr\n\t"
			 "ldr x0, [x1]\n\t"
			 ".irp i, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, "
			 "15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, "
			 "28\n\t"
			 "add x0, x0, x\\i\n\t"
			 ".endr"
			 : "+r"(sum)
			 : "r"(from)
			 : "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9",
			   "x10", "x11", "x12", "x13", "x14", "x15", "x16",
			   "x17", "x18", "x19", "x20", "x21", "x22", "x23",
			   "x24", "x25", "x26", "x27", "x28", "memory");
	return sum;
}

GUEST_FUNCTION(guest_undefined)
{
	(void)cpu;
	__asm__ volatile("udf #0");
}

GUEST_FUNCTION(guest_breakpoint)
{
	(void)cpu;
	__asm__ volatile("brk #0x123");
}

GUEST_FUNCTION(guest_supervisor)
{
	(void)cpu;
	__asm__ volatile("svc #0");
}

GUEST_FUNCTION(guest_stack_alignment)
{
	(void)cpu;
	__asm__ volatile("sub x9, sp, #8; mov sp, x9; str xzr, [sp]"
			 :
			 :
			 : "x9", "memory");
}

#endif
#endif
