/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Numbers as people write them: sizes, lists, durations. Pure functions, no
 * allocation; thread-safe.
 */
#ifndef KVMETER_UNITS_H
#define KVMETER_UNITS_H

#include "types.h"

/*
 * Parsers take the whole string: white space, sign, trailing rubbish and
 * overflow fail. Those of one number then leave the result alone.
 */

/* Decimal, or hexadecimal after 0x. */
bool parse_u64(const char *s, u64 *value);

/*
 * As parse_u64, then an optional K M G T (powers of 1024) in either case; B, or
 * iB after one of these, is ignored.
 */
bool parse_size(const char *s, u64 *bytes);

#define LIST_MAX 4096 /* as many as KVM has vCPUs at most */

/* Values in the order given; equal values may repeat. */
struct u64_list {
	unsigned int nr;
	u64 v[LIST_MAX];
};

/*
 * "1,2,4" or "1-4" (ascending range, step 1) or a mixture, each number by
 * @parse. More than LIST_MAX values, or none, fail; @list then holds nothing
 * of use.
 */
bool parse_list(const char *s, bool (*parse)(const char *s, u64 *value),
		struct u64_list *list);

/* Of a list that is not empty. */
u64 u64_list_min(const struct u64_list *list);
u64 u64_list_max(const struct u64_list *list);

/* Large enough for every formatter below, with its terminating zero. */
#define UNIT_LEN 32

/* Exact: "0", "4K", "1536K", "2M", "1G", "5000" when not a multiple. */
const char *format_size(char buf[UNIT_LEN], u64 bytes);

/*
 * Four significant digits: "0 ns", "999 ns", "2.450 us", "160.4 ms", "12.30 s".
 * Nanoseconds, which clocks count, show no trailing zeros: "12.5 ns".
 */
const char *format_ns(char buf[UNIT_LEN], double ns);

/*
 * Four significant digits, with an SI factor once five would be needed: "5033",
 * "50.33 M", "125.3 k". Without a factor there are no trailing zeros.
 */
const char *format_count(char buf[UNIT_LEN], double n);

#endif
