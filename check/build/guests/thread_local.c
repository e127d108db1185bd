/* SPDX-License-Identifier: GPL-2.0-only */
#include <guest/guest.h>

static __thread u64 counter;

GUEST_FUNCTION(guest_thread_local)
{
	WRITE_ONCE(counter, cpu->index);
}
