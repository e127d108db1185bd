/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Asynchronous page faults: numbers that C and assembly of both halves share.
 * Documentation/virt/kvm/x86/msr.rst
 */
#ifndef KVMETER_X86_64_ASYNC_PF_AREA_H
#define KVMETER_X86_64_ASYNC_PF_AREA_H

/*
 * What KVM writes to, 64 bytes aligned to 64: in the vCPU's area, behind the
 * TSS and below the trap stack. First "flags", then "token".
 */
#define ASYNC_PF_SHARED 4608
#define ASYNC_PF_FLAGS ASYNC_PF_SHARED
#define ASYNC_PF_TOKEN (ASYNC_PF_SHARED + 4)

#define MSR_KVM_ASYNC_PF_EN 0x4b564d02
#define MSR_KVM_ASYNC_PF_INT 0x4b564d06
#define MSR_KVM_ASYNC_PF_ACK 0x4b564d07

/* Any above 31 would do: nothing else interrupts. */
#define ASYNC_PF_VECTOR 0xf0

/* The local APIC in x2APIC mode: SDM vol. 3, table 10-6. */
#define MSR_X2APIC_EOI 0x80b
#define MSR_X2APIC_SVR 0x80f

#endif
