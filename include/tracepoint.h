/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counting a kernel tracepoint in this process, by perf_event_open(2).
 *
 * Needs root or CAP_PERFMON, and tracefs to be mounted.
 */
#ifndef KVMETER_TRACEPOINT_H
#define KVMETER_TRACEPOINT_H

#include "types.h"

/* Where tracefs has its number, of "SYSTEM/EVENT". */
#define TRACEPOINT_ID_FORMAT "/sys/kernel/tracing/events/%s/id"

/*
 * Its number for perf_event_open(); false: tracefs does not show it, or reading
 * fails with errno.
 */
bool tracepoint_id(const char *event, u64 *id);

/*
 * Counts "SYSTEM/EVENT" in the calling thread and in threads that it creates
 * from now on, as far as it passes @filter (Documentation/trace/events.rst 5).
 * Returns a descriptor to close(), or -errno.
 */
int tracepoint_open(const char *event, const char *filter);

/* Events so far, of all those threads. */
u64 tracepoint_read(int fd);

#endif
