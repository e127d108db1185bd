/* SPDX-License-Identifier: GPL-2.0-only */
#include "clock.h"
#include "progress.h"

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

u64 progress_per_s(struct progress difference)
{
	double accesses = (double)difference.reads + difference.writes;

	return difference.ns ? accesses * NSEC_PER_SEC / difference.ns : 0;
}
