/* SPDX-License-Identifier: GPL-2.0-only */
/* x86_64: ways for a guest to break, and rows for them in fault_test's table.
 */
#ifndef KVMETER_FAULT_ARCH_H
#define KVMETER_FAULT_ARCH_H

/* clang-format off */
#define ARCH_FAULTS(row)                                                      \
	row("triple-fault", run_round, "guest_triple_fault")                  \
	row("privileged", run_round, "guest_privileged")                      \
	row("halt", run_round, "guest_halt")                                  \
	row("kernel-halt", run_round, "guest_kernel_halt")                    \
	row("kernel-sleep", run_round, "guest_kernel_halt")                   \
	row("kernel-spin", run_round, "guest_kernel_spin")                    \
	row("undefined", run_round, "guest_undefined")                        \
	row("divide", run_round, "guest_divide")                              \
	row("non-canonical", run_round, "guest_non_canonical")                \
	row("stack-segment", run_round, "guest_stack_segment")                \
	row("software-interrupt", run_round, "guest_software_interrupt")      \
	row("breakpoint", run_round, "guest_breakpoint")                      \
	row("odd-port", run_round, "guest_odd_port")                          \
	row("unknown-ucall", run_round, "guest_unknown_ucall")
/* clang-format on */

#ifdef KVMETER_GUEST

/* 0: the guest's kernel. */
static inline u64 arch_privilege(void)
{
	u64 cs;

	__asm__ volatile("mov %%cs, %0" : "=r"(cs));
	return cs & 3;
}
#define ARCH_WORKLOAD_PRIVILEGE 3

/*
 * A load from @address that must fault, and whose handler must skip it, with a
 * bit of its own in each register (rsp and rbp apart). Returns their sum.
 */
#define ARCH_LOAD_BYTES 3
#define ARCH_REGISTERS_SUM UINT64_C(0x3fff)
static u64 arch_load_among_registers(u64 address)
{
	u64 sum = 1;

	__asm__ volatile("mov $0x2, %%rbx; mov $0x4, %%rcx\n\t"
			 "mov $0x8, %%rdx; mov $0x10, %%rsi\n\t"
			 "mov $0x20, %%r8; mov $0x40, %%r9\n\t"
			 "mov $0x80, %%r10; mov $0x100, %%r11\n\t"
			 "mov $0x200, %%r12; mov $0x400, %%r13\n\t"
			 "mov $0x800, %%r14; mov $0x1000, %%r15\n\t"
			 ".byte 0x48, 0x8b, 0x07\n\t" /* mov (%rdi), %rax */
			 "mov $0x2000, %%rdi\n\t"
			 "add %%rbx, %%rax; add %%rcx, %%rax\n\t"
			 "add %%rdx, %%rax; add %%rsi, %%rax\n\t"
			 "add %%r8, %%rax; add %%r9, %%rax\n\t"
			 "add %%r10, %%rax; add %%r11, %%rax\n\t"
			 "add %%r12, %%rax; add %%r13, %%rax\n\t"
			 "add %%r14, %%rax; add %%r15, %%rax\n\t"
			 "add %%rdi, %%rax"
			 : "+a"(sum), "+D"(address)
			 :
			 : "rbx", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11",
			   "r12", "r13", "r14", "r15", "memory", "cc");
	return sum;
}

static u64 empty_idt(u64 arg)
{
	static const struct {
		u16 limit;
		u64 base;
	} __attribute__((packed)) idt = { 0, 0 };

	__asm__ volatile("lidt %0; ud2" : : "m"(idt));
	return arg;
}

GUEST_FUNCTION(guest_triple_fault)
{
	guest_kernel_call(empty_idt, cpu->index);
}

GUEST_FUNCTION(guest_privileged)
{
	__asm__ volatile("mov %0, %%cr3" : : "r"(cpu->private));
}

GUEST_FUNCTION(guest_halt)
{
	(void)cpu;
	__asm__ volatile("hlt");
}

/* Deaf: nothing wakes it. */
static u64 halt_in_kernel(u64 arg)
{
	__asm__ volatile("cli; hlt");
	return arg;
}

GUEST_FUNCTION(guest_kernel_halt)
{
	guest_kernel_call(halt_in_kernel, cpu->index);
}

/* Deaf, and awake. */
static u64 spin_in_kernel(u64 arg)
{
	__asm__ volatile("cli; 1: pause; jmp 1b");
	return arg;
}

GUEST_FUNCTION(guest_kernel_spin)
{
	guest_kernel_call(spin_in_kernel, cpu->index);
}

GUEST_FUNCTION(guest_undefined)
{
	(void)cpu;
	__asm__ volatile("ud2");
}

GUEST_FUNCTION(guest_divide)
{
	u32 low = 1, high = 0;

	(void)cpu;
	__asm__ volatile("divl %2" : "+a"(low), "+d"(high) : "r"(0) : "cc");
}

GUEST_FUNCTION(guest_non_canonical)
{
	(void)cpu;
	*(volatile u64 *)(BIT(63)) = 1;
}

GUEST_FUNCTION(guest_stack_segment)
{
	(void)cpu;
	__asm__ volatile("mov %0, %%rsp; push %%rax"
			 :
			 : "r"(BIT(63))
			 : "memory");
}

GUEST_FUNCTION(guest_software_interrupt)
{
	(void)cpu;
	__asm__ volatile("int $0x80");
}

/* The kernel gate's instruction without what makes it a call. */
GUEST_FUNCTION(guest_breakpoint)
{
	(void)cpu;
	__asm__ volatile("int3" : : "a"(UINT64_C(0x1234)));
}

GUEST_FUNCTION(guest_odd_port)
{
	(void)cpu;
	__asm__ volatile("outb %%al, $0x80" : : "a"(0));
}

GUEST_FUNCTION(guest_unknown_ucall)
{
	cpu->ucall = 77;
	arch_leave_guest();
}

#endif
#endif
