/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names of system calls, told apart as far as they fail in ways of their own:
 * "openat", "ioctl(KVM_CREATE_VM)", "write(stdout)", "clone3(thread)".
 */
#ifndef KVMETER_CHECK_FAULT_CALLS_H
#define KVMETER_CHECK_FAULT_CALLS_H

#include <linux/seccomp.h>
#include <stdbool.h>
#include <sys/types.h>

#define CALL_NAME_BYTES 64

/*
 * The kind of a call of thread @tid that waits for an answer. A system call or
 * request without a name is "number(N)" or "ioctl(0xN)".
 */
void call_name(char name[CALL_NAME_BYTES], pid_t tid,
	       const struct seccomp_data *data);

/*
 * The system call of a kind, and for an ioctl its request (else 0). Returns
 * false if nothing has that name.
 */
bool call_find(const char *name, int *nr, unsigned int *request);

/* What it is about: the file's path, maybe empty. */
void call_subject(char *text, size_t bytes, pid_t tid,
		  const struct seccomp_data *data);

#endif
