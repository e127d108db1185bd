/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the records of lock:contention_begin and lock:contention_end of one
 * thread say of its waits: the part of lock_wait.h that asks no kernel.
 */
#ifndef KVMETER_LOCK_RECORDS_H
#define KVMETER_LOCK_RECORDS_H

#include <linux/perf_event.h>

#include "lock_wait.h"

/* Locks that one thread is taken to wait for at a time: interrupts nest. */
#define LOCK_DEPTH_MAX 8

/*
 * PERF_RECORD_SAMPLE with PERF_SAMPLE_TIME and PERF_SAMPLE_RAW: the format that
 * perf_event_open(2) describes, then the fields of the tracepoint, in both
 * events at the same place (events/lock/contention_begin/format in tracefs).
 */
struct lock_record {
	struct perf_event_header header;
	u64 time_ns;
	u32 raw_bytes;
	u16 event; /* the id of its tracepoint */
	u8 flags, preempt_count;
	u32 pid;
	u8 lock[8]; /* its address, not aligned */
	u32 value;  /* begin: LCB_F_*; end: what locking returned */
} __attribute__((packed));

/* PERF_RECORD_LOST */
struct lock_lost_record {
	struct perf_event_header header;
	u64 id, lost;
};

/* A thread. Zero but for the first three members: it waits for nothing. */
struct lock_records {
	u64 begin_id, end_id; /* of the tracepoints */
	enum lock_side side;
	/* what it waits for, the innermost last */
	struct {
		u64 lock;
		u64 since_ns;
		enum lock_kind kind;
	} wait[LOCK_DEPTH_MAX];
	unsigned int depth;
};

/* Positions count on; the ring has them modulo @bytes. */
struct lock_ring {
	const u8 *data;
	u64 bytes;
	u64 tail, head;
};

/*
 * Takes all records from tail to head, and moves tail. Waits that end are added
 * to @report, if that is not NULL. Of a wait whose record was lost nothing is
 * known: it is left out, and what was lost is counted.
 */
void lock_records_take(struct lock_records *r, struct lock_ring *ring,
		       struct lock_report *report);

#endif
