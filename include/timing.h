/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How long a phase took and what it cost this process.
 *
 * The clock is read last before the phase and first after it; resource usage
 * is read outside the timed interval.
 */
#ifndef KVMETER_TIMING_H
#define KVMETER_TIMING_H

#include "types.h"

/* CPU time and context switches of threads; getrusage(2), schedstat. */
struct thread_usage {
	u64 user_ns; /* includes guest time */
	u64 sys_ns;
	u64 voluntary;
	u64 involuntary;
	u64 delay_ns; /* spent runnable, waiting for a CPU */
};

/*
 * What this process has used, or a difference of two: the threads of vCPUs, and
 * those that act as the host.
 */
struct usage {
	struct thread_usage vcpus; /* all that is not the host's */
	struct thread_usage host;
	u64 in_run_ns; /* the part of vcpus.user_ns + sys_ns within KVM_RUN */
};

struct thread_usage thread_usage_add(struct thread_usage a,
				     struct thread_usage b);
struct thread_usage thread_usage_sub(struct thread_usage a,
				     struct thread_usage b);

/* Of the calling thread, but for delay_ns, which is 0. */
struct thread_usage thread_usage_now(void);

struct timing {
	u64 ns;
	struct usage usage;
	/*
	 * Each vCPU's time from the common release to its own arrival;
	 * borrowed from the gang until its next round. NULL: host only.
	 */
	const u64 *vcpu_ns;
	unsigned int nr_vcpus;
};

struct stopwatch {
	struct usage usage;
	u64 start_ns;
};

/*
 * The calling thread is the host; the gang alone knows in_run_ns and
 * vcpus.delay_ns, which are 0.
 */
struct usage usage_now(void);
struct usage usage_since(const struct usage *before);
struct usage usage_add(struct usage a, struct usage b);

/* CPU time of other threads, contained in @u, was the host's as well. */
void usage_move_to_host(struct usage *u, struct thread_usage of_others);

/* A descriptor for delay_read(), or -1 where the kernel does not tell. */
int delay_open(int tid);
/* Nanoseconds that the thread has waited for a CPU; 0 for descriptor -1. */
u64 delay_read(int fd);

struct stopwatch stopwatch_start(void);
struct timing stopwatch_stop(const struct stopwatch *watch);

/* Times one expression of the calling thread. */
#define TIMED(expr)                                          \
	__extension__({                                      \
		struct stopwatch watch_ = stopwatch_start(); \
		expr;                                        \
		stopwatch_stop(&watch_);                     \
	})

/*
 * What all vCPUs do in a minute, of whom each has done @done, one for each, by
 * the time of its own arrival: whoever was early does nothing afterwards.
 */
u64 timing_per_min(const struct timing *t, const u64 *done);

/* The sum, for phases of several calls; per-vCPU times are dropped. */
struct timing timing_add(struct timing a, struct timing b);

#endif
