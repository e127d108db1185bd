/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <ftw.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "trial.h"
#include "util.h"

/* To be removed at exit: the only state of this file. */
static char *temporary;

static int remove_one(const char *path, const struct stat *st, int type,
		      struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static void remove_temporary(void)
{
	nftw(temporary, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static const char *make_temporary(void)
{
	const char *where = getenv("TMPDIR");

	temporary = xasprintf("%s/kvmeter-XXXXXX",
			      where && *where ? where : "/tmp");
	if (!mkdtemp(temporary))
		die("%s: %s", temporary, strerror(errno));
	atexit(remove_temporary);
	return temporary;
}

static void make_side(const char *path, char name)
{
	char *side = xasprintf("%s/%c", path, name);
	char *pattern = xasprintf("%s/*.json", side);
	glob_t found;

	if (mkdir(side, 0777) && errno != EEXIST)
		end(EXIT_USAGE, "%s: %s", side, strerror(errno));
	if (glob(pattern, 0, NULL, &found) == 0) {
		end(EXIT_USAGE,
		    "%s: there already: choose another directory for --results",
		    found.gl_pathv[0]);
	}
	free(pattern);
	free(side);
}

const char *trial_directory(const char *path)
{
	int side;

	if (!path)
		path = make_temporary();
	else if (mkdir(path, 0777) && errno != EEXIST)
		end(EXIT_USAGE, "%s: %s", path, strerror(errno));
	for (side = 0; side < TRIAL_SIDES; side++)
		make_side(path, 'A' + side);
	return path;
}
