/* SPDX-License-Identifier: GPL-2.0-only */
/* From one thread to another: what calls preserve (System V ABI, 3.2.1). */

	.text
	.globl	arch_switch
	.type	arch_switch, @function
arch_switch:
	/* RDI: where the stack pointer goes, RSI: the other thread's */
	push	%rbp
	push	%rbx
	push	%r12
	push	%r13
	push	%r14
	push	%r15
	mov	%rsp, (%rdi)
	mov	%rsi, %rsp
	pop	%r15
	pop	%r14
	pop	%r13
	pop	%r12
	pop	%rbx
	pop	%rbp
	ret
	.size	arch_switch, . - arch_switch

	.section .note.GNU-stack, "", @progbits
