/* SPDX-License-Identifier: GPL-2.0-only */
/* From one thread to another: what calls preserve (AAPCS64 6.1.1). */

	.text
	.globl	arch_switch
	.type	arch_switch, @function
arch_switch:
	/* X0: where the stack pointer goes, X1: the other thread's */
	stp	x29, x30, [sp, #-16]!
	stp	x27, x28, [sp, #-16]!
	stp	x25, x26, [sp, #-16]!
	stp	x23, x24, [sp, #-16]!
	stp	x21, x22, [sp, #-16]!
	stp	x19, x20, [sp, #-16]!
	mov	x2, sp
	str	x2, [x0]
	mov	sp, x1
	ldp	x19, x20, [sp], #16
	ldp	x21, x22, [sp], #16
	ldp	x23, x24, [sp], #16
	ldp	x25, x26, [sp], #16
	ldp	x27, x28, [sp], #16
	ldp	x29, x30, [sp], #16
	ret
	.size	arch_switch, . - arch_switch

	.section .note.GNU-stack, "", %progbits
