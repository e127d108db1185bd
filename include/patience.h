/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How long one has waited for a sign of life, for deadlines. What counts is the
 * time in which this process could have seen one: if it did not run itself
 * (stopped by a signal, in a frozen control group, in a paused machine), then
 * neither did, mostly, what it waits for. So of the time between two looks no
 * more counts than the most that lies between them while it runs.
 *
 * One thread each.
 */
#ifndef KVMETER_PATIENCE_H
#define KVMETER_PATIENCE_H

#include "types.h"

struct patience {
	u64 most_ns; /* between two looks, that counts */
	u64 last_ns; /* look, by now_ns() */
	u64 waited_ns;
};

/* Twice @look_ns counts between two looks: being late is no stop. */
void patience_begin(struct patience *p, u64 look_ns);

/* A look: what has been waited since the beginning. */
u64 patience_look(struct patience *p);

#endif
