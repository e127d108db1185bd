/* SPDX-License-Identifier: GPL-2.0-only */
#include <guest/guest.h>

/* "kvmgate", as in entry.S. */
#define GATE_MAGIC UINT64_C(0x6b766d67617465)

/* What trap_common in entry.S and the CPU have pushed, lowest address first. */
struct trap_frame {
	u64 regs[15]; /* rax rbx rcx rdx rsi rdi rbp r8..r15 */
	u64 vector;
	u64 error;
	u64 rip;
	u64 cs;
	u64 rflags;
	u64 rsp;
	u64 ss;
};

void guest_trap(struct trap_frame *frame);

static u64 read_cr2(void)
{
	u64 cr2;

	__asm__ volatile("mov %%cr2, %0" : "=r"(cr2));
	return cr2;
}

void guest_trap(struct trap_frame *frame)
{
	struct guest_cpu *cpu = guest_cpu();
	struct guest_trap *trap = &cpu->trap;

	trap->cause = frame->vector;
	trap->syndrome = frame->error;
	trap->address = read_cr2();
	trap->pc = frame->rip;
	if (guest_trap_is_handled(cpu)) {
		frame->rip = trap->pc;
		return;
	}
	trap->sp = frame->rsp;
	trap->flags = frame->rflags;
	for (u32 i = 0; i < ARRAY_SIZE(frame->regs); i++)
		trap->regs[i] = frame->regs[i];
	for (;;)
		guest_ucall(UCALL_TRAP);
}

/*
 * The gate is #BP: its descriptor has DPL 3, and it is the one way into the
 * guest's kernel that every KVM delivers from user mode. Under PVM, SYSCALL
 * arrives still at CPL 3 and INT n is refused with #GP by the host's own IDT.
 */
u64 guest_kernel_call(u64 (*fn)(u64 arg), u64 arg)
{
	u64 rax = GATE_MAGIC, cs;

	__asm__("mov %%cs, %0" : "=r"(cs));
	if (!(cs & 3))
		return fn(arg);
	__asm__ volatile("int3"
			 : "+a"(rax), "+D"(fn), "+S"(arg)
			 :
			 : "rcx", "rdx", "r8", "r9", "r10", "r11", "memory",
			   "cc");
	return rax;
}
