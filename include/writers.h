/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The host's half of vCPUs that write a fixed amount (guest/writer.h): all of
 * the memory under test, of which each has an equal part. Main thread only,
 * while no vCPU runs.
 */
#ifndef KVMETER_WRITERS_H
#define KVMETER_WRITERS_H

#include <guest/writer.h>
#include "bench.h"

struct writers {
	struct run *r;
	u64 passes;
	struct guest_writer *writer; /* of each vCPU, in control memory */
};

/* Between run_create() and run_start(). Nothing is to be freed. */
void writers_init(struct writers *w, struct run *r, u64 passes);

/* Gives each its share; no one reads a ROM. */
void writers_assign(struct writers *w);

/* What runs guest_write_share(): without what readers did beyond it. */
void writers_discount(const struct writers *w, struct timing *t);

/* That every word is what the last pass wrote. */
void writers_check(const struct writers *w, int id);

/* Undoes the write of a word: for a check, which must notice. */
void writers_lose_write(const struct writers *w);

#endif
