/* SPDX-License-Identifier: GPL-2.0-only */
/* A file or device, named by its path, as backing source. */
#ifndef KVMETER_BACKING_FILE_H
#define KVMETER_BACKING_FILE_H

#include "types.h"

/*
 * Why @path cannot be one; NULL if it can, as far as can be told without
 * changing anything. Static storage.
 */
const char *backing_file_fault(const char *path);

/* Page size of the hugetlbfs that it is or would be on, else 0. */
u64 backing_file_page_bytes(const char *path);

/* Is it a file of a file system in memory? */
bool backing_file_takes_memory(const char *path);

/*
 * NULL if the file system has room for @bytes, or it is a device; else why not
 * and what would help, to be freed.
 */
char *backing_file_missing(const char *path, u64 bytes);

/*
 * Opens it with room for @bytes; dies with the reason. A file is created and
 * unlinked at once, so that it never stays behind, whatever happens; one that
 * exists is refused, since a guest would overwrite it. A device, or its memory
 * in sysfs (/sys/bus/pci/devices/ADDRESS/resource0), has the size that it has.
 * Descriptor to close().
 */
int backing_file_open(const char *path, u64 bytes);

#endif
