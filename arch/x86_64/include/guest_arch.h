/* SPDX-License-Identifier: GPL-2.0-only */
/* x86_64: what the guest runtime needs from the port. */
#ifndef KVMETER_GUEST_ARCH_H
#define KVMETER_GUEST_ARCH_H

#include <guest/types.h>

/* The I/O port that means "ucall"; nothing real decodes it. */
#define ARCH_UCALL_PORT 0xf4

static inline u64 arch_stack_pointer(void)
{
	u64 sp;

	__asm__ volatile("mov %%rsp, %0" : "=r"(sp));
	return sp;
}

/* Works in user mode: IOPL is 3, and the TSS opens the port. */
static inline void arch_leave_guest(void)
{
	__asm__ volatile("outb %%al, %0"
			 :
			 : "i"(ARCH_UCALL_PORT), "a"(0)
			 : "memory");
}

/* Time stamp counter, in ticks of KVM_GET_TSC_KHZ. */
static inline u64 arch_counter(void)
{
	u32 low, high;

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high) : : "memory");
	return (u64)high << 32 | low;
}

static inline void arch_pause(void)
{
	__asm__ volatile("pause" : : : "memory");
}

#endif
