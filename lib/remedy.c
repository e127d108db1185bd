/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <stddef.h>

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

static const char *find(const struct remedy *r, int error)
{
	while (r->error && r->error != error)
		r++;
	return r->text;
}

const char *process_remedy(int error)
{
	const char *text = find(of_all, error);

	return text ? text : "";
}

const char *file_remedy(int error)
{
	const char *text = find(of_files, error);

	return text ? text : process_remedy(error);
}
