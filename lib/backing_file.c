/* SPDX-License-Identifier: GPL-2.0-only */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "backing_file.h"
#include "remedy.h"
#include "units.h"
#include "util.h"

static bool parent_is_writable(const char *path)
{
	char *copy = xstrdup(path);
	bool writable = access(dirname(copy), W_OK | X_OK) == 0;

	free(copy);
	return writable;
}

/* Is it a device that can be mapped shared? */
static bool can_be_mapped(const char *path)
{
	size_t bytes = sysconf(_SC_PAGESIZE);
	int fd = open(path, O_RDWR | O_CLOEXEC);
	void *mem;

	if (fd < 0)
		return false;
	mem = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (mem == MAP_FAILED)
		return false;
	munmap(mem, bytes);
	return true;
}

/* A file of sysfs holds nothing: it is what a device has, such as a PCI BAR. */
static bool is_in_sysfs(const char *path)
{
	struct statfs fs;

	return statfs(path, &fs) == 0 && fs.f_type == SYSFS_MAGIC;
}

const char *backing_file_fault(const char *path)
{
	static char why[128]; /* seen until the next call */
	struct stat st;
	int error;

	for (const char *c = path; *c; c++)
		if (iscntrl((unsigned char)*c))
			return "a path with control characters";
	error = stat(path, &st) ? errno : 0;
	if (error && error != ENOENT && error != ENOTDIR) {
		snprintf(why, sizeof(why), "it cannot be looked at: %s",
			 errno_text(error));
		return why;
	}
	if (error) {
		if (error != ENOENT || lstat(path, &st) == 0 ||
		    path[strlen(path) - 1] == '/' || !parent_is_writable(path))
			return "no file can be made there: name one in a "
			       "directory that can be written";
		return NULL;
	}
	if (S_ISDIR(st.st_mode))
		return "a directory: name a file in it";
	if (S_ISREG(st.st_mode) && !is_in_sysfs(path))
		return "the file exists, and a guest would overwrite it: name "
		       "one that does not";
	if (access(path, R_OK | W_OK))
		return "it cannot be read and written: change its permissions";
	if (!can_be_mapped(path))
		return "neither a new file nor a device that can be mapped";
	return NULL;
}

/* The file system that it is or would be on. */
static bool find_file_system(const char *path, struct statfs *fs)
{
	char *copy = xstrdup(path);
	bool found = statfs(path, fs) == 0 || statfs(dirname(copy), fs) == 0;

	free(copy);
	return found;
}

u64 backing_file_page_bytes(const char *path)
{
	struct statfs fs;

	return find_file_system(path, &fs) && fs.f_type == HUGETLBFS_MAGIC ?
		       fs.f_bsize :
		       0;
}

/* A device is there already, and so is its memory. */
static bool is_device(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 &&
	       (!S_ISREG(st.st_mode) || is_in_sysfs(path));
}

bool backing_file_takes_memory(const char *path)
{
	struct statfs fs;

	return !is_device(path) && find_file_system(path, &fs) &&
	       (fs.f_type == TMPFS_MAGIC || fs.f_type == RAMFS_MAGIC);
}

static char *mount_point(const char *path)
{
	char *copy = xstrdup(path), *dir = xstrdup(dirname(copy));
	struct stat here, above;

	while (strcmp(dir, "/") != 0 && strchr(dir, '/') &&
	       stat(dir, &here) == 0) {
		char *cut = xstrdup(dir), *parent = xstrdup(dirname(cut));

		free(cut);
		if (stat(parent, &above) || above.st_dev != here.st_dev) {
			free(parent);
			break;
		}
		free(dir);
		dir = parent;
	}
	free(copy);
	return dir;
}

char *backing_file_missing(const char *path, u64 bytes)
{
	char need[UNIT_LEN], have[UNIT_LEN], size[UNIT_LEN];
	struct statfs fs;
	char *where, *why;
	u64 left;

	/* a tmpfs without a limit says that it has no blocks */
	if (is_device(path) || !find_file_system(path, &fs) || !fs.f_blocks)
		return NULL;
	left = (geteuid() ? fs.f_bavail : fs.f_bfree) * (u64)fs.f_bsize;
	if (bytes <= left)
		return NULL;
	where = mount_point(path);
	format_size(need, bytes);
	format_size(have, ALIGN_DOWN(left, KIB(64)));
	format_size(size,
		    ALIGN_UP((fs.f_blocks * (u64)fs.f_bsize - left) + bytes,
			     MIB(1)));
	if (fs.f_type == TMPFS_MAGIC)
		why = xasprintf("%s needed, %s has %s left: "
				"mount -o remount,size=%s %s",
				need, where, have, size, where);
	else
		why = xasprintf("%s needed, the file system of %s has %s left: "
				"name a file on another one",
				need, where, have);
	free(where);
	return why;
}

/* A name may lead elsewhere than when it was looked at. */
static bool is_overwritten(int fd)
{
	struct statfs fs;
	struct stat st;

	return fstat(fd, &st) ||
	       (S_ISREG(st.st_mode) &&
		(fstatfs(fd, &fs) || fs.f_type != SYSFS_MAGIC));
}

int backing_file_open(const char *path, u64 bytes)
{
	int fd = open(path, O_RDWR | O_CLOEXEC | O_CREAT | O_EXCL, 0600);
	int error;

	if (fd >= 0) {
		if (unlink(path))
			die("--backing %s: unlink: %s: it is left behind", path,
			    strerror(errno));
		error = file_resize(fd, bytes);
		if (error)
			die("--backing %s: ftruncate to %llu bytes: %s", path,
			    (unsigned long long)bytes, errno_text(error));
		return fd;
	}
	if (errno == EEXIST && !backing_file_fault(path))
		fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		die("--backing %s: open: %s", path, errno_text(errno));
	if (is_overwritten(fd))
		die("--backing %s: it became a file meanwhile, and a guest "
		    "would overwrite it",
		    path);
	return fd;
}
