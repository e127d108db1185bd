/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "startup.h"
#include "units.h"
#include "util.h"

/*
 * The programs that are run, the directories that are looked into and written
 * to: much of it comes from the environment of who has started this.
 */
static void refuse_set_id(void)
{
	if (getauxval(AT_SECURE))
		usage_error("it must not be given rights by its file (setuid, "
			    "setgid, capabilities): use sudo");
}

void startup_init(void)
{
	static char buffer[KIB(64)];

	refuse_set_id();
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
		    open("/dev/null",
			 fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
			_exit(EXIT_FAIL);
	signal(SIGXFSZ, SIG_IGN);
	/* written in one piece, the errno of what finds no room is known */
	if (!isatty(STDOUT_FILENO))
		setvbuf(stdout, buffer, _IOFBF, sizeof(buffer));
}
