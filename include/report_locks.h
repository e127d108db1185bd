/* SPDX-License-Identifier: GPL-2.0-only */
/* Waits for locks of the kernel, below a point's table: --lock-wait. */
#ifndef KVMETER_REPORT_LOCKS_H
#define KVMETER_REPORT_LOCKS_H

#include "point.h"

/* Nothing unless it was asked for. */
void report_locks(const struct session *s, const struct point *p);

/* Member "locks" of a metric's object, if it was asked for. */
void results_locks(const struct session *s, const struct lock_report *report,
		   struct json *j);

#endif
