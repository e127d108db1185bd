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

/* CPU time and context switches of this process, or a difference of two. */
struct usage {
	u64 user_ns; /* includes guest time */
	u64 sys_ns;
	u64 in_run_ns; /* the part of user_ns + sys_ns within KVM_RUN */
	u64 voluntary;
	u64 involuntary;
};

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

struct usage usage_now(void); /* in_run_ns is 0: only the gang knows it */
struct usage usage_since(const struct usage *before);

struct stopwatch stopwatch_start(void);
struct timing stopwatch_stop(const struct stopwatch *watch);

/* Times one expression of the calling thread. */
#define TIMED(expr)                                          \
	__extension__({                                      \
		struct stopwatch watch_ = stopwatch_start(); \
		expr;                                        \
		stopwatch_stop(&watch_);                     \
	})

/* The sum, for phases of several calls; per-vCPU times are dropped. */
struct timing timing_add(struct timing a, struct timing b);

#endif
