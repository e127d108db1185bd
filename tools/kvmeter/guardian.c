/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "clock.h"
#include "guardian.h"
#include "patience.h"
#include "remedy.h"
#include "setting_record.h"
#include "util.h"

#define DISMISSED 'd'

/* What it may take to end, and between two looks whether it has. */
#define END_NS (5 * NSEC_PER_SEC)
#define LOOK_NS NSEC_PER_MSEC

/* There is one: the only state of this file. */
static struct {
	pid_t pid;  /* 0: none */
	int socket; /* the end of ours; it sees that end close */
} guardian;

/* Whatever asks the others of the terminal or session to end is not for it. */
static void stay_alive(void)
{
	static const int signals[] = { SIGHUP,	SIGINT,	 SIGQUIT, SIGTERM,
				       SIGPIPE, SIGTSTP, SIGTTOU, SIGALRM };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(signals); i++)
		signal(signals[i], SIG_IGN);
	setsid();
	prctl(PR_SET_NAME, "kvmeter-guard");
}

/* A reader of what kvmeter prints must not wait for the guardian. */
static void leave_streams(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null < 0)
		return;
	if (dup2(null, STDIN_FILENO) < 0 || dup2(null, STDOUT_FILENO) < 0)
		warn("the guardian of settings: dup2: %s", strerror(errno));
	close(null);
}

/* True if kvmeter died, false if it has put back everything itself. */
static bool wait_for_death(int from)
{
	char word;
	ssize_t nr;

	do {
		nr = read(from, &word, 1);
	} while (nr < 0 && errno == EINTR);
	return nr != 1 || word != DISMISSED;
}

static int guard(const struct settings *s, int from)
{
	int code = EXIT_PASS;
	size_t i;

	stay_alive();
	leave_streams();
	if (!wait_for_death(from))
		return code;
	for (i = s->nr; i-- > 0;) {
		const struct setting *one = &s->list[i];
		char *fault = setting_write(one->path, one->original);

		if (fault) {
			dprintf(STDERR_FILENO, "kvmeter: NOT PUT BACK: %s\n",
				fault);
			code = EXIT_FAIL;
		} else {
			dprintf(STDERR_FILENO, "kvmeter died: %s is %s again\n",
				one->name, one->original);
		}
	}
	if (code == EXIT_PASS)
		record_remove();
	return code;
}

void guardian_begin(const struct settings *s)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		die("socketpair: %s%s", strerror(errno), process_remedy(errno));
	fflush(NULL);
	guardian.pid = fork();
	if (guardian.pid < 0)
		die("fork: %s%s", strerror(errno), process_remedy(errno));
	if (guardian.pid == 0) {
		close(ends[1]);
		_exit(guard(s, ends[0]));
	}
	close(ends[0]);
	guardian.socket = ends[1];
}

/* Reaps it; false if it is still there after a while. */
static bool has_ended(void)
{
	struct patience patience;
	pid_t ended;

	patience_begin(&patience, LOOK_NS);
	do {
		ended = waitpid(guardian.pid, NULL, WNOHANG);
		if (ended == guardian.pid || (ended < 0 && errno == ECHILD))
			return true;
		sleep_until_ns(now_ns() + LOOK_NS);
	} while (patience_look(&patience) < END_NS);
	return false;
}

void guardian_end(void)
{
	const char word = DISMISSED;

	if (!guardian.pid)
		return;
	/* if it is gone, there is nobody to tell */
	if (send(guardian.socket, &word, 1, MSG_NOSIGNAL) < 0)
		warn("the guardian of settings was killed");
	close(guardian.socket);
	if (!has_ended()) {
		/* stopped by somebody, say: all it had to do was to end */
		kill(guardian.pid, SIGKILL);
		has_ended();
	}
	guardian.pid = 0;
}
