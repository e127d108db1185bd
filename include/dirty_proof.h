/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Does the dirty log hold what the guest has written? Two proofs:
 *
 * equal: vCPUs ran a known pass in lockstep; the log must have the pages that
 * their plans write, and no other. One excuse is known: where the port says so
 * (arch_read_fault_logs()), a page that was read counts as written if the read
 * made its mapping; there are no more of these than mappings of base pages that
 * the pass has added.
 *
 * changed: vCPUs run free. After the last clear the host writes a number into
 * every page that guests never write, lets the guest run, stops it and collects
 * once more. A page with another number was written since, hence after its bit
 * was cleared, so it must be in that last log.
 */
#ifndef KVMETER_DIRTY_PROOF_H
#define KVMETER_DIRTY_PROOF_H

#include "dirty.h"
#include "workload.h"

/* Accesses of all vCPUs, at least, between the marks and the stop. */
#define DIRTY_PROOF_ACCESSES 1000

enum dirty_inject {
	INJECT_NOTHING,
	INJECT_LOST_PAGE,
	INJECT_EXTRA_PAGE,
	INJECT_UNCLEARED_PAGE
};
extern const char *const dirty_inject_names[];

struct dirty_proof;

/* Borrows @r and @log. @inject falsifies the log that is looked at. */
struct dirty_proof *dirty_proof_create(struct run *r, struct dirty_log *log,
				       enum dirty_inject inject);
void dirty_proof_free(struct dirty_proof *proof); /* NULL is fine */

/* Before a pass: what the next log is to hold. */
void dirty_proof_expect_all(struct dirty_proof *proof);
void dirty_proof_expect_pass(struct dirty_proof *proof,
			     const struct workload *w);
void dirty_proof_expect_writes(struct dirty_proof *proof,
			       const struct workload *w); /* all accesses are */
/* After dirty_log_get(): records the result of check @id. */
void dirty_proof_check_equal(struct dirty_proof *proof, int id);

/*
 * After dirty_log_clear(), while no vCPU runs: collects once more and records
 * in check @id whether the log is empty.
 */
void dirty_proof_check_cleared(struct dirty_proof *proof, int id);

/*
 * After logging was switched off, while all are idle: records in check @id
 * whether it is.
 */
void dirty_proof_check_off(struct dirty_proof *proof, int id);

/*
 * After the last clear, while all are idle: the proof for vCPUs that ran free.
 * Marks all pages, lets vCPUs run guest function @function until stopped,
 * collects, and records in check @logged whether all that has changed is in the
 * log; then clears and records in check @cleared whether that was all.
 */
void dirty_proof_check_free(struct dirty_proof *proof, const char *function,
			    int logged, int cleared);

#endif
