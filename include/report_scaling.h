/* SPDX-License-Identifier: GPL-2.0-only */
/* What a sweep as a whole shows, in the diagnostic lines of report.h. */
#ifndef KVMETER_REPORT_SCALING_H
#define KVMETER_REPORT_SCALING_H

#include "point.h"

/*
 * After the last point: how the medians change over vCPUs where the memory
 * stays, and over memory where the vCPUs stay; of the points that have come to
 * their end. Nothing if there is one point. scaling.h says what is ideal.
 */
void report_scaling(struct session *s);

#endif
