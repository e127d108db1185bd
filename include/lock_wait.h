/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How long threads of this process wait for locks of the kernel, by the
 * tracepoints lock:contention_begin and lock:contention_end (Linux 5.19). Each
 * thread has a ring of perf_event_open(2) of its own.
 *
 * Needs root or CAP_PERFMON, and tracefs to be mounted. Main thread only.
 */
#ifndef KVMETER_LOCK_WAIT_H
#define KVMETER_LOCK_WAIT_H

#include "types.h"

/* By what the kernel says of the lock: LCB_F_*, include/trace/events/lock.h */
enum lock_kind {
	LOCK_RWLOCK_READ, /* KVM's MMU lock is a rwlock */
	LOCK_RWLOCK_WRITE,
	LOCK_SPIN,
	LOCK_MUTEX,
	LOCK_RWSEM_READ, /* mmap_lock is a rwsem */
	LOCK_RWSEM_WRITE,
	LOCK_OTHER,
	LOCK_KINDS
};
extern const char *const lock_kind_names[LOCK_KINDS];

enum lock_side { LOCK_SIDE_VCPUS, LOCK_SIDE_HOST, LOCK_SIDES };
extern const char *const lock_side_names[LOCK_SIDES];

/* What threads of a side have waited for locks of a kind. */
struct lock_waits {
	u64 waits;
	u64 ns;
	u64 longest_ns;
};

struct lock_report {
	struct lock_waits of[LOCK_SIDES][LOCK_KINDS];
	u64 lost; /* records that a ring had no room for */
};

/* Why it cannot be measured, with the remedy, static storage; NULL: it can. */
const char *lock_wait_missing(void);

struct lock_wait;

/* Open files of each thread that is added. */
#define LOCK_WAIT_FILES 2

struct lock_wait *lock_wait_create(void);
void lock_wait_free(struct lock_wait *lw); /* NULL is fine */

/* From now on; dies if it cannot be. @tid is the kernel's id of the thread. */
void lock_wait_add(struct lock_wait *lw, int tid, enum lock_side side);

/*
 * Adds to @report, if that is not NULL, the waits that have ended since the
 * last time. No system call, no allocation.
 */
void lock_wait_read(struct lock_wait *lw, struct lock_report *report);

void lock_report_add(struct lock_report *sum, const struct lock_report *report);
bool lock_report_is_empty(const struct lock_report *report);

/*
 * Nanoseconds that one wait takes longer because it is recorded, about: two
 * records of a tracepoint that the calling thread passes.
 */
double lock_wait_cost_ns(void);

#endif
