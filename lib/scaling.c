/* SPDX-License-Identifier: GPL-2.0-only */
#include <math.h>
#include <string.h>

#include "scaling.h"

static bool is_rate(const char *unit)
{
	size_t len = strlen(unit);

	return len > 2 && strcmp(unit + len - 2, "/s") == 0;
}

double scaling_ideal(const char *unit, const struct scaling_point *first,
		     const struct scaling_point *here)
{
	if (strcmp(unit, "ns") == 0 && first->work && here->work)
		return first->median * here->work / first->work;
	if (is_rate(unit))
		return first->median * here->vcpus / first->vcpus;
	return NAN;
}
