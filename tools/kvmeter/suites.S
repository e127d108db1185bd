/* SPDX-License-Identifier: GPL-2.0-only */
/* The built-in suites, as strings; from the top of the tree. */
	.macro	suite name
	.globl	suite_\name
	.hidden	suite_\name
suite_\name:
	.incbin	"tools/kvmeter/suites/\name\().suite"
	.byte	0
	.endm

	.section .rodata
	suite	full
	suite	quick

	.section .note.GNU-stack, "", %progbits
