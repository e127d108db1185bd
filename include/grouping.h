/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Values that come in groups, as runs of a file or files of a boot do, may
 * share what is special to their group. To take them for independent then gives
 * false alarms, so that a group has to count as one value. Pure functions;
 * thread-safe. Out of memory ends in die().
 */
#ifndef KVMETER_GROUPING_H
#define KVMETER_GROUPING_H

#include "types.h"

/* From so many groups a side on, groups alone are enough to judge by. */
#define GROUPS_ENOUGH 5

/* Groups of a side differ if that would be so by chance less often. */
#define GROUPS_ALPHA 0.05

/* A side of a comparison; a group's values stand together. Borrowed. */
struct grouped {
	const double *values;
	const size_t *starts; /* of each group */
	size_t nr, nr_groups;
};

struct grouping {
	bool several;	/* values in some group */
	size_t least;	/* groups of a side */
	double least_p; /* of any comparison */
	size_t tests;
};

#define GROUPING_NONE                 \
	{                             \
		false, SIZE_MAX, 1, 0 \
	}

void grouping_add(struct grouping *g, const struct grouped *side);

/* Each group with each: for few groups only, of many values each. */
void grouping_compare(struct grouping *g, const struct grouped *side);

/* All groups at once, which also sees what few values of each show. */
void grouping_compare_all(struct grouping *g, const struct grouped *side);

/* Of all sides that were compared. */
bool grouping_differs(const struct grouping *g);

#endif
