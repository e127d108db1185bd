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

#else

#include "vm.h"

/* Of arch_counter(): KVM gives the guest the host's own. */
static inline u64 arch_counter_hz(const struct vm *vm)
{
	u64 hz;

	(void)vm;
	__asm__ volatile("mrs %0, cntfrq_el0" : "=r"(hz));
	return hz;
}

#endif
#endif
