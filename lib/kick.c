/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>

#include "futex.h"
#include "kick.h"
#include "remedy.h"
#include "util.h"

static __thread u32 *received;

/* KVM_RUN returns because there is a handler. */
static void count_kick(int sig)
{
	int error = errno;

	(void)sig;
	if (received) {
		__atomic_add_fetch(received, 1, __ATOMIC_RELEASE);
		futex_wake(received, 1);
	}
	errno = error;
}

void kick_init(void)
{
	struct sigaction action = { .sa_handler = count_kick };

	if (sigaction(KICK_SIGNAL, &action, NULL))
		die("rt_sigaction of the signal that kicks vCPUs: %s",
		    errno_text(errno));
}

void kick_receive(u32 *count)
{
	received = count;
}

void kick_send(pthread_t thread)
{
	pthread_kill(thread, KICK_SIGNAL);
}

void kick_must(pthread_t thread, u32 vcpu)
{
	int error = pthread_kill(thread, KICK_SIGNAL);

	if (error)
		die("tgkill of the thread of vCPU %u: %s", vcpu,
		    errno_text(error));
}
