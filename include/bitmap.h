/* SPDX-License-Identifier: GPL-2.0-only */
/* Bitmaps of 64-bit words, bit 0 the lowest of the first. Pure functions. */
#ifndef KVMETER_BITMAP_H
#define KVMETER_BITMAP_H

#include "types.h"

/*
 * ORs the first @nr bits of @from into @to, from bit @at on. Bits of @from
 * beyond them do not count.
 */
void bitmap_merge(u64 *to, u64 at, const u64 *from, u64 nr);

/* Bits set in @words words, and bits of @a that are not in @b. */
u64 bitmap_count(const u64 *a, size_t words);
u64 bitmap_count_without(const u64 *a, const u64 *b, size_t words);

#endif
