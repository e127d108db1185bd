/* SPDX-License-Identifier: GPL-2.0-only */
#include <guest/guest.h>

int printf(const char *fmt, ...);

GUEST_FUNCTION(guest_printf)
{
	printf("%u\n", cpu->index);
}
