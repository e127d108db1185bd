/* SPDX-License-Identifier: GPL-2.0-only */
#include <stddef.h>
#include "better.h"

const char *better_name(enum better better)
{
	static const char *const names[] = {
		[BETTER_LOWER] = "lower",
		[BETTER_HIGHER] = "higher",
		[BETTER_NEITHER] = NULL,
	};

	return names[better];
}
