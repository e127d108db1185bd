/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the kernel logs meanwhile: a warning of KVM belongs beside the check
 * that it explains. Main thread only.
 */
#ifndef KVMETER_KERNEL_LOG_H
#define KVMETER_KERNEL_LOG_H

#include "bench.h"

struct kernel_log;

/* From now on. Without permission to read /dev/kmsg it is always empty. */
struct kernel_log *kernel_log_open(void);
void kernel_log_close(struct kernel_log *log); /* NULL is fine */

/* The same lines as diagnostics of KTAP, for a test that ends early. */
void kernel_log_print(struct kernel_log *log, FILE *out);

/*
 * Notes the warnings, and what mentions KVM, up to a few lines. Frees @log.
 */
void note_kernel_log(struct run *r, struct kernel_log *log);

#endif
