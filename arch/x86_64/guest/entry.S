/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * First instruction of a vCPU, exception stubs and the kernel gate.
 *
 * The workload runs at CPL 3. Everything below except guest_entry runs at
 * CPL 0 on the trap stack of the vCPU's area (TSS.RSP0).
 */

#define VECTORS 256
#define STUB_BYTES 16
#define VECTOR_BP 3
#define GATE_MAGIC 0x6b766d67617465	/* "kvmgate", as in trap.c */

	.section .text.entry, "ax"
	.globl	guest_entry
	.type	guest_entry, @function
guest_entry:
	/* RDI: struct guest_cpu, RSP: top of the stack, both by the host */
	xor	%ebp, %ebp
	call	guest_main
	ud2
	.size	guest_entry, . - guest_entry

/*
 * VECTORS stubs of STUB_BYTES each: they make every frame look as if the CPU
 * had pushed an error code, then push the vector.
 */
	.text
	.balign	STUB_BYTES
	.globl	guest_trap_stubs
	.type	guest_trap_stubs, @function
guest_trap_stubs:
	.set	vector, 0
	.rept	VECTORS
	.balign	STUB_BYTES
	/* #DF, #TS..#PF, #AC, #CP, #VC, #SX: SDM vol. 3, table 6-1; APM 2, 8.2 */
	.if	!(vector == 8 || (vector >= 10 && vector <= 14) || \
		  vector == 17 || vector == 21 || vector == 29 || vector == 30)
	pushq	$0
	.endif
	pushq	$vector
	jmp	trap_common
	.set	vector, vector + 1
	.endr
	.size	guest_trap_stubs, . - guest_trap_stubs

	.type	trap_common, @function
trap_common:
	cmpq	$VECTOR_BP, (%rsp)
	jne	1f
	push	%rbx
	movabs	$GATE_MAGIC, %rbx
	cmp	%rbx, %rax
	pop	%rbx
	je	kernel_gate
1:	/* struct trap_frame of trap.c, last member first */
	push	%r15
	push	%r14
	push	%r13
	push	%r12
	push	%r11
	push	%r10
	push	%r9
	push	%r8
	push	%rbp
	push	%rdi
	push	%rsi
	push	%rdx
	push	%rcx
	push	%rbx
	push	%rax
	mov	%rsp, %rdi
	mov	%rsp, %rbx
	and	$-16, %rsp
	call	guest_trap
	/* it was expected */
	mov	%rbx, %rsp
	pop	%rax
	pop	%rbx
	pop	%rcx
	pop	%rdx
	pop	%rsi
	pop	%rdi
	pop	%rbp
	pop	%r8
	pop	%r9
	pop	%r10
	pop	%r11
	pop	%r12
	pop	%r13
	pop	%r14
	pop	%r15
	add	$16, %rsp	/* vector and error code */
	iretq
	.size	trap_common, . - trap_common

/* RDI: function, RSI: its argument. Only registers that a call may change. */
	.type	kernel_gate, @function
kernel_gate:
	mov	%rdi, %rax
	mov	%rsi, %rdi
	sub	$8, %rsp	/* 7 words of frame: align the call to 16 */
	call	*%rax
	add	$24, %rsp	/* and drop vector and error code */
	iretq
	.size	kernel_gate, . - kernel_gate

	.section .note.GNU-stack, "", @progbits
