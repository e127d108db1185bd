/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "outfile.h"
#include "special.h"
#include "util.h"

static void forget(struct outfile *f)
{
	free(f->path);
	free(f->temporary);
	*f = (struct outfile){ .out = NULL };
}

int outfile_open(struct outfile *f, const char *path)
{
	struct stat st;
	int error;

	f->path = realpath(path, NULL);
	if (!f->path)
		f->path = xstrdup(path);
	f->temporary = NULL;
	if (stat(path, &st) || S_ISREG(st.st_mode))
		f->temporary = xasprintf("%s.%d.tmp", f->path, (int)getpid());
	f->out = f->temporary ? fopen(f->temporary, "we") : special_open(path);
	if (f->out)
		return 0;
	error = errno;
	forget(f);
	return error;
}

void outfile_abandon(struct outfile *f)
{
	fclose(f->out);
	if (f->temporary)
		unlink(f->temporary);
	forget(f);
}

static int put_in_place(const struct outfile *f)
{
	if (fflush(f->out) || ferror(f->out))
		return errno ? errno : EIO;
	if (f->temporary &&
	    (fsync(fileno(f->out)) || rename(f->temporary, f->path)))
		return errno;
	return 0;
}

int outfile_close(struct outfile *f)
{
	int error = put_in_place(f);

	if (error) {
		outfile_abandon(f);
		return error;
	}
	fclose(f->out);
	forget(f);
	return 0;
}
