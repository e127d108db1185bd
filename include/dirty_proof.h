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
 * changed: vCPUs run free. After the last clear the host copies the first word
 * of every page, lets the guest go on, stops it and collects once more. A page
 * whose word differs from the copy was written after the copy, hence after its
 * bit was cleared, so it must be in that last log. (The guest writes rising
 * numbers; an equal number can only hide a write, never invent one.)
 */
#ifndef KVMETER_DIRTY_PROOF_H
#define KVMETER_DIRTY_PROOF_H

#include "dirty.h"
#include "workload.h"

/* Accesses of all vCPUs, at least, between the copy and the stop. */
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
/* After dirty_log_get(): records the result of check @check. */
void dirty_proof_check_equal(struct dirty_proof *proof, int check);

/*
 * After dirty_log_clear(), while no vCPU runs: collects once more and records
 * in check @check whether the log is empty.
 */
void dirty_proof_check_cleared(struct dirty_proof *proof, int check);

/* The same after dirty_log_get(), with a clear of everything before it. */
void dirty_proof_check_clearing(struct dirty_proof *proof, int check);

/* After logging was switched off: records in check @check whether it is. */
void dirty_proof_check_off(struct dirty_proof *proof, int check);

/* After the last clear, while vCPUs run. */
void dirty_proof_snapshot(struct dirty_proof *proof);
/* After they have stopped and dirty_log_get(). */
void dirty_proof_check_changed(struct dirty_proof *proof, int check);

#endif
