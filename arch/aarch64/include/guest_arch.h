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

/* Whole words; the two must not overlap. No loop that becomes a memcpy(). */
static inline void arch_copy_words(u64 *to, const u64 *from, u64 words)
{
	while (words--) {
		*to++ = *from++;
		__asm__ volatile("" : : : "memory");
	}
}

static inline void arch_pause(void)
{
	__asm__ volatile("yield" : : : "memory");
}

/*
 * An access that KVM may have to hand to user space: one register, and the
 * address in another that stays, so that the syndrome describes it (Arm ARM
 * D19.2.37, ISS encoding for data aborts, ISV).
 */
static inline u64 arch_device_load(u64 gva)
{
	u64 value;

	__asm__ volatile("ldr %0, [%1]" : "=r"(value) : "r"(gva) : "memory");
	return value;
}

static inline void arch_device_store(u64 gva, u64 value)
{
	__asm__ volatile("str %0, [%1]" : : "r"(value), "r"(gva) : "memory");
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
	/* X19 to X30, as arch_switch() takes them off */
	u64 *sp = (u64 *)ALIGN_DOWN(stack_top, 16);

	*--sp = (u64)fn;
	for (int i = 19; i < 30; i++)
		*--sp = 0;
	return (u64)sp;
}

#endif
