/* SPDX-License-Identifier: GPL-2.0-only */
#include <signal.h>
#include <string.h>

#include "interrupt.h"
#include "util.h"

static volatile sig_atomic_t caught;

static void catch (int sig)
{
	caught = sig;
}

void interrupt_init(void)
{
	struct sigaction action = {
		.sa_handler = catch,
		/* no SA_RESTART: waits are to notice; the next one kills */
		.sa_flags = SA_RESETHAND,
	};

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

void interrupt_check(void)
{
	int sig = caught;

	if (!sig)
		return;
	caught = 0;
	end(EXIT_INTERRUPTED + sig, "interrupted by signal %d (%s)", sig,
	    strsignal(sig));
}
