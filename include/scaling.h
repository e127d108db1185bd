/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a metric would be at another point of a sweep if nothing were contended
 * and nothing grew but the work. Pure functions; thread-safe.
 */
#ifndef KVMETER_SCALING_H
#define KVMETER_SCALING_H

#include "types.h"

/* A metric at one point. */
struct scaling_point {
	double median;
	u64 vcpus;
	/* Pages that the busiest thread goes through in a sample; 0: unknown.
	 */
	u64 work;
};

/*
 * A time grows as the work of one thread does: not at all with vCPUs that have
 * as much memory each as before or share all of it, to 1/n where n vCPUs divide
 * it. A rate of all vCPUs together grows with their number. NAN: no such rule,
 * or the work is unknown. @unit is that of results files: "ns", "pages/s",
 * "blocks/min".
 */
double scaling_ideal(const char *unit, const struct scaling_point *first,
		     const struct scaling_point *here);

#endif
