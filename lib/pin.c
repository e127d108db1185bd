/* SPDX-License-Identifier: GPL-2.0-only */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pin.h"
#include "util.h"

#define CPUS_OF_HOST "/sys/devices/system/cpu"

int pin_self(u64 cpu)
{
	struct cpus cpus = { 0 };
	int error;

	if (cpu == NOT_PINNED)
		return 0;
	error = cpus_add(&cpus, cpu);
	if (!error)
		error = cpus_apply(&cpus);
	cpus_fini(&cpus);
	return error;
}

/* "node1", to be freed; NULL: unknown. */
static char *node_of(const char *root, u64 cpu)
{
	char *path = xasprintf("%s" CPUS_OF_HOST "/cpu%llu", root,
			       (unsigned long long)cpu);
	DIR *dir = opendir(path);
	struct dirent *entry;
	char *node = NULL;

	while (dir && !node && (entry = readdir(dir)))
		if (strncmp(entry->d_name, "node", 4) == 0)
			node = xstrdup(entry->d_name);
	if (dir)
		closedir(dir);
	free(path);
	return node;
}

static bool is_on(const char *root, u64 cpu, const char *node)
{
	char *path = xasprintf("%s" CPUS_OF_HOST "/cpu%llu/%s", root,
			       (unsigned long long)cpu, node);
	bool on = access(path, F_OK) == 0;

	free(path);
	return on;
}

/* A CPU whose neighbours are in @near is, too. */
static int add_neighbours(struct cpus *near, const char *root, u64 cpu,
			  const struct cpus *usable)
{
	char *node;
	int error;

	if (cpus_have(near, cpu))
		return 0;
	error = cpus_add(near, cpu);
	node = node_of(root, cpu);
	for (u64 i = 0; node && !error && i < usable->bytes * 8; i++)
		if (cpus_have(usable, i) && is_on(root, i, node))
			error = cpus_add(near, i);
	free(node);
	return error;
}

struct cpus pin_neighbours(const char *root, const struct u64_list *pin, u64 nr,
			   const struct cpus *usable)
{
	struct cpus near = { 0 };

	for (u64 i = 0; i < nr && i < pin->nr; i++)
		if (add_neighbours(&near, root, pin->v[i], usable))
			cpus_fini(&near);
	return near;
}

struct cpus pin_visit(const struct u64_list *pin, u64 nr)
{
	struct cpus home = { 0 }, near;

	if (!pin || !pin->nr || cpus_read(&home))
		return home;
	near = pin_neighbours("", pin, nr, &home);
	if (!near.set || cpus_apply(&near))
		cpus_fini(&home);
	cpus_fini(&near);
	return home;
}

void pin_return(struct cpus home)
{
	if (home.set)
		cpus_apply(&home);
	cpus_fini(&home);
}

void pin_require(u64 cpu, int error)
{
	if (error)
		die("--pin: CPU %llu: sched_setaffinity: %s: is it still "
		    "online, and allowed to this process? Choose another, or "
		    "do without",
		    (unsigned long long)cpu, strerror(error));
}
