/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Both events of asynchronous page faults. They run at CPL 0, which some KVMs
 * emulate one instruction at a time: so they only note what has happened, and
 * make the thread that they have interrupted call guest_async_pf_event() in
 * user mode, unless the scheduler is at work.
 */
#include "async_pf_area.h"

#define AREA_BYTES 16384	/* GUEST_AREA_BYTES */
#define STUB_BYTES 16		/* of guest_trap_stubs in entry.S */
#define VECTOR_PF 14

/* Of struct guest_cpu, as asserted in async_pf.c */
#define SINCE 1032
#define BUSY 1040
#define NOT_PRESENT 1044
#define HEAD 1048
#define READY 1056
#define READY_MAX 128

/*
 * With RAX, RCX and RDX pushed, then what the CPU pushes (SDM vol. 3, 6.14.2).
 */
#define FRAME_RIP 24
#define FRAME_CS 32
#define FRAME_RSP 48

	/* the interrupted thread is to call the scheduler; RAX, RDX are lost */
	.macro	call_scheduler
	mov	FRAME_RSP(%rsp), %rdx
	mov	FRAME_RIP(%rsp), %rax
	sub	$8, %rdx
	mov	%rax, (%rdx)
	mov	%rdx, FRAME_RSP(%rsp)
	movq	$call_event, FRAME_RIP(%rsp)
	.endm

	.text
	.globl	guest_page_fault
	.type	guest_page_fault, @function
guest_page_fault:
	xchg	%rax, (%rsp)	/* the error code */
	push	%rcx
	push	%rdx
	mov	%rsp, %rcx
	and	$-AREA_BYTES, %rcx
	cmpl	$0, ASYNC_PF_FLAGS(%rcx)
	je	1f
	cmpl	$0, BUSY(%rcx)
	jne	1f
	testb	$3, FRAME_CS(%rsp)
	jz	1f
	movl	$0, ASYNC_PF_FLAGS(%rcx)
	movl	$1, BUSY(%rcx)
	rdtsc
	mov	%eax, SINCE(%rcx)
	mov	%edx, SINCE + 4(%rcx)
	mov	%cr2, %rax
	mov	%eax, NOT_PRESENT(%rcx)
	call_scheduler
	pop	%rdx
	pop	%rcx
	pop	%rax
	iretq
1:	/* a fault like any other, or where there must be none */
	pop	%rdx
	pop	%rcx
	xchg	%rax, (%rsp)
	jmp	guest_trap_stubs + VECTOR_PF * STUB_BYTES
	.size	guest_page_fault, . - guest_page_fault

	.globl	guest_page_ready
	.type	guest_page_ready, @function
guest_page_ready:
	push	%rax
	push	%rcx
	push	%rdx
	mov	%rsp, %rcx
	and	$-AREA_BYTES, %rcx
	mov	ASYNC_PF_TOKEN(%rcx), %eax
	mov	HEAD(%rcx), %edx
	mov	%eax, READY(%rcx, %rdx, 4)
	inc	%edx
	and	$(READY_MAX - 1), %edx
	mov	%edx, HEAD(%rcx)
	movl	$0, ASYNC_PF_TOKEN(%rcx)
	testb	$3, FRAME_CS(%rsp)
	jz	1f
	cmpl	$0, BUSY(%rcx)
	jne	1f
	movl	$1, BUSY(%rcx)
	call_scheduler
1:	mov	$MSR_X2APIC_EOI, %ecx
	xor	%eax, %eax
	xor	%edx, %edx
	wrmsr
	/* the token is taken: KVM may give the next */
	mov	$MSR_KVM_ASYNC_PF_ACK, %ecx
	mov	$1, %eax
	wrmsr
	pop	%rdx
	pop	%rcx
	pop	%rax
	iretq
	.size	guest_page_ready, . - guest_page_ready

/* In user mode, on the thread's stack, below where it is to go on. */
	.type	call_event, @function
call_event:
	pushfq
	push	%rax
	push	%rcx
	push	%rdx
	push	%rsi
	push	%rdi
	push	%r8
	push	%r9
	push	%r10
	push	%r11
	push	%rbp
	mov	%rsp, %rbp
	and	$-16, %rsp
	cld
	call	guest_async_pf_event
	mov	%rbp, %rsp
	pop	%rbp
	pop	%r11
	pop	%r10
	pop	%r9
	pop	%r8
	pop	%rdi
	pop	%rsi
	pop	%rdx
	pop	%rcx
	pop	%rax
	popfq
	ret
	.size	call_event, . - call_event

	.section .note.GNU-stack, "", @progbits
