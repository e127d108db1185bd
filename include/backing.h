/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Backing sources: what host memory a memslot sits on.
 */
#ifndef KVMETER_BACKING_H
#define KVMETER_BACKING_H

#include <stdio.h>
#include "types.h"

struct backing_type;

struct backing {
	const struct backing_type *type;
	void *mem; /* aligned to backing_page_bytes(), and as for THP */
	u64 bytes;
	u64 page_bytes; /* of the host's mapping, at best */
	int fd;		/* -1: none */
	void *map;	/* as mapped, with room to align */
	u64 map_bytes;
};

/*
 * Why this cannot be a value of --backing; NULL if it can. It is the name of a
 * type ("anonymous_thp") or, with a '/' in it, the path of a file to be mapped
 * shared (backing_file.h). Static storage.
 */
const char *backing_fault(const char *value);

/* Bytes of one of its pages on this host. */
u64 backing_page_bytes(const char *value);

/* Are they larger than the host's base page? */
bool backing_is_huge(const char *value);

/* What its size must be a multiple of: huge pages that are set aside, else
 * the host's base page. */
u64 backing_granule(const char *value);

/* Does it take memory that is free now, and not set aside or on a disk? */
bool backing_takes_memory(const char *value);

/*
 * Ends by skip() with the remedy if this host cannot give @bytes of @value
 * now: no such huge page size, none reserved, THP switched off, a file system
 * without as much room, a limit on files. Memory: memory_missing().
 */
void backing_require(const char *value, u64 bytes);

/* Names, page sizes and, for what this host lacks, why: "--backing help". */
void backing_list(FILE *out);

/*
 * Maps @bytes (a multiple of backing_granule()) of @value. Does not touch the
 * memory: see populate().
 */
struct backing *backing_create(const char *value, u64 bytes);
void backing_destroy(struct backing *backing); /* NULL is fine */

/*
 * Huge pages that hold @backing at this moment: all of it for hugetlb, else
 * what /proc/self/smaps says of transparent ones. false: that cannot be read.
 */
struct backing_huge {
	u64 page_bytes;
	u64 bytes; /* held by such pages; the rest by base pages */
};
/* Are its pages transparent huge ones, at best? */
bool backing_is_thp(const struct backing *backing);

bool backing_huge(const struct backing *backing, struct backing_huge *huge);

#endif
