/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "lock_records.h"
#include "lock_wait.h"
#include "remedy.h"
#include "tracepoint.h"
#include "util.h"

#define RING_BYTES KIB(64) /* of a thread; a power of two pages of any host */
#define COST_CALLS 2000

const char *const lock_kind_names[LOCK_KINDS] = {
	[LOCK_RWLOCK_READ] = "rwlock_read",
	[LOCK_RWLOCK_WRITE] = "rwlock_write",
	[LOCK_SPIN] = "spin",
	[LOCK_MUTEX] = "mutex",
	[LOCK_RWSEM_READ] = "rwsem_read",
	[LOCK_RWSEM_WRITE] = "rwsem_write",
	[LOCK_OTHER] = "other",
};

const char *const lock_side_names[LOCK_SIDES] = {
	[LOCK_SIDE_VCPUS] = "vcpus",
	[LOCK_SIDE_HOST] = "host",
};

struct thread {
	int begin_fd, end_fd;
	struct perf_event_mmap_page *page;
	u8 *data;
	struct lock_records records;
};

struct lock_wait {
	u64 begin_id, end_id;
	size_t page_bytes;
	struct thread *thread;
	unsigned int nr;
};

static const char begin_event[] = "lock/contention_begin";
static const char end_event[] = "lock/contention_end";

/* Returns NULL, or which event's cannot be read, with errno. */
static const char *read_ids(struct lock_wait *lw)
{
	if (!tracepoint_id(begin_event, &lw->begin_id))
		return begin_event;
	return tracepoint_id(end_event, &lw->end_id) ? NULL : end_event;
}

static int open_event(u64 id, int tid)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.config = id,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_TIME | PERF_SAMPLE_RAW,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
	};

	return (int)syscall(SYS_perf_event_open, &attr, tid, -1, -1,
			    PERF_FLAG_FD_CLOEXEC);
}

const char *lock_wait_missing(void)
{
	static char why[256];
	struct lock_wait lw = { .end_id = 0 };
	const char *event;
	int fd;

	errno = 0;
	event = read_ids(&lw);
	if (event && errno && errno != ENOENT && errno != EACCES) {
		snprintf(why, sizeof(why), TRACEPOINT_ID_FORMAT ": %s", event,
			 errno_text(errno));
		return why;
	}
	if (!lw.end_id)
		return "no tracepoint lock/contention_begin: it came with "
		       "Linux 5.19, and shows where tracefs is mounted and "
		       "readable (mount -t tracefs none /sys/kernel/tracing)";
	fd = open_event(lw.begin_id, 0);
	if (fd < 0) {
		snprintf(why, sizeof(why),
			 "perf_event_open() refuses the tracepoint: %s",
			 errno == EACCES || errno == EPERM ?
				 "run as root, or with CAP_PERFMON" :
				 errno_text(errno));
		return why;
	}
	close(fd);
	return NULL;
}

struct lock_wait *lock_wait_create(void)
{
	struct lock_wait *lw = xcalloc(1, sizeof(*lw));
	const char *event = read_ids(lw);

	if (event)
		die("--lock-wait: " TRACEPOINT_ID_FORMAT ": %s", event,
		    errno_text(errno));
	lw->page_bytes = sysconf(_SC_PAGESIZE);
	return lw;
}

void lock_wait_free(struct lock_wait *lw)
{
	if (!lw)
		return;
	for (unsigned int i = 0; i < lw->nr; i++) {
		munmap(lw->thread[i].page, lw->page_bytes + RING_BYTES);
		close(lw->thread[i].end_fd);
		close(lw->thread[i].begin_fd);
	}
	free(lw->thread);
	free(lw);
}

void lock_wait_add(struct lock_wait *lw, int tid, enum lock_side side)
{
	struct thread t = {
		.records = { .begin_id = lw->begin_id,
			     .end_id = lw->end_id,
			     .side = side },
	};

	t.begin_fd = open_event(lw->begin_id, tid);
	t.end_fd = t.begin_fd < 0 ? -1 : open_event(lw->end_id, tid);
	if (t.end_fd < 0)
		die("--lock-wait: perf_event_open() for thread %u: %s: choose "
		    "fewer --vcpus, or do without it",
		    lw->nr, strerror(errno));
	t.page = mmap(NULL, lw->page_bytes + RING_BYTES, PROT_READ | PROT_WRITE,
		      MAP_SHARED, t.begin_fd, 0);
	if (t.page == MAP_FAILED)
		die("--lock-wait: mapping a ring for thread %u: %s: raise "
		    "kernel.perf_event_mlock_kb, or do without it",
		    lw->nr, strerror(errno));
	if (ioctl(t.end_fd, PERF_EVENT_IOC_SET_OUTPUT, t.begin_fd))
		die("--lock-wait: PERF_EVENT_IOC_SET_OUTPUT of thread %u: %s",
		    lw->nr, errno_text(errno));
	t.data = (u8 *)t.page + lw->page_bytes;
	lw->thread = xrealloc(lw->thread, lw->nr + 1, sizeof(*lw->thread));
	lw->thread[lw->nr++] = t;
}

static void read_ring(struct thread *t, struct lock_report *report)
{
	struct lock_ring ring = {
		.data = t->data,
		.bytes = RING_BYTES,
		.tail = t->page->data_tail,
		.head = __atomic_load_n(&t->page->data_head, __ATOMIC_ACQUIRE),
	};

	lock_records_take(&t->records, &ring, report);
	__atomic_store_n(&t->page->data_tail, ring.tail, __ATOMIC_RELEASE);
}

void lock_wait_read(struct lock_wait *lw, struct lock_report *report)
{
	for (unsigned int i = 0; i < lw->nr; i++)
		read_ring(&lw->thread[i], report);
}

void lock_report_add(struct lock_report *sum, const struct lock_report *report)
{
	for (unsigned int side = 0; side < LOCK_SIDES; side++) {
		for (unsigned int kind = 0; kind < LOCK_KINDS; kind++) {
			const struct lock_waits *w = &report->of[side][kind];
			struct lock_waits *to = &sum->of[side][kind];

			to->waits += w->waits;
			to->ns += w->ns;
			to->longest_ns = max_u64(to->longest_ns, w->longest_ns);
		}
	}
	sum->lost += report->lost;
}

bool lock_report_is_empty(const struct lock_report *report)
{
	for (unsigned int side = 0; side < LOCK_SIDES; side++)
		for (unsigned int kind = 0; kind < LOCK_KINDS; kind++)
			if (report->of[side][kind].waits)
				return false;
	return !report->lost;
}

static u64 time_calls(void)
{
	u64 start_ns = now_ns();

	for (int i = 0; i < COST_CALLS; i++)
		syscall(SYS_getppid);
	return now_ns() - start_ns;
}

/* As no lock can be made to be waited for, a system call stands in for it. */
double lock_wait_cost_ns(void)
{
	struct thread t = { 0 };
	size_t page_bytes = sysconf(_SC_PAGESIZE);
	u64 id, without, with;

	if (!tracepoint_id("raw_syscalls/sys_enter", &id))
		return 0;
	t.begin_fd = open_event(id, 0);
	if (t.begin_fd < 0)
		return 0;
	t.page = mmap(NULL, page_bytes + RING_BYTES, PROT_READ | PROT_WRITE,
		      MAP_SHARED, t.begin_fd, 0);
	with = time_calls();
	ioctl(t.begin_fd, PERF_EVENT_IOC_DISABLE, 0);
	without = time_calls();
	if (t.page != MAP_FAILED)
		munmap(t.page, page_bytes + RING_BYTES);
	close(t.begin_fd);
	return 2.0 * (with - min_u64(with, without)) / COST_CALLS;
}
