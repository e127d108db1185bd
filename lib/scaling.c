/* SPDX-License-Identifier: GPL-2.0-only */
#include <math.h>
#include <string.h>

#include "scaling.h"

static bool is_rate(const char *unit)
{
	const char *per = strchr(unit, '/');

	return per && per != unit;
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
