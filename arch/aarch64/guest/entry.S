/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * First instruction of a vCPU and the exception vectors.
 *
 * The workload runs at EL1t: its stack is SP_EL0, and exceptions are taken on
 * SP_EL1, the trap stack of the vCPU's area (Arm ARM D1.3).
 */

#define FRAME_BYTES 272		/* struct trap_frame of trap.c */
#define VECTOR_BYTES 128
#define VECTORS 16

	.section .text.entry, "ax"
	.globl	guest_entry
	.type	guest_entry, @function
guest_entry:
	/* X0: struct guest_cpu, SP_EL0: top of the stack, both by the host */
	mov	x29, xzr
	mov	x30, xzr
	bl	guest_main
	udf	#0
	.size	guest_entry, . - guest_entry

	.macro	vector index
	.balign	VECTOR_BYTES
	sub	sp, sp, #FRAME_BYTES
	stp	x0, x1, [sp]
	mov	x0, #\index
	b	trap_common
	.endm

	.text
	.balign	VECTOR_BYTES * VECTORS
	.globl	guest_vectors
	.type	guest_vectors, @function
guest_vectors:
	.irp	index, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	vector	\index
	.endr
	.size	guest_vectors, . - guest_vectors

	.type	trap_common, @function
trap_common:
	stp	x2, x3, [sp, #16]
	stp	x4, x5, [sp, #32]
	stp	x6, x7, [sp, #48]
	stp	x8, x9, [sp, #64]
	stp	x10, x11, [sp, #80]
	stp	x12, x13, [sp, #96]
	stp	x14, x15, [sp, #112]
	stp	x16, x17, [sp, #128]
	stp	x18, x19, [sp, #144]
	stp	x20, x21, [sp, #160]
	stp	x22, x23, [sp, #176]
	stp	x24, x25, [sp, #192]
	stp	x26, x27, [sp, #208]
	stp	x28, x29, [sp, #224]
	str	x30, [sp, #240]
	str	x0, [sp, #248]
	mov	x0, sp
	bl	guest_trap
	/* it was expected; ELR_EL1 and SPSR_EL1 are as guest_trap() left them */
	ldp	x2, x3, [sp, #16]
	ldp	x4, x5, [sp, #32]
	ldp	x6, x7, [sp, #48]
	ldp	x8, x9, [sp, #64]
	ldp	x10, x11, [sp, #80]
	ldp	x12, x13, [sp, #96]
	ldp	x14, x15, [sp, #112]
	ldp	x16, x17, [sp, #128]
	ldp	x18, x19, [sp, #144]
	ldp	x20, x21, [sp, #160]
	ldp	x22, x23, [sp, #176]
	ldp	x24, x25, [sp, #192]
	ldp	x26, x27, [sp, #208]
	ldp	x28, x29, [sp, #224]
	ldr	x30, [sp, #240]
	ldp	x0, x1, [sp]
	add	sp, sp, #FRAME_BYTES
	eret
	.size	trap_common, . - trap_common

	.section .note.GNU-stack, "", %progbits
