/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Types and macros of the host half: those it shares with guests, and those
 * that need a hosted compiler.
 */
#ifndef KVMETER_TYPES_H
#define KVMETER_TYPES_H

#include <guest/types.h>

#define __printf(fmt, args) __attribute__((format(printf, fmt, args)))
#define __noreturn __attribute__((noreturn))
#define __maybe_unused __attribute__((unused))

static inline u64 min_u64(u64 a, u64 b)
{
	return a < b ? a : b;
}

static inline u64 max_u64(u64 a, u64 b)
{
	return a > b ? a : b;
}

#endif
