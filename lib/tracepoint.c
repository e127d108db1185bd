/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "remedy.h"
#include "tracepoint.h"
#include "util.h"

bool tracepoint_id(const char *event, u64 *id)
{
	int error;

	if (read_number(id, TRACEPOINT_ID_FORMAT, event))
		return true;
	error = errno;
	/* where it is mounted elsewhere, and not for want of something else */
	if ((error == ENOENT || error == EACCES) &&
	    read_number(id, "/sys/kernel/debug/tracing/events/%s/id", event))
		return true;
	/* there, it need not be mounted */
	if (errno == ENOENT)
		errno = error;
	return false;
}

int tracepoint_open(const char *event, const char *filter)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.inherit = 1,
	};
	u64 id;
	int fd;

	if (!tracepoint_id(event, &id))
		return -ENOENT;
	attr.config = id;
	fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1,
			  PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (ioctl(fd, PERF_EVENT_IOC_SET_FILTER, filter)) {
		int error = errno;

		close(fd);
		return -error;
	}
	return fd;
}

u64 tracepoint_read(int fd)
{
	u64 count = 0;

	ssize_t bytes;

	do {
		bytes = read(fd, &count, sizeof(count));
	} while (bytes < 0 && errno == EINTR);
	if (bytes != sizeof(count))
		die("read of a tracepoint's count: %s", errno_text(errno));
	return count;
}
