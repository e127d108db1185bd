/* SPDX-License-Identifier: GPL-2.0-only */
/* What besides the times differs between results files. */
#ifndef KVMETER_DIFFER_H
#define KVMETER_DIFFER_H

#include "input.h"

/* "backing", "host.cpu", "kvm.tdp_mmu"; values as a reader would type them. */
struct difference {
	char *what;
	char *before, *after;
};

struct differences {
	size_t nr;
	struct difference *list;
};

/* As one would type it, or @none for what is not there. To be freed. */
char *value_text(const json_t *value, const char *none);

/*
 * Between options that shape the experiment, hosts without their kernel, and
 * versions of kvmeter. The values of sweeps, and the number of runs, are no
 * difference: points and runs speak for themselves.
 */
void differ(struct differences *d, const struct results *before,
	    const struct results *after);

/*
 * The same between the files of both sides, each benchmark's with each; of
 * several differences in one thing the first that is found.
 */
void differ_sides(struct differences *d, const struct side *before,
		  const struct side *after);

/* Between the first file of each benchmark and its others. */
void differ_within(struct differences *d, const struct side *side);

/* An option of the benchmark; else of the host or of kvmeter. */
bool difference_is_option(const struct difference *d);

void differences_fini(struct differences *d);

#endif
