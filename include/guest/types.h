/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fixed-width types and the few macros that guest and host share.
 *
 * Freestanding: includes only headers that the compiler brings itself, so that
 * it means the same in a guest image as in a host program.
 */
#ifndef KVMETER_GUEST_TYPES_H
#define KVMETER_GUEST_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int64_t s64;

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define BIT(n) (UINT64_C(1) << (n))
#define KIB(n) ((u64)(n) << 10)
#define MIB(n) ((u64)(n) << 20)
#define GIB(n) ((u64)(n) << 30)
#define TIB(n) ((u64)(n) << 40)

/* @a is a power of two. */
#define ALIGN_DOWN(x, a) ((x) & ~((u64)(a)-1))
#define ALIGN_UP(x, a) ALIGN_DOWN((x) + (u64)(a)-1, a)
#define IS_ALIGNED(x, a) (((x) & ((u64)(a)-1)) == 0)
#define DIV_ROUND_UP(n, d) (((n) + (d)-1) / (d))

/* One untorn access that the compiler neither drops, repeats nor merges. */
#define READ_ONCE(x) (*(const volatile __typeof__(x) *)&(x))
#define WRITE_ONCE(x, v) (*(volatile __typeof__(x) *)&(x) = (v))

#endif
