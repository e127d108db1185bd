/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdlib.h>
#include <string.h>
#include "cgroup.h"
#include "oom.h"
#include "units.h"
#include "util.h"

/* "\noom_kill N" of a file that has such a line; 0 if it has none. */
static u64 count_in(const char *dir, const char *file)
{
	char *text = read_text("%s/%s", dir, file);
	const char *line = text ? strstr(text, "\noom_kill ") : NULL;
	u64 nr = line ? strtoull(line + strlen("\noom_kill "), NULL, 10) : 0;

	free(text);
	return nr;
}

/* Documentation/admin-guide/cgroup-v2.rst, cgroup-v1/memory.rst */
static const struct {
	const char *controller, *file;
} versions[] = {
	{ NULL, "memory.events" },
	{ "memory", "memory.oom_control" },
};

u64 oom_kills(void)
{
	/* proc_vmstat(5): since Linux 4.13, those of control groups as well */
	u64 nr = count_in("/proc", "vmstat");

	for (size_t i = 0; i < ARRAY_SIZE(versions); i++) {
		char *dir = cgroup_directory("", versions[i].controller);

		if (dir)
			nr += count_in(dir, versions[i].file);
		free(dir);
	}
	return nr;
}

char *oom_remedy(void)
{
	struct cgroup_memory m;
	char limit[UNIT_LEN];
	char *text;

	if (!cgroup_memory_read("", &m))
		return xstrdup("the host has run out: choose smaller --bytes "
			       "or --vcpus");
	text = xasprintf("%s allows %s: raise it, or choose smaller --bytes or "
			 "--vcpus",
			 m.file, format_size(limit, m.limit));
	free(m.file);
	return text;
}
