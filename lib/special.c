/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "special.h"

FILE *special_open(const char *path)
{
	int fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
	FILE *out;
	int error;

	if (fd < 0)
		return NULL;
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
	out = fdopen(fd, "w");
	error = errno;
	if (!out)
		close(fd);
	errno = error;
	return out;
}
