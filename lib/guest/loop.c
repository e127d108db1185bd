/* SPDX-License-Identifier: GPL-2.0-only */
/* What the library itself has done: workload_loop_ns() measures the loop. */
#include <guest/access.h>

GUEST_FUNCTION(guest_measure_loop)
{
	for (u64 i = 0; i < cpu->private; i++)
		access_pass(cpu, 0);
}

/* Are writes still logged? dirty_proof_check_off() */
GUEST_FUNCTION(guest_write_all)
{
	access_all_writes(cpu);
}

GUEST_FUNCTION(guest_measure_timed_loop)
{
	for (u64 i = 0; i < cpu->private; i++)
		access_pass(cpu, ACCESS_TIMED);
}
