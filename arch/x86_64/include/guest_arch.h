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

/* Whole words; the two must not overlap. One instruction: see guest.mk. */
static inline void arch_copy_words(u64 *to, const u64 *from, u64 words)
{
	__asm__ volatile("rep movsq"
			 : "+D"(to), "+S"(from), "+c"(words)
			 :
			 : "memory");
}

static inline void arch_pause(void)
{
	__asm__ volatile("pause" : : : "memory");
}

/* An access that KVM may have to emulate, to hand it to user space. */
static inline u64 arch_device_load(u64 gva)
{
	u64 value;

	__asm__ volatile("movq (%1), %0" : "=r"(value) : "r"(gva) : "memory");
	return value;
}

static inline void arch_device_store(u64 gva, u64 value)
{
	__asm__ volatile("movq %0, (%1)" : : "r"(value), "r"(gva) : "memory");
}

/* Does nothing, in one instruction. */
static inline void arch_nop(void)
{
	__asm__ volatile("nop");
}

/*
 * Goes on with the thread whose stack pointer is @to, until another call names
 * *@from. Registers that calls may change are lost.
 */
void arch_switch(u64 *from, u64 to);

/* The stack pointer of a thread that begins in fn(), which does not return. */
static inline u64 arch_switch_frame(u64 stack_top, void (*fn)(void))
{
	/* as if fn() had been called (System V ABI 3.2.2): the return address,
	 * below it what arch_switch() takes off */
	u64 *sp = (u64 *)ALIGN_DOWN(stack_top, 16) - 2;

	*sp = (u64)fn;
	for (int i = 0; i < 6; i++)
		*--sp = 0;
	return (u64)sp;
}

#endif
