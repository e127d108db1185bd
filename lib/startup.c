/* SPDX-License-Identifier: GPL-2.0-only */
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "startup.h"
#include "util.h"

void startup_init(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 &&
		    open("/dev/null",
			 fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
			_exit(EXIT_FAIL);
	signal(SIGXFSZ, SIG_IGN);
}
