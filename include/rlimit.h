/* SPDX-License-Identifier: GPL-2.0-only */
/* Limits of this process: setrlimit(2). */
#ifndef KVMETER_RLIMIT_H
#define KVMETER_RLIMIT_H

#include "types.h"

enum limit {
	LIMIT_FILES,	     /* open at a time */
	LIMIT_FILE_BYTES,    /* of each file; writing beyond is a signal */
	LIMIT_ADDRESS_SPACE, /* bytes */
	LIMIT_DATA,	     /* bytes of private memory that can be written */
};

/*
 * NULL if the soft limit allows @need, else how much is needed, what the limit
 * is and the command that raises it; to be freed.
 */
char *limit_missing(enum limit limit, u64 need);

/* Raises the soft limit to @need, and the hard one where that is allowed. */
void limit_raise(enum limit limit, u64 need);

#endif
