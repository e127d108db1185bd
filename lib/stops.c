/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <signal.h>

#include "clock.h"
#include "remedy.h"
#include "stops.h"
#include "util.h"

/* Of the process: the only state of this file. */
static u64 seen;

static void add_one(void)
{
	__atomic_add_fetch(&seen, 1, __ATOMIC_RELAXED);
}

static void handle_continue(int sig)
{
	(void)sig;
	add_one();
}

void stops_init(void)
{
	struct sigaction action = {
		.sa_handler = handle_continue,
		.sa_flags = SA_RESTART,
	};

	if (sigaction(SIGCONT, &action, NULL))
		die("rt_sigaction of SIGCONT, which tells of stops: %s",
		    errno_text(errno));
}

u64 stops_seen(void)
{
	return __atomic_load_n(&seen, __ATOMIC_RELAXED);
}

void stops_look(u64 since_ns, u64 ns)
{
	if (now_ns() - since_ns > ns + STOP_LATE_NS)
		add_one();
}
