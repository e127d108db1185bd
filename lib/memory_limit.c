/* SPDX-License-Identifier: GPL-2.0-only */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cgroup.h"
#include "memory_limit.h"
#include "remedy.h"
#include "units.h"
#include "util.h"

#define PREFIX "kvmeter-" /* and our process id */

/*
 * Documentation/admin-guide/cgroup-v2.rst, cgroup-v1/memory.rst. Limits that
 * kill nobody: all that may stay can be on its way to a slow device at once,
 * when reclaim finds nothing to free.
 */
static const struct version {
	const char *controller; /* of cgroup.h */
	const char *limit;	/* in version 2 that which slows down */
	const char *usage;
	/* Written 1, has allocations fail; KVM tries again, or KVM_RUN says
	 * EFAULT. NULL: not needed. */
	const char *no_kill;
} versions[] = {
	{ NULL, "memory.high", "memory.current", NULL },
	{ "memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
	  "memory.oom_control" },
};

struct memory_limit {
	const struct version *version;
	char *home;   /* directory of the cgroup that we come from */
	char *parent; /* of our own */
	char *path;   /* of our own */
	bool added;   /* the controller, to what the parent's children have */
	u64 pages, limit_pages;
	u64 limit_bytes; /* of the cgroup */
	u64 faults_before;
};

/* What exit() is to put back. */
static struct memory_limit *current;

static bool has_file(const char *dir, const char *file)
{
	char *path = xasprintf("%s/%s", dir, file);
	bool has = access(path, F_OK) == 0;

	free(path);
	return has;
}

static bool has_controller(const char *dir)
{
	char *text = read_text("%s/cgroup.controllers", dir);
	bool has = text && strstr(text, "memory");

	free(text);
	return has;
}

/*
 * Version 2 wants no processes in a group with children that have a limit, but
 * for the topmost: so ours is a sibling of the one that we come from.
 */
static bool find_place(struct memory_limit *l, const struct version *v)
{
	l->version = v;
	l->home = cgroup_directory("", v->controller);
	l->parent = l->home ? xstrdup(l->home) : NULL;
	if (l->parent &&
	    (v->controller ||
	     (has_file(l->home, v->limit) ?
		      cgroup_to_parent("", v->controller, l->parent) :
		      has_controller(l->home))))
		return true;
	free(l->home);
	free(l->parent);
	return false;
}

/* The names in it are to be freed, if it is true. */
static bool find(struct memory_limit *l)
{
	for (size_t i = 0; i < ARRAY_SIZE(versions); i++)
		if (find_place(l, &versions[i]))
			return true;
	return false;
}

static u64 free_swap(void)
{
	char *meminfo = read_text("/proc/meminfo");
	const char *line = meminfo ? strstr(meminfo, "SwapFree:") : NULL;
	u64 kib = line ? strtoull(line + strlen("SwapFree:"), NULL, 10) : 0;

	if (!meminfo)
		skip("--slow swap: /proc/meminfo cannot be read: %s",
		     errno_text(errno));
	free(meminfo);
	return KIB(kib);
}

const char *memory_limit_missing(u64 bytes)
{
	struct memory_limit l = { 0 };
	bool allowed;

	if (!find(&l))
		return "no memory cgroup can be seen from here: mount -t "
		       "cgroup2 none /sys/fs/cgroup";
	allowed = access(l.parent, W_OK) == 0;
	free(l.home);
	free(l.parent);
	if (!allowed)
		return "making a memory cgroup needs root";
	if (free_swap() < bytes)
		return "not enough free swap space for the memory: swapon a "
		       "file or a device";
	return NULL;
}

/* 0 or an errno. */
static int write_text(const char *dir, const char *file, const char *text)
{
	char *path = xasprintf("%s/%s", dir, file);
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	int error = 0;

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		error = errno;
	if (fd >= 0)
		close(fd);
	free(path);
	return error;
}

static int write_number(const char *dir, const char *file, u64 number)
{
	char text[UNIT_LEN];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)number);
	return write_text(dir, file, text);
}

static int enter(const char *dir)
{
	return write_number(dir, "cgroup.procs", getpid());
}

/* Of processes that were killed. */
static void remove_leftovers(const char *parent)
{
	DIR *dir = opendir(parent);
	struct dirent *entry;
	u64 pid;

	while (dir && (entry = readdir(dir))) {
		if (strncmp(entry->d_name, PREFIX, strlen(PREFIX)) != 0 ||
		    !parse_u64(entry->d_name + strlen(PREFIX), &pid) ||
		    (u64)(pid_t)pid != pid || kill((pid_t)pid, 0) == 0 ||
		    errno != ESRCH)
			continue;
		unlinkat(dirfd(dir), entry->d_name, AT_REMOVEDIR);
	}
	if (dir)
		closedir(dir);
}

/* Returns 0, or an errno: then the process still is in the group. */
static int put_back(struct memory_limit *l)
{
	int error = enter(l->home);

	if (error)
		warn("going back to %s: %s", l->home, errno_text(error));
	if (rmdir(l->path) && errno != ENOENT)
		warn("%s: %s", l->path, errno_text(errno));
	if (l->added)
		write_text(l->parent, "cgroup.subtree_control", "-memory");
	l->added = false;
	return error;
}

static void put_back_at_exit(void)
{
	if (current)
		put_back(current);
	current = NULL;
}

static void make_group(struct memory_limit *l)
{
	static bool registered;

	if (!registered && atexit(put_back_at_exit))
		die("out of memory");
	registered = true;
	remove_leftovers(l->parent);
	current = l;
	if (mkdir(l->path, 0755))
		die("%s: %s", l->path, errno_text(errno));
	if (!has_file(l->path, l->version->limit))
		l->added = !write_text(l->parent, "cgroup.subtree_control",
				       "+memory");
}

static u64 usage(const struct memory_limit *l)
{
	u64 bytes;

	if (!read_number(&bytes, "%s/%s", l->path, l->version->usage))
		die("%s/%s cannot be read: %s", l->path, l->version->usage,
		    errno_text(errno));
	return bytes;
}

static u64 major_faults(const struct memory_limit *l)
{
	char *stat = read_text("%s/memory.stat", l->path);
	const char *line = stat ? strstr(stat, "\npgmajfault ") : NULL;
	u64 faults;

	if (!stat)
		die("%s/memory.stat cannot be read: %s", l->path,
		    errno_text(errno));
	if (!line)
		die("%s/memory.stat does not tell of major faults", l->path);
	faults = strtoull(line + strlen("\npgmajfault "), NULL, 10);
	free(stat);
	return faults;
}

struct memory_limit *memory_limit_create(void *mem, u64 bytes, u64 limit_bytes)
{
	struct memory_limit *l = xcalloc(1, sizeof(*l));
	u64 page = sysconf(_SC_PAGESIZE);
	int error;

	if (!find(l))
		die("no memory cgroup can be seen any more");
	l->path = xasprintf("%s/" PREFIX "%d", l->parent, (int)getpid());
	l->pages = bytes / page;
	l->limit_pages = limit_bytes / page;
	make_group(l);
	error = enter(l->path);
	if (error)
		die("entering %s: %s", l->path, errno_text(error));
	if (madvise(mem, bytes, MADV_DONTNEED))
		die("madvise of %llu bytes: %s", (unsigned long long)bytes,
		    errno_text(errno));
	l->limit_bytes = ALIGN_UP(usage(l) + limit_bytes, page);
	error = write_number(l->path, l->version->limit, l->limit_bytes);
	if (!error && l->version->no_kill)
		error = write_number(l->path, l->version->no_kill, 1);
	if (error)
		die("limiting %s to %llu bytes: %s", l->path,
		    (unsigned long long)l->limit_bytes, errno_text(error));
	return l;
}

void memory_limit_free(struct memory_limit *l)
{
	if (!l)
		return;
	/* what comes would be measured under the limit; exit tries again */
	if (put_back(l))
		die("the process cannot leave its control group: see above");
	current = NULL;
	free(l->home);
	free(l->parent);
	free(l->path);
	free(l);
}

void memory_limit_renew(struct memory_limit *l)
{
	l->faults_before = major_faults(l);
}

/* A fault brings up to so many pages (Documentation/admin-guide/sysctl/vm.rst)
 */
static u64 pages_of_fault(void)
{
	u64 cluster = 0;

	read_number(&cluster, "/proc/sys/vm/page-cluster");
	return BIT(min_u64(cluster, 16));
}

char *memory_limit_judge(struct memory_limit *l, bool *ok)
{
	u64 faults = major_faults(l) - l->faults_before;
	u64 page = sysconf(_SC_PAGESIZE);
	/* a kernel thread that brings pages for the guest takes none back, and
	 * CPUs charge in advance: half of what has no room may have some */
	u64 outside = (l->pages - l->limit_pages) / 2;
	u64 least = outside / pages_of_fault();
	u64 most_used = l->limit_bytes + outside * page;
	u64 used = usage(l);
	char now[UNIT_LEN], most[UNIT_LEN];

	*ok = faults >= least && used <= most_used;
	return xasprintf("%llu major faults of at least %llu, %s of at most "
			 "%s in use",
			 (unsigned long long)faults, (unsigned long long)least,
			 format_size(now, ALIGN_UP(used, KIB(1))),
			 format_size(most, most_used));
}
