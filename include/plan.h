/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Access plans: which pages a vCPU touches in which order, and which of the
 * accesses write. Computed by the host before anything is timed, so that the
 * guest spends no time on random numbers and the host knows exactly what the
 * guest has written. guest.h says how the guest follows a plan.
 */
#ifndef KVMETER_PLAN_H
#define KVMETER_PLAN_H

#include <guest/access.h>
#include "vm.h"

/* An order that any number of vCPUs follow, each from its own base. */
struct plan {
	struct vm *vm;
	u32 nr;
	u64 page_bytes;
	bool random;
	u64 seed;
	u32 *order; /* control memory */
	u8 *choice;
};

struct plan_config {
	u64 pages; /* accesses of a pass: each page once; below 2^32 */
	u64 page_bytes;
	bool random;
	u64 seed; /* the same seed gives the same plan on any machine */
};

/* Before vm_start(). Control memory is the VM's: only @plan is to be freed. */
void plan_init(struct plan *plan, struct vm *vm, const struct plan_config *cfg);

struct plan_share {
	u64 base_gva; /* of page 0 of the share */
	u64 page_bytes;
	u64 pages; /* of the plan's; fewer only in a sequential plan */
	u32 write_percent;
};

/*
 * Gives a vCPU its share. In a random plan every vCPU begins at another
 * access, and in every plan its choice of writes is turned differently. While
 * the vCPU is stopped.
 */
void plan_assign(const struct plan *plan, struct vcpu *vcpu,
		 const struct plan_share *share);

/*
 * Sets the bit of each page of the first @accesses of a pass by @p that is
 * written; bit @first_page is page 0 of the share. @p may touch pages that lie
 * a multiple of the plan's page_bytes apart.
 */
void plan_mark(const struct plan *plan, const struct guest_plan *p,
	       u32 accesses, u64 first_page, u64 *bitmap);

#endif
