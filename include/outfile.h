/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files that others may have prepared for: whoever can write to the directory
 * can plant a link, a pipe or a file of theirs under the name that we are going
 * to write, or follow what we do and swap one for the other in the middle of
 * it. So a file is made anew beside its name and renamed, and nothing is ever
 * written through a symbolic link. Links in /dev and /proc, such as
 * /dev/stdout, are the system's and no such thing.
 *
 * A file has no name before all of it is there, where the file system can do
 * that, so that even a process that is killed leaves nothing behind.
 *
 * What is made is readable for everybody and writable for its owner, less what
 * the umask takes away. No descriptor is inherited by a program that is run.
 */
#ifndef KVMETER_OUTFILE_H
#define KVMETER_OUTFILE_H

#include <signal.h>
#include <stdio.h>
#include "types.h"

/* Apart from what follows, so that one may be copied while it is open. */
struct outfile_text {
	char *text;
	size_t bytes;
};

/* A file that is there whole, or as it was before. */
struct outfile {
	FILE *out; /* write here */
	/* the rest is outfile.c's; no temporary: a device or pipe */
	char *path, *temporary;
	struct outfile_text *held; /* not written before outfile_close() */
	int fd;
	bool unnamed;  /* until it is in its place, where there are such */
	bool holds;    /* signals, which must not leave @temporary behind */
	sigset_t mask; /* before that */
};

/*
 * Returns 0 or errno, of which ELOOP and EPERM are told best by
 * outfile_error(); ENXIO: nobody reads the pipe. A device or a pipe is written
 * to at once: renaming would take its place.
 */
int outfile_open(struct outfile *f, const char *path);

/*
 * Through to the disk, and in its place; returns 0, or errno of what went wrong
 * since it is open.
 */
int outfile_close(struct outfile *f);

/* Leaves what was there. */
void outfile_abandon(struct outfile *f);

/* Could it be written? As outfile_open(), but nothing is there for a reader. */
int outfile_check(const char *path);

/*
 * An empty file instead of a file, link or pipe of that name, for a program to
 * write to: a descriptor to close, or -1 and errno. What /dev and /proc hold is
 * opened as it is.
 */
int outfile_fresh(const char *path);

/*
 * A regular file to append to, made if need be: a descriptor to close, or -1
 * and errno.
 */
int outfile_append(const char *path);

/*
 * A directory, made if need be: 0 or errno. EPERM: where everybody may write,
 * somebody else has put it there and could replace it at any time.
 */
int outfile_directory(const char *path);

/* What @error of the above means; file_remedy() knows what helps. */
const char *outfile_error(int error);

#endif
