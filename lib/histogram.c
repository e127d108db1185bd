/* SPDX-License-Identifier: GPL-2.0-only */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "histogram.h"
#include "util.h"

const struct histogram_quantile histogram_quantiles[HISTOGRAM_QUANTILES] = {
	{ "p50", "p50_ns", NULL, 0.5 },
	{ "p90", "p90_ns", NULL, 0.9 },
	{ "p99", "p99_ns", "p99", 0.99 },
	{ "p99.9", "p99_9_ns", "p99_9", 0.999 },
};

void histogram_fini(struct histogram *h)
{
	free(h->count);
	*h = (struct histogram){ 0 };
}

void histogram_reserve(struct histogram *h)
{
	if (!h->count)
		h->count = xcalloc(HISTOGRAM_BUCKETS, sizeof(*h->count));
}

void histogram_clear(struct histogram *h)
{
	if (h->count)
		memset(h->count, 0, HISTOGRAM_BUCKETS * sizeof(*h->count));
	h->unit_ns = 0;
	h->nr = 0;
	h->sum = 0;
	h->max = 0;
}

static void set_unit(struct histogram *h, double unit_ns)
{
	if (h->nr && h->unit_ns != unit_ns)
		die("latencies in units of %g and of %g ns in one histogram",
		    h->unit_ns, unit_ns);
	h->unit_ns = unit_ns;
	histogram_reserve(h);
}

void histogram_add(struct histogram *h, u64 ns)
{
	set_unit(h, 1);
	h->nr++;
	h->sum += ns;
	h->max = max_u64(h->max, ns);
	h->count[histogram_bucket(ns)]++;
}

static void add_counts(struct histogram *h, const u64 *count)
{
	for (u32 i = 0; i < HISTOGRAM_BUCKETS; i++)
		h->count[i] += count[i];
}

void histogram_add_guest(struct histogram *h, const struct guest_histogram *g,
			 double tick_ns)
{
	if (!g->nr)
		return;
	set_unit(h, tick_ns);
	h->nr += g->nr;
	h->sum += g->sum;
	h->max = max_u64(h->max, g->max);
	add_counts(h, g->count);
}

void histogram_merge(struct histogram *h, const struct histogram *other)
{
	if (!other->nr)
		return;
	set_unit(h, other->unit_ns);
	h->nr += other->nr;
	h->sum += other->sum;
	h->max = max_u64(h->max, other->max);
	add_counts(h, other->count);
}

/* The value of rank @rank of @count in a bucket, if they are spread evenly. */
static double in_bucket(u32 bucket, u64 rank, u64 count)
{
	double from = histogram_bucket_start(bucket);
	double last = histogram_bucket_start(bucket + 1) - 1.0;

	return from + (last - from) * (rank - 0.5) / count;
}

double histogram_quantile(const struct histogram *h, double quantile)
{
	u64 rank = ceil(quantile * h->nr), before = 0;

	if (!h->nr)
		return 0;
	rank = min_u64(max_u64(rank, 1), h->nr);
	for (u32 i = 0; i + 1 < HISTOGRAM_BUCKETS; i++) {
		u64 count = h->count[i];

		if (before + count >= rank)
			return fmin(in_bucket(i, rank - before, count),
				    h->max) *
			       h->unit_ns;
		before += count;
	}
	return histogram_max_ns(h);
}

double histogram_max_ns(const struct histogram *h)
{
	return h->max * h->unit_ns;
}

double histogram_mean_ns(const struct histogram *h)
{
	return h->nr ? h->sum / h->nr * h->unit_ns : 0;
}

void histogram_json_summary(const struct histogram *h, struct json *j)
{
	json_u64(j, "samples", h->nr);
	for (unsigned int i = 0; i < HISTOGRAM_QUANTILES; i++)
		json_u64(j, histogram_quantiles[i].key,
			 llround(histogram_quantile(
				 h, histogram_quantiles[i].quantile)));
	json_u64(j, "max_ns", llround(histogram_max_ns(h)));
}

void histogram_json_buckets(const struct histogram *h, struct json *j)
{
	json_array_begin(j, "buckets");
	for (u32 i = 0; h->nr && i < HISTOGRAM_BUCKETS; i++) {
		u64 bucket[3];

		if (!h->count[i])
			continue;
		bucket[0] = llround(histogram_bucket_start(i) * h->unit_ns);
		bucket[1] = llround(histogram_bucket_start(i + 1) * h->unit_ns);
		bucket[2] = h->count[i];
		json_u64_array(j, NULL, bucket, ARRAY_SIZE(bucket));
	}
	json_array_end(j);
}
