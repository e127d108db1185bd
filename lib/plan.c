/* SPDX-License-Identifier: GPL-2.0-only */
#include "plan.h"
#include "random.h"
#include "util.h"

/* Prime to GUEST_CHOICES, and far from its small fractions. */
#define TURN_STEP 37

static void shuffle(u32 *v, u32 nr, u64 *state)
{
	for (u32 i = nr; i > 1; i--) {
		u32 j = random_below(state, i);
		u32 swap = v[i - 1];

		v[i - 1] = v[j];
		v[j] = swap;
	}
}

void plan_init(struct plan *plan, struct vm *vm, const struct plan_config *cfg)
{
	u64 state = cfg->seed;

	*plan = (struct plan){ .vm = vm,
			       .nr = cfg->pages,
			       .page_bytes = cfg->page_bytes,
			       .random = cfg->random,
			       .seed = cfg->seed };
	if (plan->nr != cfg->pages)
		die("%llu pages in one plan: at most 2^32 - 1: choose smaller "
		    "--bytes",
		    (unsigned long long)cfg->pages);
	plan->order = vm_alloc(vm, cfg->pages * sizeof(*plan->order), 64);
	plan->choice = vm_alloc(vm, cfg->pages, 64);
	for (u32 i = 0; i < plan->nr; i++) {
		plan->order[i] = i;
		plan->choice[i] = random_below(&state, GUEST_CHOICES);
	}
	if (cfg->random)
		shuffle(plan->order, plan->nr, &state);
}

void plan_assign(const struct plan *plan, struct vcpu *vcpu,
		 const struct plan_share *share)
{
	u64 state = plan->seed + vcpu->index + 1;

	if (share->pages != plan->nr &&
	    (plan->random || share->pages > plan->nr))
		die("a share of %llu pages in a plan of %u",
		    (unsigned long long)share->pages, plan->nr);
	vcpu->area->plan = (struct guest_plan){
		.base = share->base_gva,
		.page_bytes = share->page_bytes,
		.order = vm_gva(plan->vm, plan->order),
		.choice = vm_gva(plan->vm, plan->choice),
		.nr = share->pages,
		.first = plan->random ? random_below(&state, plan->nr) : 0,
		.write_below = share->write_percent,
		.turn = vcpu->index * TURN_STEP % GUEST_CHOICES,
		.turn_step = TURN_STEP,
	};
}

void plan_mark(const struct plan *plan, const struct guest_plan *p,
	       u32 accesses, u64 first_page, u64 *bitmap)
{
	u64 apart = p->page_bytes / plan->page_bytes;
	u32 i = p->first;

	for (; accesses; accesses--, i++) {
		u64 page;

		if (i == p->nr)
			i = 0;
		page = first_page + plan->order[i] * apart;
		if (plan_is_write(p, plan->choice, i))
			bitmap[page / 64] |= BIT(page % 64);
	}
}
