/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A host thread that changes what lies under running vCPUs, so that whatever is
 * proven of them holds in spite of it. It changes no content, no permission
 * that the guest needs, and nothing for good.
 *
 * Main thread only. Until it is stopped nobody else may add, move or delete
 * memslots of the VM.
 */
#ifndef KVMETER_DISTURBER_H
#define KVMETER_DISTURBER_H

#include "bench.h"

enum disturbance {
	DISTURB_NOTHING,
	DISTURB_SLOTS, /* other memslots are added, moved and deleted */
	DISTURB_REMAP, /* host mappings of the memory under test are dropped */
	DISTURB_THP,   /* its huge pages are split and collapsed */
};
extern const char *const disturbance_names[];

/* What it did; 0 where the backing source does not lend itself to it. */
struct disturbance_counts {
	u64 slots; /* added and deleted */
	u64 moves;
	u64 remaps;
	u64 splits;
	u64 collapses;
};

struct disturber;

/* @kinds: of enum disturbance; empty: all. After gang_create(). */
struct disturber *disturber_start(struct run *r, const struct u64_list *kinds);

/* It could not go on: disturber_stop() will tell why. */
bool disturber_has_failed(const struct disturber *d);

/* Ends the test by die() if it could not go on. Frees @d; NULL is fine. */
struct disturbance_counts disturber_stop(struct disturber *d);

#endif
