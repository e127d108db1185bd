/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The loop that touches pages. Inline, so that each caller gets a loop of its
 * own with what it does not need left out.
 */
#ifndef KVMETER_GUEST_ACCESS_H
#define KVMETER_GUEST_ACCESS_H

#include <guest/guest.h>

/* Access @i of this pass: is it a write? Both halves compute it. */
static inline bool plan_is_write(const struct guest_plan *p, const u8 *choice,
				 u32 i)
{
	u32 c = choice[i] + p->turn;

	if (c >= GUEST_CHOICES)
		c -= GUEST_CHOICES;
	return c < p->write_below;
}

static inline void plan_turn(struct guest_plan *p)
{
	p->turn = (p->turn + p->turn_step) % GUEST_CHOICES;
}

#ifdef KVMETER_GUEST

/*
 * One pass over the plan: the first word of each page is read, or written with
 * the number of the access. @all_writes leaves the choice out. Ends early if
 * @stoppable and the host says stop.
 */
static inline __attribute__((always_inline)) void
access_pass(struct guest_cpu *cpu, bool all_writes, bool stoppable)
{
	const struct guest_plan *p = &cpu->plan;
	const u32 *order = (const u32 *)p->order;
	const u8 *choice = (const u8 *)p->choice;
	u64 base = p->base, page_bytes = p->page_bytes;
	u64 reads = cpu->reads, writes = cpu->writes;
	u32 nr = p->nr, i = p->first;

	for (u32 left = nr; left; left--, i++) {
		volatile u64 *word;

		if (i == nr)
			i = 0;
		word = (u64 *)(base + order[i] * page_bytes);

		if (stoppable && guest_stopped(cpu))
			return;
		if (all_writes || plan_is_write(p, choice, i)) {
			*word = writes;
			WRITE_ONCE(cpu->writes, ++writes);
		} else {
			(void)*word;
			WRITE_ONCE(cpu->reads, ++reads);
		}
	}
	WRITE_ONCE(cpu->passes, cpu->passes + 1);
	plan_turn(&cpu->plan);
}

static inline void access_as_planned(struct guest_cpu *cpu)
{
	access_pass(cpu, false, false);
}

static inline void access_all_writes(struct guest_cpu *cpu)
{
	access_pass(cpu, true, false);
}

static inline void access_until_stopped(struct guest_cpu *cpu)
{
	while (!guest_stopped(cpu))
		access_pass(cpu, false, true);
}

#endif /* KVMETER_GUEST */
#endif
