/* SPDX-License-Identifier: GPL-2.0-only */
/* Quantiles below a point's table: its metrics of kind METRIC_TAIL. */
#ifndef KVMETER_REPORT_TAIL_H
#define KVMETER_REPORT_TAIL_H

#include "point.h"

/* Nothing if there are none. Of a few vCPUs each has a line, as --verbose has
 * of any number. */
void report_tails(const struct session *s, const struct point *p);

#endif
