/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Has an operation on one memslot made KVM drop the mappings of all others, or
 * of none? Told by KVM's counts of mappings, where it has them, or by the
 * faults of the pass that follows. Main thread only, while no vCPU runs.
 */
#ifndef KVMETER_ZAP_PROOF_H
#define KVMETER_ZAP_PROOF_H

#include "bench.h"

struct zap_proof {
	struct run *r;
	char *quirks; /* that the VM is without, or NULL */
	bool all; /* everything is to be dropped, else the slot's own at most */
	u64 own;  /* entries that the slot itself has at most */
	struct mappings working_set; /* of the memory under test, when all of it
				      * is mapped: zap_proof_begin() */
	struct mappings before, left; /* in all, where KVM counts them */
};

/*
 * Before run_create(). @deletes: the operation is one for which KVM may drop
 * everything; @no_quirk: but the VM is to be without the quirk that does.
 */
void zap_proof_init(struct zap_proof *p, struct run *r, bool deletes,
		    bool no_quirk);
void zap_proof_fini(struct zap_proof *p); /* after run_end() or before */

/* Why this KVM cannot be without that quirk; NULL if it can. Static storage. */
const char *zap_proof_missing(int kvm_fd, bool no_quirk);

/* With all memory mapped, after check_mappings(). */
void zap_proof_begin(struct zap_proof *p);

/* After the operation. */
void zap_proof_check_left(struct zap_proof *p, int id);

/*
 * After a pass over all memory and its sample(): how many entries were made, or
 * faults taken. False: that cannot be told here.
 */
bool zap_proof_check_refaults(struct zap_proof *p, int id, u64 *refaults);

/* Drops what KVM has mapped of the memory without a call: for the checks. */
void zap_proof_falsify(const struct zap_proof *p);

/* Faults that the vCPUs have taken so far; false: not counted here. */
bool zap_proof_faults(const struct run *r, u64 *faults);

#endif
