/* SPDX-License-Identifier: GPL-2.0-only */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "clock.h"
#include "crew.h"
#include "futex.h"
#include "interrupt.h"
#include "patience.h"
#include "remedy.h"
#include "thread_start.h"
#include "util.h"

/* Between two looks at signals. */
#define LOOK_NS (NSEC_PER_SEC / 10)
/* What the kernel takes for a hung task. */
#define STUCK_NS (120 * NSEC_PER_SEC)

struct worker {
	struct crew *crew;
	unsigned int index;
	pthread_t thread;
	int tid;
	int delay_fd;
	struct thread_usage usage; /* after its last list */
};

struct crew {
	unsigned int nr;
	struct worker *worker;
	u64 nr_jobs;
	void (*job)(void *arg, unsigned int worker, u64 index);
	void *arg;
	bool quit;
	u64 next; /* job that nobody has taken */
	/* futexes */
	u32 list;	 /* counts lists */
	u32 outstanding; /* workers at work, the main thread excluded */
};

static void work(struct crew *c, unsigned int worker)
{
	u64 i;

	while ((i = __atomic_fetch_add(&c->next, 1, __ATOMIC_RELAXED)) <
	       c->nr_jobs)
		c->job(c->arg, worker, i);
}

static void report_done(struct crew *c)
{
	if (!__atomic_sub_fetch(&c->outstanding, 1, __ATOMIC_ACQ_REL))
		futex_wake(&c->outstanding, 1);
}

static void *worker_main(void *arg)
{
	struct worker *w = arg;
	struct crew *c = w->crew;
	u32 done = 0;

	w->tid = (int)syscall(SYS_gettid);
	w->delay_fd = delay_open(w->tid);
	w->usage = thread_usage_now();
	report_done(c);
	for (;;) {
		u32 list = __atomic_load_n(&c->list, __ATOMIC_ACQUIRE);

		if (list == done) {
			futex_wait(&c->list, list, FUTEX_FOREVER);
			continue;
		}
		done = list;
		if (c->quit)
			return NULL;
		work(c, w->index);
		w->usage = thread_usage_now();
		report_done(c);
	}
}

/* Grows while anybody works. */
static u64 work_done(const struct crew *c)
{
	u64 ns = 0;

	for (unsigned int i = 1; i < c->nr; i++)
		ns += cpu_ns_of(c->worker[i].thread);
	return ns;
}

static void wait_for_all(struct crew *c)
{
	struct patience patience;
	u64 before = 0, now;
	u32 left;

	patience_begin(&patience, LOOK_NS);

	while ((left = __atomic_load_n(&c->outstanding, __ATOMIC_ACQUIRE))) {
		futex_wait(&c->outstanding, left, LOOK_NS);
		interrupt_check();
		now = work_done(c);
		if (now != before)
			patience_begin(&patience, LOOK_NS);
		else if (patience_look(&patience) > STUCK_NS)
			die("%u of %u host threads do not end what they do, "
			    "nor work on it: see dmesg",
			    left, c->nr);
		before = now;
	}
}

/* All but the main thread go on. */
static void release(struct crew *c)
{
	__atomic_store_n(&c->outstanding, c->nr - 1, __ATOMIC_RELAXED);
	__atomic_add_fetch(&c->list, 1, __ATOMIC_RELEASE);
	futex_wake(&c->list, FUTEX_ALL);
}

static void start(struct worker *w)
{
	int error = thread_start(&w->thread, worker_main, w);

	if (error)
		die("host thread %u of %u: %s%s", w->index, w->crew->nr,
		    strerror(error), process_remedy(error));
}

struct crew *crew_create(unsigned int workers)
{
	struct crew *c = xcalloc(1, sizeof(*c));

	c->nr = workers;
	c->worker = xcalloc(workers, sizeof(*c->worker));
	c->worker[0].tid = (int)syscall(SYS_gettid);
	c->outstanding = workers - 1;
	for (unsigned int i = 1; i < workers; i++) {
		c->worker[i] = (struct worker){ .crew = c, .index = i };
		start(&c->worker[i]);
	}
	wait_for_all(c);
	return c;
}

void crew_free(struct crew *c)
{
	if (!c)
		return;
	c->quit = true;
	release(c);
	for (unsigned int i = 1; i < c->nr; i++)
		thread_join(c->worker[i].thread, THREAD_END_S,
			    "host thread %u, which is idle", i);
	for (unsigned int i = 1; i < c->nr; i++)
		if (c->worker[i].delay_fd >= 0)
			close(c->worker[i].delay_fd);
	free(c->worker);
	free(c);
}

unsigned int crew_workers(const struct crew *c)
{
	return c->nr;
}

struct thread_usage crew_usage(const struct crew *c)
{
	struct thread_usage sum = { 0 };

	for (unsigned int i = 1; i < c->nr; i++) {
		sum = thread_usage_add(sum, c->worker[i].usage);
		sum.delay_ns += delay_read(c->worker[i].delay_fd);
	}
	return sum;
}

int crew_tid(const struct crew *c, unsigned int worker)
{
	return c->worker[worker].tid;
}

void crew_run(struct crew *c, u64 nr,
	      void (*job)(void *arg, unsigned int worker, u64 index), void *arg)
{
	c->nr_jobs = nr;
	c->job = job;
	c->arg = arg;
	c->next = 0;
	if (c->nr > 1)
		release(c);
	work(c, 0);
	if (c->nr > 1)
		wait_for_all(c);
}
