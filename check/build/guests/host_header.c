/* SPDX-License-Identifier: GPL-2.0-only */
#include <guest/guest.h>
#include "clock.h"

GUEST_FUNCTION(guest_host_header)
{
	cpu->scratch = NSEC_PER_SEC;
}
