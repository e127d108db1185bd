/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What on this host makes times spread: settings as they are now, and what
 * went on while something was measured. Reads files only. Main thread only.
 */
#ifndef KVMETER_DISTURB_H
#define KVMETER_DISTURB_H

#include <stdio.h>
#include "json.h"
#include "types.h"

struct disturbance {
	const char *name;
	enum disturbance_state {
		QUIET,
		DISTURBS,
		UNKNOWN, /* the host does not tell */
	} state;
	char *seen;	    /* what was found; never NULL */
	const char *remedy; /* NULL: none is needed, or there is none */
};

/* "quiet", "disturbs", "unknown" */
const char *disturbance_state_name(enum disturbance_state state);

/*
 * Settings and hardware of the host, the same ones in the same order on every
 * host. Sets *@list, to be freed by disturbances_free(), and returns how many.
 */
size_t disturbances_read(struct disturbance **list);

/* What goes on from begin to end, or to free without it. */
struct disturbance_watch;
struct disturbance_watch *disturbance_watch_begin(void);
/*
 * Frees @watch. What the caller and those of its children that it has waited
 * for have used themselves is no load of others.
 */
size_t disturbance_watch_end(struct disturbance_watch *watch,
			     struct disturbance **list);

/* A line or a few of at most 80 columns for each, the remedies beneath. */
void disturbances_print(const struct disturbance *list, size_t nr, FILE *out);

/* An array of objects with name, state, seen and remedy. */
void disturbances_json(const struct disturbance *list, size_t nr,
		       const char *name, struct json *j);

void disturbances_free(struct disturbance *list, size_t nr);

#endif
