/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory-bound threads, one on each vCPU, and the slow memory under them: the
 * memory under test of a run, filled with what guest/load.h says and made slow
 * as --slow says (slow_memory.h). Main thread only.
 */
#ifndef KVMETER_SLOW_LOAD_H
#define KVMETER_SLOW_LOAD_H

#include "bench.h"
#include "load.h"
#include "slow_memory.h"

struct slow_load;

/* Options. */
struct slow_load_config {
	const char *slow;  /* value of --slow */
	u64 limit_percent; /* share that may stay, if it has a limit */
	u64 seed;	   /* of what the memory holds */
};

/* usage_error() for what does not go together. */
void slow_load_validate(const struct slow_load_config *cfg,
			const struct bench_config *common);

/* Skips for what this host cannot do. */
void slow_load_require(const struct slow_load_config *cfg,
		       const struct bench_config *common);

/*
 * After run_start(). The run's variant is an enum load_pattern. Injected fault:
 * @wrong words are filled wrong.
 */
struct slow_load *
slow_load_create(struct run *r, const struct slow_load_config *cfg, u64 wrong);
/* Before run_end(). */
void slow_load_free(struct slow_load *sl);

/* What vCPU @vcpu is to do in the next pass. */
struct guest_load slow_load_share(const struct slow_load *sl, u32 vcpu);

/*
 * After a pass of every vCPU, in which they have read @wrong words that should
 * be others: checks that memory was slow and what it holds, and makes it slow
 * again for the next.
 */
void slow_load_end_pass(struct slow_load *sl, int slow_check, int content_check,
			u64 wrong);

#endif
