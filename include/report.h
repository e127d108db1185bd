/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a person and a kselftest runner read: KTAP version 1
 * (Documentation/dev-tools/ktap.rst) with the table in its diagnostic lines.
 */
#ifndef KVMETER_REPORT_H
#define KVMETER_REPORT_H

#include "point.h"

/* Version line, plan, host and question. */
void report_begin(struct session *s);
/* Table, notes and results of one point. */
void report_point(struct session *s, const struct point *p);
/* Writes what was printed, and keeps in the session why it could not. */
void report_flush(struct session *s);
/* Instead of report_begin(): nothing was measured. A failure if strict. */
void report_skip(struct session *s, const char *reason);
/* No more results will come, and none came if nothing has begun. */
void report_bail_out(struct session *s, const char *reason);

#endif
