/* SPDX-License-Identifier: GPL-2.0-only */
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "interrupt.h"
#include "util.h"

/* For a main thread that waits for nothing, or not for the library. */
#define GRACE_S 10

static volatile sig_atomic_t caught;

static void catch (int sig)
{
	caught = sig;
	alarm(GRACE_S);
}

void interrupt_init(void)
{
	struct sigaction action = {
		.sa_handler = catch,
		/* no SA_RESTART: waits are to notice; the next one kills */
		.sa_flags = SA_RESETHAND,
	};

	static const int signals[] = { SIGHUP, SIGINT, SIGTERM, SIGXCPU };
	struct sigaction old;

	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		/* whoever started us with one ignored (nohup) meant it */
		if (sigaction(signals[i], NULL, &old) == 0 &&
		    old.sa_handler != SIG_IGN)
			sigaction(signals[i], &action, NULL);
}

void interrupt_check(void)
{
	int sig = caught;

	if (!sig)
		return;
	caught = 0;
	alarm(0);
	end(EXIT_INTERRUPTED + sig, "interrupted by signal %d (%s)", sig,
	    strsignal(sig));
}
