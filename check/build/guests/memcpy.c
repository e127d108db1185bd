/* SPDX-License-Identifier: GPL-2.0-only */
#include <guest/guest.h>

void *memcpy(void *to, const void *from, size_t bytes);

GUEST_FUNCTION(guest_memcpy)
{
	memcpy((void *)cpu->private, cpu, cpu->touch_bytes);
}
