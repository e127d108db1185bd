/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Log-linear histograms, the same in guest and host: values below
 * HISTOGRAM_LINEAR have a bucket each, and above it every power of two is
 * divided into as many. A bucket is narrower than 1/64 of its lowest value.
 */
#ifndef KVMETER_GUEST_HISTOGRAM_H
#define KVMETER_GUEST_HISTOGRAM_H

#include <guest/types.h>

#define HISTOGRAM_LINEAR_BITS 6
#define HISTOGRAM_LINEAR (1 << HISTOGRAM_LINEAR_BITS)
#define HISTOGRAM_BITS 44 /* an hour, in ticks of 4.8 GHz */
#define HISTOGRAM_BUCKETS \
	((HISTOGRAM_BITS - HISTOGRAM_LINEAR_BITS + 1) * HISTOGRAM_LINEAR)

/* Values of HISTOGRAM_BITS bits and more share the last bucket. */
static inline u32 histogram_bucket(u64 value)
{
	u32 shift;

	if (value < HISTOGRAM_LINEAR)
		return value;
	if (value >> HISTOGRAM_BITS)
		return HISTOGRAM_BUCKETS - 1;
	shift = 63 - __builtin_clzll(value) - HISTOGRAM_LINEAR_BITS;
	return (shift << HISTOGRAM_LINEAR_BITS) + (u32)(value >> shift);
}

/* The lowest value of a bucket; that of the next one is its end. */
static inline u64 histogram_bucket_start(u32 bucket)
{
	u32 shift = bucket >> HISTOGRAM_LINEAR_BITS;

	if (shift <= 1)
		return bucket;
	return (u64)(bucket - ((shift - 1) << HISTOGRAM_LINEAR_BITS))
	       << (shift - 1);
}

/* One writer: a vCPU. The host reads and clears it while the vCPU is stopped.
 */
struct guest_histogram {
	u64 nr;
	u64 sum;
	u64 max;
	u64 count[HISTOGRAM_BUCKETS];
};

static inline void guest_histogram_add(struct guest_histogram *h, u64 value)
{
	h->nr++;
	h->sum += value;
	if (value > h->max)
		h->max = value;
	h->count[histogram_bucket(value)]++;
}

#endif
