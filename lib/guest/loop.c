/* SPDX-License-Identifier: GPL-2.0-only */
/* What the access loop itself costs: workload_loop_ns(). */
#include <guest/access.h>

GUEST_FUNCTION(guest_measure_loop)
{
	for (u64 i = 0; i < cpu->private; i++)
		access_pass(cpu, false, false);
}
