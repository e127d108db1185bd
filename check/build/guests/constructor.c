/* SPDX-License-Identifier: GPL-2.0-only */
#include <guest/guest.h>

static u64 counter;

static void __attribute__((constructor)) construct(void)
{
	WRITE_ONCE(counter, 1);
}

GUEST_FUNCTION(guest_constructor)
{
	WRITE_ONCE(counter, cpu->index);
}
