/* SPDX-License-Identifier: GPL-2.0-only */
/* aarch64: what the guest runtime needs from the port. */
#ifndef KVMETER_GUEST_ARCH_H
#define KVMETER_GUEST_ARCH_H

#include <guest/types.h>

/* Where the guest maps the page that no memslot backs; a store there exits. */
#define ARCH_UCALL_GVA UINT64_C(0x10000)

static inline u64 arch_stack_pointer(void)
{
	u64 sp;

	__asm__ volatile("mov %0, sp" : "=r"(sp));
	return sp;
}

/* The barrier keeps what was stored before it ahead of the exit. */
static inline void arch_leave_guest(void)
{
	__asm__ volatile("dmb sy\n\t"
			 "str xzr, [%0]"
			 :
			 : "r"(ARCH_UCALL_GVA)
			 : "memory");
}

/* Virtual counter, in ticks of CNTFRQ_EL0. */
static inline u64 arch_counter(void)
{
	u64 ticks;

	__asm__ volatile("isb\n\t"
			 "mrs %0, cntvct_el0"
			 : "=r"(ticks)
			 :
			 : "memory");
	return ticks;
}

static inline void arch_pause(void)
{
	__asm__ volatile("yield" : : : "memory");
}

#endif
