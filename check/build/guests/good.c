/* SPDX-License-Identifier: GPL-2.0-only */
/* What a guest half may be: check/build/guests.t builds it and its brothers. */
#include <guest/access.h>

static u64 counter;

GUEST_FUNCTION(guest_good)
{
	counter++;
	guest_assert(counter);
	access_as_planned(cpu);
}
