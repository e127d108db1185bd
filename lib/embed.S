/* SPDX-License-Identifier: GPL-2.0-only */
/* The guest image of one test; the Makefile defines GUEST_IMAGE as its path. */
	.section .rodata
	.balign	16
	.globl	embedded_image
	.hidden	embedded_image
embedded_image:
	.incbin	GUEST_IMAGE
	.globl	embedded_image_end
	.hidden	embedded_image_end
embedded_image_end:
	.balign	4

	.section .note.GNU-stack, "", %progbits
