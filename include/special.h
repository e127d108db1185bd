/* SPDX-License-Identifier: GPL-2.0-only */
/* Writing to what is there and no regular file: a device, a pipe. */
#ifndef KVMETER_SPECIAL_H
#define KVMETER_SPECIAL_H

#include <stdio.h>

/*
 * Opens @path (O_CLOEXEC) and creates nothing. A named pipe that nobody reads
 * is an error, ENXIO, where open() would wait for a reader. Returns NULL with
 * errno set. What is written waits for the reader as usual.
 */
FILE *special_open(const char *path);

#endif
