/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pseudo-random numbers: the same stream for the same seed on every machine.
 * The state is the caller's: any u64, at first the seed. Thread-safe.
 */
#ifndef KVMETER_RANDOM_H
#define KVMETER_RANDOM_H

#include "types.h"

u64 random_next(u64 *state);

/* Below @n, without the bias of a remainder; @n > 0. */
u32 random_below(u64 *state, u32 n);

/* Uniform in [0, 1), with 53 bits. */
double random_unit(u64 *state);

/* Standard normal; the last bits are the C library's. */
double random_normal(u64 *state);

#endif
