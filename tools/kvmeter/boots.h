/* SPDX-License-Identifier: GPL-2.0-only */
/* The files of a side by the boots that they are from. Main thread only. */
#ifndef KVMETER_BOOTS_H
#define KVMETER_BOOTS_H

#include "grouping.h"
#include "input.h"

/* A file that tells no boot counts as one of its own. */
struct boots {
	size_t nr;
	double *medians; /* of each boot, that of its files' medians */
	/* what stands together in them is of one boot */
	struct grouped runs, files;
};

/* They live as long as @s, until files are added to it. */
const struct boots *series_boots(const struct series *s);

/*
 * Whether both are from the same boots, in equal parts: what a boot has of its
 * own is then on both sides.
 */
bool series_share_boots(const struct series *a, const struct series *b);

#endif
