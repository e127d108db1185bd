/* SPDX-License-Identifier: GPL-2.0-only */
/* What a supervisor of system calls must know of x86_64. */
#ifndef KVMETER_CHECK_FAULT_ARCH_H
#define KVMETER_CHECK_FAULT_ARCH_H

#include <linux/audit.h>
#include <stdbool.h>
#include <stddef.h>

#define FAULT_AUDIT_ARCH AUDIT_ARCH_X86_64

/* Calls that newer architectures no longer have. */
#define FAULT_ARCH_CALLS                                                       \
	CALL_PATH(open, 0), CALL_PATH(stat, 0), CALL_PATH(lstat, 0),           \
		CALL_PATH(access, 0), CALL_PATH(rename, 0),                    \
		CALL_PATH(mkdir, 0), CALL_PATH(rmdir, 0),                      \
		CALL_PATH(unlink, 0), CALL_PATH(readlink, 0), CALL(poll),      \
		CALL(select), CALL(pipe), CALL(dup2), CALL(fork), CALL(vfork), \
		CALL(getpgrp), CALL(time), CALL(arch_prctl), CALL(epoll_wait), \
		CALL(alarm), CALL(pause), CALL(getdents)

#define FAULT_ARCH_REQUESTS                                                \
	REQUEST(KVM_GET_TSC_KHZ), REQUEST(KVM_SET_TSC_KHZ),                \
		REQUEST(KVM_GET_SUPPORTED_CPUID), REQUEST(KVM_SET_CPUID2), \
		REQUEST(KVM_GET_MSRS), REQUEST(KVM_SET_MSRS),              \
		REQUEST(KVM_SET_FPU), REQUEST(KVM_SET_XCRS),               \
		REQUEST(KVM_SET_TSS_ADDR), REQUEST(KVM_SET_IDENTITY_MAP_ADDR)

/*
 * Do the bytes before @at, of which there are @room, end in a call? Intel SDM,
 * volume 2A, CALL: E8 with a displacement of 32 bits, or FF /2 with a ModRM
 * byte and up to 5 bytes behind it.
 */
static inline bool fault_arch_is_call(const unsigned char *at, size_t room)
{
	static const size_t lengths[] = { 2, 3, 4, 6, 7 };

	if (room >= 5 && at[-5] == 0xe8)
		return true;
	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		size_t n = lengths[i];

		if (room >= n && at[-n] == 0xff && (at[1 - n] & 0x38) == 0x10)
			return true;
	}
	return false;
}

#endif
