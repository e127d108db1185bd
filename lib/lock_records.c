/* SPDX-License-Identifier: GPL-2.0-only */
#include <string.h>

#include "lock_records.h"
#include "util.h"

/* Linux 5.19: include/trace/events/lock.h */
#define LCB_F_SPIN 1u
#define LCB_F_READ 2u
#define LCB_F_WRITE 4u
#define LCB_F_MUTEX 32u

static enum lock_kind kind_of(u32 flags)
{
	bool read = flags & LCB_F_READ, write = flags & LCB_F_WRITE;

	if (flags & LCB_F_MUTEX)
		return LOCK_MUTEX;
	if (read || write)
		return flags & LCB_F_SPIN ?
			       (read ? LOCK_RWLOCK_READ : LOCK_RWLOCK_WRITE) :
			       (read ? LOCK_RWSEM_READ : LOCK_RWSEM_WRITE);
	return flags & LCB_F_SPIN ? LOCK_SPIN : LOCK_OTHER;
}

/* A mutex begins twice: it spins, then it sleeps. */
static void wait_begin(struct lock_records *r, u64 lock, u64 now_ns, u32 flags)
{
	for (unsigned int i = 0; i < r->depth; i++)
		if (r->wait[i].lock == lock)
			return;
	if (r->depth == LOCK_DEPTH_MAX)
		return;
	r->wait[r->depth].lock = lock;
	r->wait[r->depth].since_ns = now_ns;
	r->wait[r->depth++].kind = kind_of(flags);
}

static void add_wait(struct lock_waits *sum, u64 ns)
{
	sum->waits++;
	sum->ns += ns;
	sum->longest_ns = max_u64(sum->longest_ns, ns);
}

static void wait_end(struct lock_records *r, u64 lock, u64 now_ns,
		     struct lock_report *report)
{
	for (unsigned int i = r->depth; i-- > 0;) {
		if (r->wait[i].lock != lock)
			continue;
		/* what began above it has ended, wherever that record is */
		r->depth = i;
		if (report)
			add_wait(&report->of[r->side][r->wait[i].kind],
				 now_ns - r->wait[i].since_ns);
		return;
	}
}

/* Any end may be among them: the next wait for that lock is another one. */
static void lose(struct lock_records *r, u64 lost, struct lock_report *report)
{
	r->depth = 0;
	if (report)
		report->lost += lost;
}

/* What is at the tail, which may wrap around. */
static void copy_out(const struct lock_ring *ring, void *to, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		((u8 *)to)[i] = ring->data[(ring->tail + i) % ring->bytes];
}

static void take_sample(struct lock_records *r, const struct lock_record *s,
			struct lock_report *report)
{
	u64 lock;

	memcpy(&lock, s->lock, sizeof(lock));
	if (s->event == r->begin_id)
		wait_begin(r, lock, s->time_ns, s->value);
	else if (s->event == r->end_id)
		wait_end(r, lock, s->time_ns, report);
}

void lock_records_take(struct lock_records *r, struct lock_ring *ring,
		       struct lock_report *report)
{
	while (ring->tail < ring->head) {
		struct perf_event_header header;
		struct lock_lost_record lost;
		struct lock_record sample;

		copy_out(ring, &header, sizeof(header));
		if (!header.size)
			die("a record of locks without a size");
		if (header.type == PERF_RECORD_LOST) {
			copy_out(ring, &lost, sizeof(lost));
			lose(r, lost.lost, report);
		} else if (header.type == PERF_RECORD_SAMPLE &&
			   header.size >= sizeof(sample)) {
			copy_out(ring, &sample, sizeof(sample));
			take_sample(r, &sample, report);
		}
		ring->tail += header.size;
	}
}
