/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Host threads that share a list of jobs, such as the calls that clear a dirty
 * log. They sleep on a futex between lists and use no CPU then.
 *
 * Main thread only, apart from the jobs.
 */
#ifndef KVMETER_CREW_H
#define KVMETER_CREW_H

#include "timing.h"

struct crew;

/*
 * @workers threads, at least 1; the main thread is the first of them, so that
 * with 1 none is started.
 */
struct crew *crew_create(unsigned int workers);
void crew_free(struct crew *crew); /* NULL is fine */

unsigned int crew_workers(const struct crew *crew);

/*
 * Does job 0 to @nr - 1, each once, by the next worker that is free, and
 * returns when all are done. A job must not end the process: it reports what
 * goes wrong through @arg.
 */
void crew_run(struct crew *crew, u64 nr,
	      void (*job)(void *arg, unsigned int worker, u64 index),
	      void *arg);

/*
 * What the workers have used, the main thread excluded, since they were
 * created. While they sleep.
 */
struct thread_usage crew_usage(const struct crew *crew);

/* Kernel's id of a worker's thread, for what is counted by thread. */
int crew_tid(const struct crew *crew, unsigned int worker);

#endif
