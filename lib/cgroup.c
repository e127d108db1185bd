/* SPDX-License-Identifier: GPL-2.0-only */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cgroup.h"
#include "units.h"
#include "util.h"

/* Version 1 writes "no limit" as the largest multiple of a page in a s64. */
#define NO_LIMIT (UINT64_C(1) << 62)

/* Does the list "a,b,c" have @word? */
static bool has_word(const char *list, const char *word)
{
	size_t len = strlen(word);

	for (;;) {
		if (strncmp(list, word, len) == 0 && strchr(",\n", list[len]))
			return true;
		list = strchr(list, ',');
		if (!list)
			return false;
		list++;
	}
}

/* Calls for each line of a file, which it may write to, until one is it. */
static bool find_line(const char *root, const char *path,
		      bool (*is_it)(char *line, void *arg), void *arg)
{
	char *text = read_text("%s%s", root, path);
	char *rest = text, *line;
	bool found = false;

	while (!found && rest && (line = strsep(&rest, "\n")))
		found = is_it(line, arg);
	free(text);
	return found;
}

struct search {
	const char *controller; /* NULL: version 2 */
	char *path;		/* of the group in its hierarchy */
	char *mount_root, *mount_point;
};

/* proc(5), cgroup: "4:memory:/a/b", "0::/a/b" */
static bool is_membership(char *line, void *arg)
{
	struct search *s = arg;
	char *rest = line;
	const char *number = strsep(&rest, ":");
	const char *controllers = strsep(&rest, ":");

	if (!rest)
		return false;
	if (s->controller ? !has_word(controllers, s->controller) :
			    strcmp(number, "0") != 0 || *controllers)
		return false;
	s->path = xstrdup(rest);
	return true;
}

/* proc(5), mountinfo: "35 31 0:29 ROOT POINT options ... - TYPE source SUPER"
 */
static bool is_mount(char *line, void *arg)
{
	struct search *s = arg;
	char *type = strstr(line, " - "), *words[5];

	if (!type)
		return false;
	*type = '\0';
	type += strlen(" - ");
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		words[i] = strsep(&line, " ");
	if (!words[4])
		return false;
	if (s->controller) {
		const char *super = strrchr(type, ' ');

		if (strncmp(type, "cgroup ", 7) != 0 || !super ||
		    !has_word(super + 1, s->controller))
			return false;
	} else if (strncmp(type, "cgroup2 ", 8) != 0) {
		return false;
	}
	s->mount_root = xstrdup(words[3]);
	s->mount_point = xstrdup(words[4]);
	return true;
}

/* What a mount of part of a hierarchy shows of @path; NULL: nothing. */
static const char *seen_below(const char *mount_root, const char *path)
{
	size_t len = strcmp(mount_root, "/") == 0 ? 0 : strlen(mount_root);

	if (strncmp(path, mount_root, len) != 0 ||
	    (path[len] && path[len] != '/') || strstr(path, "/.."))
		return NULL;
	return strcmp(path + len, "/") == 0 ? "" : path + len;
}

static struct search search(const char *root, const char *controller)
{
	struct search s = { .controller = controller };

	if (find_line(root, "/proc/self/cgroup", is_membership, &s))
		find_line(root, "/proc/self/mountinfo", is_mount, &s);
	return s;
}

static void search_fini(struct search *s)
{
	free(s->path);
	free(s->mount_root);
	free(s->mount_point);
}

char *cgroup_directory(const char *root, const char *controller)
{
	struct search s = search(root, controller);
	const char *below;
	char *dir = NULL;
	struct stat st;

	below = s.mount_root ? seen_below(s.mount_root, s.path) : NULL;
	if (below)
		dir = xasprintf("%s%s%s", root, s.mount_point, below);
	if (dir && stat(dir, &st)) {
		free(dir);
		dir = NULL;
	}
	search_fini(&s);
	return dir;
}

bool cgroup_to_parent(const char *root, const char *controller, char *dir)
{
	struct search s = search(root, controller);
	size_t top = strlen(root) + (s.mount_point ? strlen(s.mount_point) : 0);
	bool below = s.mount_point && strlen(dir) > top;

	search_fini(&s);
	if (below)
		*strrchr(dir, '/') = '\0';
	return below;
}

/* The number behind @key at the beginning of a line of @text, else 0. */
static u64 keyed(const char *text, const char *key)
{
	size_t len = strlen(key);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, key, len) == 0 && line[len] == ' ')
			return strtoull(line + len, NULL, 10);
	}
	return 0;
}

static const struct memory_files {
	const char *controller;
	const char *limits[3]; /* ended by NULL */
	const char *usage;
	const char *cache[3]; /* in memory.stat, what gives way */
} memory_files[] = {
	{ NULL,
	  { "memory.max", "memory.high" },
	  "memory.current",
	  { "active_file", "inactive_file" } },
	{ "memory",
	  { "memory.limit_in_bytes" },
	  "memory.usage_in_bytes",
	  { "total_active_file", "total_inactive_file" } },
};

static u64 used_memory(const struct memory_files *f, const char *dir)
{
	char *stat = read_text("%s/memory.stat", dir);
	u64 used = 0, cache = 0;

	read_number(&used, "%s/%s", dir, f->usage);
	for (size_t i = 0; stat && f->cache[i]; i++)
		cache += keyed(stat, f->cache[i]);
	free(stat);
	return used - min_u64(used, cache);
}

static u64 room_of(const struct cgroup_memory *m)
{
	return m->limit - min_u64(m->limit, m->used);
}

static void take_tighter(const struct memory_files *f, const char *dir,
			 struct cgroup_memory *least)
{
	for (size_t i = 0; f->limits[i]; i++) {
		struct cgroup_memory m = { 0 };

		/* "max" is no number */
		if (!read_number(&m.limit, "%s/%s", dir, f->limits[i]) ||
		    m.limit >= NO_LIMIT)
			continue;
		m.used = used_memory(f, dir);
		if (least->file && room_of(least) <= room_of(&m))
			continue;
		free(least->file);
		*least = m;
		least->file = xasprintf("%s/%s", dir, f->limits[i]);
	}
}

bool cgroup_memory_read(const char *root, struct cgroup_memory *memory)
{
	*memory = (struct cgroup_memory){ 0 };
	for (size_t i = 0; i < ARRAY_SIZE(memory_files); i++) {
		const struct memory_files *f = &memory_files[i];
		char *dir = cgroup_directory(root, f->controller);

		if (!dir)
			continue;
		do
			take_tighter(f, dir, memory);
		while (cgroup_to_parent(root, f->controller, dir));
		free(dir);
	}
	return memory->file;
}

/* "200000 100000", or in version 1 two files; 0: no limit. */
static double quota_in(const char *controller, const char *dir, char **file)
{
	u64 quota = 0, period = 0;
	char *text;

	if (controller) {
		*file = xasprintf("%s/cpu.cfs_quota_us", dir);
		read_number(&quota, "%s/cpu.cfs_quota_us", dir);
		read_number(&period, "%s/cpu.cfs_period_us", dir);
	} else {
		*file = xasprintf("%s/cpu.max", dir);
		text = read_text("%s", *file);
		if (text &&
		    sscanf(text, "%" SCNu64 " %" SCNu64, &quota, &period) != 2)
			quota = 0;
		free(text);
	}
	return quota && period ? (double)quota / period : 0;
}

double cgroup_cpu_quota(const char *root, char **file)
{
	static const char *const controllers[] = { NULL, "cpu" };
	double least = 0;

	*file = NULL;
	for (size_t i = 0; i < ARRAY_SIZE(controllers); i++) {
		char *dir = cgroup_directory(root, controllers[i]);

		if (!dir)
			continue;
		do {
			char *here;
			double quota = quota_in(controllers[i], dir, &here);

			if (quota && (!least || quota < least)) {
				free(*file);
				*file = here;
				least = quota;
			} else {
				free(here);
			}
		} while (cgroup_to_parent(root, controllers[i], dir));
		free(dir);
	}
	return least;
}
