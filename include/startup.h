/* SPDX-License-Identifier: GPL-2.0-only */
/* What a process does before it opens its first file or prints its first line.
 */
#ifndef KVMETER_STARTUP_H
#define KVMETER_STARTUP_H

/*
 * Ends a program by usage_error() that its file gives rights which its user has
 * not.
 *
 * A standard descriptor that nobody gave would be taken by the next file that
 * is opened: something is put there that fails when it is used. And a limit on
 * file sizes (RLIMIT_FSIZE) becomes an error of the write that meets it, EFBIG,
 * where the kernel's default is to kill.
 */
void startup_init(void);

#endif
