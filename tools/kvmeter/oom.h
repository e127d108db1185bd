/* SPDX-License-Identifier: GPL-2.0-only */
/* Has the kernel killed something since it had no memory left? */
#ifndef KVMETER_OOM_H
#define KVMETER_OOM_H

#include "types.h"

/*
 * How often so far, on this host and in the control group that this process is
 * in: it only grows. 0 where neither can be read.
 */
u64 oom_kills(void);

/* Which limit that is, and what helps; to be freed. */
char *oom_remedy(void);

#endif
