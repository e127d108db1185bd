/* SPDX-License-Identifier: GPL-2.0-only */
/* Which variants of a benchmark are measured. Main thread only. */
#ifndef KVMETER_VARIANTS_H
#define KVMETER_VARIANTS_H

#include "point.h"

/*
 * Those that the option names or, if it names none, all there are; one, number
 * 0, for a benchmark without variants. The first has index 0.
 */
unsigned int variants_count(const struct session *s);
unsigned int variants_get(const struct session *s, unsigned int index);

/*
 * Asks KVM for each. One that was named and is missing skips the benchmark; of
 * those that were not, the missing ones are dropped and session.left_out says
 * why. Skips if none is left.
 */
void variants_require(struct session *s);

/*
 * After the last point: medians of the variants side by side, and their ratios
 * to the first one.
 */
void variants_report(struct session *s);

#endif
