/* SPDX-License-Identifier: GPL-2.0-only */
/* KVM has no asynchronous page faults here: arch_async_pf_missing(). */
#include <guest/guest.h>

void guest_async_pf_enable(struct guest_cpu *cpu)
{
	(void)cpu;
	guest_fail(__FILE__, __LINE__, "asynchronous page faults", 0, 0);
}

void guest_async_pf_disable(struct guest_cpu *cpu)
{
	(void)cpu;
}

void guest_async_pf_idle(struct guest_cpu *cpu)
{
	(void)cpu;
	guest_fail(__FILE__, __LINE__, "nothing would end this sleep", 0, 0);
}
