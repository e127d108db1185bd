/* SPDX-License-Identifier: GPL-2.0-only */
#include <guest/guest.h>

void guest_main(struct guest_cpu *cpu);

void guest_ucall(enum guest_ucall ucall)
{
	guest_cpu()->ucall = ucall;
	arch_leave_guest();
}

void guest_sync(u64 a, u64 b, u64 c)
{
	struct guest_cpu *cpu = guest_cpu();

	cpu->args[0] = a;
	cpu->args[1] = b;
	cpu->args[2] = c;
	guest_ucall(UCALL_SYNC);
}

/* Where the host must not let the vCPU go on. */
static void __attribute__((noreturn)) leave_for_good(enum guest_ucall ucall)
{
	for (;;)
		guest_ucall(ucall);
}

void guest_done(void)
{
	leave_for_good(UCALL_DONE);
}

void guest_fail(const char *file, int line, const char *fmt, u64 a, u64 b)
{
	struct guest_cpu *cpu = guest_cpu();

	cpu->args[0] = (u64)file;
	cpu->args[1] = line;
	cpu->args[2] = (u64)fmt;
	cpu->args[3] = a;
	cpu->args[4] = b;
	leave_for_good(UCALL_ASSERT);
}

bool guest_trap_is_handled(struct guest_cpu *cpu)
{
	u64 handler = cpu->trap_handler;
	bool handled;

	if (!handler)
		return false;
	cpu->trap_handler = 0;
	handled = ((guest_trap_handler *)handler)(cpu, &cpu->trap);
	cpu->trap_handler = handler;
	return handled;
}

/*
 * Brings all of the host's control memory into the stage-2 tables once, so
 * that no phase pays for the guest's own code, page tables and plans.
 */
static void touch(struct guest_cpu *cpu)
{
	u64 areas_bytes = (u64)cpu->nr_cpus * GUEST_AREA_BYTES;

	for (u64 i = 0; i < cpu->touch_bytes; i += GUEST_AREA_PAGE) {
		u64 at = cpu->touch + i;

		/* guard pages are not there; only vCPU 0 has a range */
		if (at - (u64)cpu < areas_bytes &&
		    at % GUEST_AREA_BYTES == GUEST_GUARD_OFFSET)
			continue;
		(void)READ_ONCE(*(const u64 *)at);
		WRITE_ONCE(cpu->reads, cpu->reads + 1);
	}
}

/* Called by the port's entry code on the vCPU's own stack. */
void guest_main(struct guest_cpu *cpu)
{
	touch(cpu);
	for (;;) {
		guest_ucall(UCALL_IDLE);
		((void (*)(struct guest_cpu *))cpu->function)(cpu);
	}
}
