/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Page frames that guest code hands out by itself: a ring of guest physical
 * addresses, so that one that is given back is taken again only when all others
 * have been, and all of the memory is used in turn.
 */
#ifndef KVMETER_GUEST_FRAMES_H
#define KVMETER_GUEST_FRAMES_H

#include <guest/guest.h>

struct guest_frames {
	/* by the host */
	u64 ring;   /* GVA of u64[nr], full */
	u64 linear; /* GVA - GPA of what the host has mapped */
	u32 nr;
	/* by the guest */
	u32 first; /* that is taken next */
	u32 taken;
	u32 reserved;
};

#ifdef KVMETER_GUEST

static inline u64 frame_take(struct guest_frames *f)
{
	u64 gpa = ((u64 *)f->ring)[f->first];

	guest_assert(f->taken < f->nr);
	f->taken++;
	if (++f->first == f->nr)
		f->first = 0;
	return gpa;
}

/* In any order: behind those that are free. */
static inline void frame_give(struct guest_frames *f, u64 gpa)
{
	u32 free = f->nr - f->taken;
	u32 at = f->first + free;

	((u64 *)f->ring)[at < f->nr ? at : at - f->nr] = gpa;
	f->taken--;
}

/* Its memory, as the host has mapped it. */
static inline u64 *frame_memory(const struct guest_frames *f, u64 gpa)
{
	return (u64 *)(gpa + f->linear);
}

#endif /* KVMETER_GUEST */
#endif
