/* SPDX-License-Identifier: GPL-2.0-only */
#include <guest/guest.h>
#include "async_pf_area.h"

/* Documentation/virt/kvm/x86/msr.rst, MSR_KVM_ASYNC_PF_EN */
#define ASYNC_PF_ENABLED BIT(0)
#define ASYNC_PF_DELIVERY_AS_INT BIT(3)

/* SDM vol. 3, 10.9: spurious vector and the APIC's software switch. */
#define SVR_ENABLED 0x1ff

/* As async_pf_entry.S has them. */
#define IN_CPU(member) offsetof(struct guest_cpu, async_pf.member)
_Static_assert(IN_CPU(since) == 1032, "SINCE");
_Static_assert(IN_CPU(busy) == 1040, "BUSY");
_Static_assert(IN_CPU(not_present) == 1044, "NOT_PRESENT");
_Static_assert(IN_CPU(head) == 1048, "HEAD");
_Static_assert(IN_CPU(ready) == 1056, "READY");
_Static_assert(ASYNC_PF_READY_MAX == 128, "READY_MAX");
_Static_assert(GUEST_AREA_BYTES == 16384, "AREA_BYTES");

static void write_msr(u32 msr, u64 value)
{
	__asm__ volatile("wrmsr"
			 :
			 : "c"(msr), "a"((u32)value), "d"((u32)(value >> 32))
			 : "memory");
}

/* Without SEND_ALWAYS: events come to user mode only, where the threads are. */
static u64 enable(u64 shared_gpa)
{
	write_msr(MSR_X2APIC_SVR, SVR_ENABLED);
	write_msr(MSR_KVM_ASYNC_PF_INT, ASYNC_PF_VECTOR);
	write_msr(MSR_KVM_ASYNC_PF_EN,
		  shared_gpa | ASYNC_PF_ENABLED | ASYNC_PF_DELIVERY_AS_INT);
	return 0;
}

static u64 disable(u64 arg)
{
	write_msr(MSR_KVM_ASYNC_PF_EN, 0);
	return arg;
}

/* Interrupts stay off until HLT has begun (SDM vol. 2, STI). */
static u64 sleep(u64 arg)
{
	const struct guest_async_pf *a = (const struct guest_async_pf *)arg;

	if (READ_ONCE(a->head) == a->tail)
		__asm__ volatile("sti\n\thlt\n\tcli" : : : "memory");
	return 0;
}

void guest_async_pf_enable(struct guest_cpu *cpu)
{
	guest_kernel_call(enable, cpu->async_pf.shared_gpa);
}

void guest_async_pf_disable(struct guest_cpu *cpu)
{
	(void)cpu;
	guest_kernel_call(disable, 0);
}

void guest_async_pf_idle(struct guest_cpu *cpu)
{
	guest_kernel_call(sleep, (u64)&cpu->async_pf);
}
