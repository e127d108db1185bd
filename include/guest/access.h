/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The loop that touches pages. Inline, so that each caller gets a loop of its
 * own with what it does not need left out.
 */
#ifndef KVMETER_GUEST_ACCESS_H
#define KVMETER_GUEST_ACCESS_H

#include <guest/guest.h>
#include <guest/histogram.h>

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

/* How a caller's loop differs: constants, so that it has only what it needs. */
enum access_loop {
	ACCESS_ALL_WRITES = 1, /* the choice is left out */
	ACCESS_STOPPABLE = 2,  /* ends early if the host says stop */
	ACCESS_TIMED = 4,      /* fills the histogram of cpu->stalls */
};

/*
 * Readings of the counter are not serialized: an access that hits may still be
 * under way at the second. One that faults is not, as exceptions are precise.
 */
static inline void stall_add(struct guest_cpu *cpu, u64 from)
{
	guest_histogram_add((struct guest_histogram *)cpu->stalls.histogram,
			    arch_counter() - from);
}

/*
 * One pass over the plan: the first word of each page is read, or written with
 * the number of the access.
 */
static inline __attribute__((always_inline)) void
access_pass(struct guest_cpu *cpu, unsigned int how)
{
	const struct guest_plan *p = &cpu->plan;
	const u32 *order = (const u32 *)p->order;
	const u8 *choice = (const u8 *)p->choice;
	u64 base = p->base, page_bytes = p->page_bytes, from = 0;
	u64 reads = cpu->reads, writes = cpu->writes;
	u32 nr = p->nr, i = p->first, to_timed = cpu->stalls.left;

	for (u32 left = nr; left; left--, i++) {
		volatile u64 *word;

		if (i == nr)
			i = 0;
		word = (u64 *)(base + order[i] * page_bytes);

		if ((how & ACCESS_STOPPABLE) && guest_stopped(cpu)) {
			if (how & ACCESS_TIMED)
				cpu->stalls.left = to_timed;
			return;
		}
		if ((how & ACCESS_TIMED) && !--to_timed)
			from = arch_counter();
		if ((how & ACCESS_ALL_WRITES) || plan_is_write(p, choice, i)) {
			*word = writes;
			WRITE_ONCE(cpu->writes, ++writes);
		} else {
			(void)*word;
			WRITE_ONCE(cpu->reads, ++reads);
		}
		if ((how & ACCESS_TIMED) && !to_timed) {
			stall_add(cpu, from);
			to_timed = cpu->stalls.every;
		}
	}
	if (how & ACCESS_TIMED)
		cpu->stalls.left = to_timed;
	WRITE_ONCE(cpu->passes, cpu->passes + 1);
	plan_turn(&cpu->plan);
}

/* With stalls, if the host asks for them, by a loop of their own. */
static inline void access_as_planned(struct guest_cpu *cpu)
{
	if (cpu->stalls.every)
		access_pass(cpu, ACCESS_TIMED);
	else
		access_pass(cpu, 0);
}

static inline void access_all_writes(struct guest_cpu *cpu)
{
	access_pass(cpu, ACCESS_ALL_WRITES);
}

static inline void access_until_stopped(struct guest_cpu *cpu)
{
	while (!guest_stopped(cpu)) {
		if (cpu->stalls.every)
			access_pass(cpu, ACCESS_STOPPABLE | ACCESS_TIMED);
		else
			access_pass(cpu, ACCESS_STOPPABLE);
	}
}

#endif /* KVMETER_GUEST */
#endif
