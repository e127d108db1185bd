/* SPDX-License-Identifier: GPL-2.0-only */
/* What the parts of check/fault/inject.c share. */
#ifndef KVMETER_CHECK_FAULT_INJECT_H
#define KVMETER_CHECK_FAULT_INJECT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

struct site;

#define EXIT_BROKEN 120 /* this program itself could not do its work */

/* "inject: WHAT: errno's text", and ends the process. */
void broken(const char *what) __attribute__((noreturn));

/*
 * Starts @argv as a child whose system calls are notified: @nr, of ioctl only
 * those with @request if that is not 0, and always execve and exit_group; with
 * @nr -1, all. Returns the listener.
 */
int supervised_start(char **argv, int nr, unsigned int request, pid_t *pid);

/* Takes a call into the list. Not one from outside of our programs. */
void record_call(const char *name, const struct site *site,
		 const char *subject);
void record_write(FILE *out);

/* "PROGRAM+0x1234,0x5678,...", as addr2line takes them. */
void site_print(const struct site *site, FILE *out);

#endif
