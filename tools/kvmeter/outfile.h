/* SPDX-License-Identifier: GPL-2.0-only */
/* A file that is there whole, or as it was before. */
#ifndef KVMETER_OUTFILE_H
#define KVMETER_OUTFILE_H

#include <stdio.h>

struct outfile {
	FILE *out; /* write here */
	/* the rest is outfile.c's */
	char *path, *temporary;
};

/*
 * Returns 0 or errno. What is no regular file (/dev/stdout) is written to at
 * once; a link is followed.
 */
int outfile_open(struct outfile *f, const char *path);

/* Puts it in place; returns 0, or errno of what went wrong since it is open. */
int outfile_close(struct outfile *f);

/* Leaves what was there. */
void outfile_abandon(struct outfile *f);

#endif
