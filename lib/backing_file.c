/* SPDX-License-Identifier: GPL-2.0-only */
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

const char *backing_file_fault(const char *path)
{
	struct stat st;

	if (stat(path, &st)) {
		if (errno != ENOENT || path[strlen(path) - 1] == '/' ||
		    !parent_is_writable(path))
			return "no file can be made there: name one in a "
			       "directory that can be written";
		return NULL;
	}
	if (S_ISDIR(st.st_mode))
		return "a directory: name a file in it";
	if (S_ISREG(st.st_mode) && st.st_size)
		return "the file holds data that a guest would overwrite: "
		       "remove it first";
	if (access(path, R_OK | W_OK))
		return "it cannot be read and written: change its permissions";
	if (!S_ISREG(st.st_mode) && !can_be_mapped(path))
		return "neither a regular file nor a device that can be mapped";
	return NULL;
}

u64 backing_file_page_bytes(const char *path)
{
	char *copy = xstrdup(path);
	struct statfs fs;
	u64 bytes = 0;

	if ((statfs(path, &fs) == 0 || statfs(dirname(copy), &fs) == 0) &&
	    fs.f_type == HUGETLBFS_MAGIC)
		bytes = fs.f_bsize;
	free(copy);
	return bytes;
}

static void make_room(int fd, const char *path, u64 bytes)
{
	struct stat st;

	if (fstat(fd, &st))
		die("--backing %s: fstat: %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return;
	if (st.st_size)
		die("--backing %s: the file holds %lld bytes that a guest "
		    "would overwrite: remove it first",
		    path, (long long)st.st_size);
	if (ftruncate(fd, bytes))
		die("--backing %s: growing to %llu bytes: %s", path,
		    (unsigned long long)bytes, strerror(errno));
}

int backing_file_open(const char *path, u64 bytes)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);

	if (fd < 0 && errno == ENOENT) {
		fd = open(path, O_RDWR | O_CLOEXEC | O_CREAT | O_EXCL, 0600);
		if (fd >= 0)
			unlink(path);
	}
	if (fd < 0)
		die("--backing %s: open: %s", path, strerror(errno));
	make_room(fd, path, bytes);
	return fd;
}

void backing_file_close(int fd)
{
	struct stat st;

	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && ftruncate(fd, 0))
		warn("emptying the file of --backing: %s", strerror(errno));
	close(fd);
}
