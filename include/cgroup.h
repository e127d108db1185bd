/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The control groups that this process is in: version 2 of the kernel's
 * Documentation/admin-guide/cgroup-v2.rst, and the hierarchies of version 1.
 * Reads files only.
 *
 * @root stands for "/": empty, but for checks.
 */
#ifndef KVMETER_CGROUP_H
#define KVMETER_CGROUP_H

#include "types.h"

/*
 * Directory of this process's group in the hierarchy of @controller of version
 * 1, such as "memory", or in that of version 2 if @controller is NULL. To be
 * freed; NULL if there is none, or it cannot be seen from here.
 */
char *cgroup_directory(const char *root, const char *controller);

/*
 * Cuts the last group off @dir, if what remains is still a group below which
 * limits hold; else leaves it alone and returns false.
 */
bool cgroup_to_parent(const char *root, const char *controller, char *dir);

/* The limit of memory that leaves least room, of own group or an ancestor. */
struct cgroup_memory {
	char *file; /* that sets it; to be freed */
	u64 limit;
	u64 used; /* without page cache, which gives way */
};

/* False: no limit, as far as can be seen. */
bool cgroup_memory_read(const char *root, struct cgroup_memory *memory);

/* CPUs' worth of time that own group and its ancestors allow; 0: no limit. */
double cgroup_cpu_quota(const char *root, char **file);

#endif
