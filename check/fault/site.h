/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where in a program a system call comes from: the innermost return addresses
 * of the program's own code on the calling thread's stack. Found without
 * unwinding, so a stale address in an unused part of a frame counts as well;
 * the same path through a program gives the same site nevertheless.
 */
#ifndef KVMETER_CHECK_FAULT_SITE_H
#define KVMETER_CHECK_FAULT_SITE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Enough to tell the callers of kvm_ioctl() and read_text() apart. */
#define SITE_FRAMES 4

struct site {
	const char *program;	  /* path; lives until the process ends */
	uint64_t at[SITE_FRAMES]; /* addresses in the file, innermost first */
	unsigned int nr;	  /* of these */
	uint32_t hash;		  /* of program's name and @at */
};

/* Only programs below this directory have sites. */
void site_init(const char *directory);

/*
 * Thread @tid must be waiting in a system call. Returns false if its program
 * is none of ours, or if the program has not called: the dynamic linker at the
 * start, libc in a new thread.
 */
bool site_get(struct site *site, pid_t tid);

/* @tid is about to become another program. */
void site_forget(pid_t tid);

#endif
