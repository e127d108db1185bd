/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory that comes late: a userfaultfd server that answers each missing page
 * after a given time with content of the caller's. Any number of faults wait at
 * once, and none for another. See userfaultfd(2).
 */
#ifndef KVMETER_UFFD_H
#define KVMETER_UFFD_H

#include "types.h"

struct uffd_server;

struct uffd_config {
	void *mem; /* private anonymous memory of base pages; what it holds
		    * is lost */
	u64 bytes;
	u64 delay_ns;	      /* from the fault's being read to its answer */
	unsigned int threads; /* that answer */
	/* Writes page number @page of @mem to @to. Any thread, no order. */
	void (*fill)(const void *arg, u64 page, void *to);
	const void *arg;
};

/*
 * A descriptor, not blocking, that serves faults of the kernel too, and how it
 * was got, static storage; or -errno.
 */
int uffd_open(const char **how);

/*
 * Why this process cannot serve faults that the kernel takes on its behalf, as
 * KVM's are, and what would help; NULL if it can. Static storage.
 */
const char *uffd_missing(void);

struct uffd_server *uffd_server_create(const struct uffd_config *cfg);

/* While nobody touches the memory. NULL is fine. */
void uffd_server_free(struct uffd_server *server);

/* Makes all pages missing again and counts from zero. While nobody touches. */
void uffd_server_renew(struct uffd_server *server);

/* So far; exact while nobody touches the memory. Dies if a thread has failed.
 */
struct uffd_counts {
	u64 pages;   /* that were missing and were given */
	u64 again;   /* faults for a page that had been given meanwhile */
	u64 late_ns; /* the longest that an answer came after its time */
};
struct uffd_counts uffd_server_counts(struct uffd_server *server);

#endif
