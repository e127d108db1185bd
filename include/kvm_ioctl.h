/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ioctl() on /dev/kvm, VM and vCPU descriptors in two kinds and no third:
 *
 *   __kvm_ioctl()  returns what the kernel does, or -errno
 *   kvm_ioctl()    ends the test by die(), naming ioctl, argument, errno and,
 *                  where one is known, the remedy
 *
 * Both retry EINTR (KVM_RUN is not called through them). Any thread may call
 * __kvm_ioctl(), only the main thread kvm_ioctl().
 */
#ifndef KVMETER_KVM_IOCTL_H
#define KVMETER_KVM_IOCTL_H

#include "compat.h"
#include "types.h"

#define __kvm_ioctl(fd, request, arg) \
	kvm_ioctl_try(fd, request, (unsigned long)(arg))
#define kvm_ioctl(fd, request, arg) \
	kvm_ioctl_must(fd, request, #request, (unsigned long)(arg))

int kvm_ioctl_try(int fd, unsigned long request, unsigned long arg);
int kvm_ioctl_must(int fd, unsigned long request, const char *name,
		   unsigned long arg);

/*
 * The sentence that kvm_ioctl() dies with, for callers that must tidy first:
 * "KVM_SET_USER_MEMORY_REGION (slot 1, GPA 0x...): EINVAL (...): remedy".
 */
char *kvm_ioctl_error(const char *name, unsigned long request,
		      unsigned long arg, int error);

/*
 * Opens /dev/kvm (O_CLOEXEC). Without it, without permission for it, or with
 * another API than version 12, ends by skip() with the remedy.
 */
int kvm_open(void);

/*
 * KVM_CHECK_EXTENSION on a /dev/kvm or VM descriptor; 0: not there. Main thread
 * only: another answer than yes or no ends the test.
 */
int kvm_has(int fd, int capability);

#endif
