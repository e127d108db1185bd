/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Distributions of latencies, with the buckets of guest/histogram.h. Each is
 * used by one thread at a time.
 */
#ifndef KVMETER_HISTOGRAM_H
#define KVMETER_HISTOGRAM_H

#include <guest/histogram.h>
#include "json.h"

struct histogram {
	double unit_ns; /* of a value; 0: empty and not known yet */
	u64 nr;
	double sum;
	u64 max;
	u64 *count; /* HISTOGRAM_BUCKETS; NULL: empty */
};

/* All zero is an empty histogram; fini makes it that again. */
void histogram_fini(struct histogram *h);

/* Makes room, so that adding to it does not allocate. */
void histogram_reserve(struct histogram *h);

/* Empty, with its room. */
void histogram_clear(struct histogram *h);

/* A latency in nanoseconds. */
void histogram_add(struct histogram *h, u64 ns);

/* Adds what a guest has counted in ticks of @tick_ns. */
void histogram_add_guest(struct histogram *h, const struct guest_histogram *g,
			 double tick_ns);

/* Both have the same unit, or one is empty. */
void histogram_merge(struct histogram *h, const struct histogram *other);

/*
 * The value of rank ceil(@quantile * nr), @quantile from 0 to 1, in nanoseconds
 * and within 1/64: interpolated in its bucket. 0 if the histogram is empty;
 * never more than the maximum, which is exact.
 */
double histogram_quantile(const struct histogram *h, double quantile);
double histogram_max_ns(const struct histogram *h);
double histogram_mean_ns(const struct histogram *h);

/* What tables and results show of it. */
#define HISTOGRAM_QUANTILES 4
extern const struct histogram_quantile {
	const char *name; /* in tables */
	const char *key;  /* in JSON */
	/* of the metric that it is in results, NULL: of none */
	const char *suffix;
	double quantile;
} histogram_quantiles[HISTOGRAM_QUANTILES];

/* Members "samples", quantiles, "max", in whole ns, of the open object. */
void histogram_json_summary(const struct histogram *h, struct json *j);

/*
 * Member "buckets" of it: [from, to, count] in ns for each that is not empty;
 * to is exclusive.
 */
void histogram_json_buckets(const struct histogram *h, struct json *j);

#endif
