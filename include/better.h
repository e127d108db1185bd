/* SPDX-License-Identifier: GPL-2.0-only */
/* What of a metric is better. Thread-safe. */
#ifndef KVMETER_BETTER_H
#define KVMETER_BETTER_H

enum better {
	BETTER_LOWER,
	BETTER_HIGHER,
	BETTER_NEITHER,
};

/* "lower" or "higher", as in JSON; NULL: neither */
const char *better_name(enum better better);

#endif
