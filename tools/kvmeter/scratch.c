/* SPDX-License-Identifier: GPL-2.0-only */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include "child.h"
#include "scratch.h"
#include "util.h"

/* No other file of kvmeter is called so; mkdtemp(3) adds the rest. */
#define PREFIX "kvmeter-tmp."
#define TEMPLATE PREFIX "XXXXXX"

/* What a directory is lost to others that often has another reason. */
#define TRIES 10

/*
 * There is one: the only state of this file. Whoever is alive holds the lock of
 * its directory, in whatever namespace its process id is one.
 */
static struct {
	char *path; /* NULL: there is none */
	int lock;
} scratch;

static int remove_one(const char *path, const struct stat *st, int type,
		      struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static void remove_all(const char *path)
{
	if (nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS))
		warn("%s: %s: it is left behind", path, strerror(errno));
}

/* A descriptor with its lock; -1: it is not ours, or somebody has it. */
static int lock_directory(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return -1;
	if (fstat(fd, &st) == 0 && st.st_uid == geteuid() &&
	    flock(fd, LOCK_EX | LOCK_NB) == 0)
		return fd;
	close(fd);
	return -1;
}

/* Of processes that were killed. */
static void remove_leftovers(const char *where)
{
	DIR *dir = opendir(where);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		char *path;
		int fd;

		if (strncmp(entry->d_name, PREFIX, strlen(PREFIX)) != 0 ||
		    strlen(entry->d_name) != strlen(TEMPLATE))
			continue;
		path = xasprintf("%s/%s", where, entry->d_name);
		fd = lock_directory(path);
		if (fd >= 0) {
			remove_all(path);
			close(fd);
		}
		free(path);
	}
	if (dir)
		closedir(dir);
}

/* False: who tidies up has taken it for a leftover, before it was locked. */
static bool make(const char *where)
{
	struct stat st;

	scratch.path = xasprintf("%s/" TEMPLATE, where);
	if (!mkdtemp(scratch.path)) {
		int error = errno;

		free(scratch.path);
		scratch.path = NULL;
		die("%s: no temporary directory can be made there: %s: set "
		    "TMPDIR to a directory that can be written",
		    where, strerror(error));
	}
	scratch.lock = lock_directory(scratch.path);
	if (scratch.lock >= 0 && stat(scratch.path, &st) == 0)
		return true;
	scratch_remove();
	return false;
}

const char *scratch_make(void)
{
	const char *where = getenv("TMPDIR");
	int tries = 0;

	if (!where || !*where)
		where = "/tmp";
	child_init();
	atexit(scratch_remove);
	remove_leftovers(where);
	while (!make(where))
		if (++tries == TRIES)
			die("%s: directories do not stay there", where);
	return scratch.path;
}

void scratch_remove(void)
{
	char *path = scratch.path;

	if (!path)
		return;
	scratch.path = NULL;
	remove_all(path);
	if (scratch.lock >= 0)
		close(scratch.lock);
	free(path);
}
