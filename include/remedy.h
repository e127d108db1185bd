/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What helps against an errno, whoever met it. For the end of a message:
 * "PATH: %s%s", strerror(error), file_remedy(error). ": TEXT"; static
 * storage.
 */
#ifndef KVMETER_REMEDY_H
#define KVMETER_REMEDY_H

/* Of a file or directory that was to be written. */
const char *file_remedy(int error);

/*
 * Of anything: strerror() and what helps, "Input/output error: see dmesg".
 * Never without a remedy. Valid until the thread's next call: once in a
 * message.
 */
const char *errno_text(int error);
const char *errno_remedy(int error);

/* Of a thread or program that was to be started. */
const char *process_remedy(int error);

#endif
