/* SPDX-License-Identifier: GPL-2.0-only */
#include "clock.h"
#include "progress.h"
#include "util.h"

void progress_add(struct progress *sum, struct progress p)
{
	sum->reads += p.reads;
	sum->writes += p.writes;
}

struct progress progress_sub(struct progress a, struct progress b)
{
	return (struct progress){
		.reads = a.reads - b.reads,
		.writes = a.writes - b.writes,
		.ns = a.ns - b.ns,
	};
}

/* The less, the less they do besides what is waited for. */
#define WAIT_MIN_NS (20 * NSEC_PER_USEC)
/* The more, the less often they are looked at. */
#define WAIT_MAX_NS NSEC_PER_MSEC

u64 progress_wait_ns(struct progress difference, u64 accesses)
{
	double done = (double)difference.reads + difference.writes;
	double ns = difference.ns;

	if (done >= accesses)
		return 0;
	if (done > 0)
		ns *= (accesses - done) / done;
	if (ns > WAIT_MAX_NS)
		return WAIT_MAX_NS;
	return max_u64(ns, WAIT_MIN_NS);
}

u64 progress_per_s(struct progress difference)
{
	double accesses = (double)difference.reads + difference.writes;

	return difference.ns ? accesses * NSEC_PER_SEC / difference.ns : 0;
}
