/* SPDX-License-Identifier: GPL-2.0-only */
/* What a supervisor of system calls must know of aarch64. */
#ifndef KVMETER_CHECK_FAULT_ARCH_H
#define KVMETER_CHECK_FAULT_ARCH_H

#include <linux/audit.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define FAULT_AUDIT_ARCH AUDIT_ARCH_AARCH64

/* None but those that every architecture has. */
#define FAULT_ARCH_CALLS CALL(getpid)

#define FAULT_ARCH_REQUESTS \
	REQUEST(KVM_ARM_VCPU_INIT), REQUEST(KVM_ARM_PREFERRED_TARGET)

/*
 * Do the bytes before @at, of which there are @room, end in a call? Arm ARM,
 * C6.2: BL has the upper bits 100101, BLR is 0xd63f0000 with the register in
 * bits 9 to 5.
 */
static inline bool fault_arch_is_call(const unsigned char *at, size_t room)
{
	uint32_t code;

	if (room < sizeof(code))
		return false;
	memcpy(&code, at - sizeof(code), sizeof(code));
	return code >> 26 == 0x25 || (code & 0xfffffc1f) == 0xd63f0000;
}

#endif
