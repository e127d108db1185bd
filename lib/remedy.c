/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "remedy.h"
#include "types.h"

struct remedy {
	int error;
	const char *text;
};

static const struct remedy of_files[] = {
	/* clang-format off */
	{ EACCES, ": name a place that this user may write to" },
	{ EDQUOT, ": free some of the quota, or name another place" },
	{ EFBIG,  ": raise the limit of file sizes: ulimit -f unlimited" },
	{ EISDIR, ": name a file in it" },
	{ ENOENT, ": name a place in a directory that is there" },
	{ ENOSPC, ": make room there, or name another place" },
	{ ELOOP,  ": name the file that it leads to" },
	{ ENXIO,  ": nobody reads this pipe: start its reader first" },
	{ EPERM,  ": name a place of your own" },
	{ EROFS,  ": name a place that can be written" },
	{ 0, NULL }
	/* clang-format on */
};

static const struct remedy of_all[] = {
	/* clang-format off */
	{ EAGAIN, ": raise the limit of processes and threads (ulimit -u, or pids.max of the control group)" },
	{ EMFILE, ": raise the limit of open files: ulimit -n 1024" },
	{ ENFILE, ": raise the system's limit of open files: sysctl fs.file-max" },
	{ ENOMEM, ": the host lacks memory" },
	{ 0, NULL }
	/* clang-format on */
};

/* Where the call has no better advice. */
static const struct remedy of_calls[] = {
	/* clang-format off */
	{ E2BIG,  ": shorten the command line or the environment" },
	{ EACCES, ": look at the permissions, or run as root" },
	{ EAGAIN, ": the system is at a limit: try again, or ask for less" },
	{ EBUSY,  ": end what else uses it" },
	{ EEXIST, ": remove what is there" },
	{ EINTR,  ": a signal came between: try again" },
	{ EINVAL, ": this kernel may be too old for it: see dmesg" },
	{ ENOENT, ": look whether it is there" },
	{ ENOMEM, ": free some memory, or ask for less" },
	{ ENOSYS, ": this kernel does not have it" },
	{ ENOTTY, ": this kernel does not have it" },
	{ EPERM,  ": run as root, or ask the security policy of this host" },
	{ EPIPE,  ": have its reader stay until the end" },
	{ 0, NULL }
	/* clang-format on */
};

static const char *find(const struct remedy *r, int error)
{
	while (r->error && r->error != error)
		r++;
	return r->text;
}

const char *process_remedy(int error)
{
	const char *text = find(of_all, error);

	return text ? text : ": see dmesg";
}

const char *file_remedy(int error)
{
	const char *text = find(of_files, error);

	return text ? text : process_remedy(error);
}

const char *errno_remedy(int error)
{
	const char *text = find(of_calls, error);

	if (!text)
		text = find(of_all, error);
	if (!text)
		text = find(of_files, error);
	return text ? text + strlen(": ") : "see dmesg";
}

const char *errno_text(int error)
{
	static __thread char text[256];

	snprintf(text, sizeof(text), "%s: %s", strerror(error),
		 errno_remedy(error));
	return text;
}
