/* SPDX-License-Identifier: GPL-2.0-only */
/* futex(2), private to this process. */
#ifndef KVMETER_FUTEX_H
#define KVMETER_FUTEX_H

#include "types.h"

#define FUTEX_FOREVER (~UINT64_C(0))
#define FUTEX_ALL 0x7fffffff

/*
 * Sleeps while *@futex is @value, at most @ns (relative). Returns after a
 * wake, a signal, the time, or at no reason: look again.
 */
void futex_wait(u32 *futex, u32 value, u64 ns);

/* Wakes up to @nr sleepers. */
void futex_wake(u32 *futex, int nr);

#endif
