/* SPDX-License-Identifier: GPL-2.0-only */
#include <guest/guest.h>

/* What the vectors in entry.S have stored. */
struct trap_frame {
	u64 regs[31];
	u64 vector;
	u64 reserved[2];
};
_Static_assert(sizeof(struct trap_frame) == 272, "FRAME_BYTES of entry.S");

void guest_trap(const struct trap_frame *frame);

#define read_sysreg(name)                                          \
	__extension__({                                            \
		u64 value_;                                        \
		__asm__ volatile("mrs %0, " #name : "=r"(value_)); \
		value_;                                            \
	})

void guest_trap(const struct trap_frame *frame)
{
	struct guest_cpu *cpu = guest_cpu();
	struct guest_trap *trap = &cpu->trap;

	trap->cause = frame->vector;
	trap->syndrome = read_sysreg(esr_el1);
	trap->address = read_sysreg(far_el1);
	trap->pc = read_sysreg(elr_el1);
	if (guest_trap_is_handled(cpu)) {
		__asm__ volatile("msr elr_el1, %0" : : "r"(trap->pc));
		return;
	}
	trap->sp = read_sysreg(sp_el0);
	trap->flags = read_sysreg(spsr_el1);
	for (u32 i = 0; i < ARRAY_SIZE(frame->regs); i++)
		trap->regs[i] = frame->regs[i];
	for (;;)
		guest_ucall(UCALL_TRAP);
}

/* The workload is in the kernel's exception level already. */
u64 guest_kernel_call(u64 (*fn)(u64 arg), u64 arg)
{
	return fn(arg);
}
