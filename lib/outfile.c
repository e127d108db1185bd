/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#include "outfile.h"
#include "util.h"

#define FILE_MODE 0644
#define DIRECTORY_MODE 0755

/* Names that are tried before a directory is taken to be full of them. */
#define NAMES_MAX 100

static char *parent_of(const char *path)
{
	char *copy = xstrdup(path), *parent = xstrdup(dirname(copy));

	free(copy);
	return parent;
}

/*
 * In /dev itself or anywhere in /proc, where only the system makes names? 1, 0,
 * or -1 and errno: who does not know must not take /dev/null's place.
 */
static int is_of_system(const char *path)
{
	char *parent = parent_of(path), *real = realpath(parent, NULL);
	int is = real ? 0 : -1;

	if (real && (!strcmp(real, "/dev") || !strcmp(real, "/proc") ||
		     !strncmp(real, "/proc/", 6)))
		is = 1;
	free(parent);
	free(real);
	return is;
}

/*
 * The rule of fs.protected_symlinks and its kin (Documentation/admin-guide/
 * sysctl/fs.rst), which not every host has set: where everybody may make names,
 * trust those of ours and of the directory's owner.
 */
static bool is_planted(const char *path, const struct stat *st)
{
	char *parent = parent_of(path);
	struct stat above;
	bool is;

	is = stat(parent, &above) ||
	     ((above.st_mode & S_IWOTH) && st->st_uid != geteuid() &&
	      st->st_uid != above.st_uid);
	free(parent);
	return is;
}

/* What is under a name must not be left behind by a signal. */
static void hold_signals(struct outfile *f)
{
	sigset_t all;

	if (f->holds)
		return;
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &f->mask);
	f->holds = true;
}

static void release_signals(struct outfile *f)
{
	if (f->holds)
		pthread_sigmask(SIG_SETMASK, &f->mask, NULL);
	f->holds = false;
}

/*
 * Has @give, which returns a descriptor or -1, try new names beside the file;
 * f->temporary is the one that it took.
 */
static int name_beside(struct outfile *f, int (*give)(const char *name, int fd),
		       int fd)
{
	u32 number = 0;
	int given = -1;

	for (int i = 0; i < NAMES_MAX; i++) {
		/* without it, names can be guessed, but still not be taken */
		if (getrandom(&number, sizeof(number), GRND_NONBLOCK) < 0)
			number = (u32)getpid() + (u32)i;
		f->temporary = xasprintf("%s.%08x.tmp", f->path, number);
		given = give(f->temporary, fd);
		if (given >= 0)
			break;
		free(f->temporary);
		f->temporary = NULL;
		if (errno != EEXIST)
			break;
	}
	return given;
}

static int create_named(const char *name, int fd __maybe_unused)
{
	return open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		    FILE_MODE);
}

/* Of the file that has none; see open(2), O_TMPFILE. */
static int give_name(const char *name, int fd)
{
	char path[sizeof("/proc/self/fd/") + 12];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return linkat(AT_FDCWD, path, AT_FDCWD, name, AT_SYMLINK_FOLLOW) ? -1 :
									   fd;
}

/* -1: the file system has none, or there is no /proc to name it by. */
static int create_unnamed(const char *beside)
{
	char *parent = parent_of(beside);
	int fd = access("/proc/self/fd", X_OK) ?
			 -1 :
			 open(parent, O_TMPFILE | O_WRONLY | O_CLOEXEC,
			      FILE_MODE);

	free(parent);
	return fd;
}

/* A new file that is to become @f; its descriptor or -1. */
static int create(struct outfile *f)
{
	int fd = create_unnamed(f->path);

	f->unnamed = fd >= 0;
	if (f->unnamed) {
		f->temporary = xstrdup("");
		return fd;
	}
	hold_signals(f);
	return name_beside(f, create_named, -1);
}

/* How a name is written to. */
enum way {
	UNKNOWN = -1, /* errno says why */
	ANEW,	      /* there is nothing, or a regular file: beside it */
	IN_PLACE,     /* what is there has to stay */
	OF_SYSTEM,    /* also through links */
};

static enum way way_of(const char *path)
{
	int system = is_of_system(path);
	struct stat st;

	if (system)
		return system < 0 ? UNKNOWN : OF_SYSTEM;
	if (lstat(path, &st))
		return errno == ENOENT ? ANEW : UNKNOWN;
	return S_ISREG(st.st_mode) ? ANEW : IN_PLACE;
}

/* What is there already and no regular file; its descriptor or -1. */
static int open_in_place(const char *path, bool system)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK |
				    (system ? O_TRUNC : O_NOFOLLOW));
	struct stat st;

	if (fd < 0)
		return -1;
	if (fstat(fd, &st) == 0) {
		/* swapped for it since we looked */
		if (!system && S_ISREG(st.st_mode))
			errno = EEXIST;
		else if (!system && S_ISFIFO(st.st_mode) &&
			 is_planted(path, &st))
			errno = EPERM;
		else if (fcntl(fd, F_SETFL, 0) == 0)
			return fd;
	}
	close(fd);
	return -1;
}

/* The descriptor of what @f is to become, or -1. */
static int open_for(struct outfile *f)
{
	enum way way = way_of(f->path);

	if (way == UNKNOWN)
		return -1;
	return way == ANEW ? create(f) :
			     open_in_place(f->path, way == OF_SYSTEM);
}

static void remove_temporary(const struct outfile *f)
{
	if (f->temporary && !f->unnamed && unlink(f->temporary))
		warn("%s: %s: it is left behind", f->temporary,
		     strerror(errno));
}

static void forget(struct outfile *f)
{
	release_signals(f);
	if (f->held)
		free(f->held->text);
	free(f->held);
	free(f->path);
	free(f->temporary);
	*f = (struct outfile){ .out = NULL };
}

/*
 * 0, or the errno by which no file can be called so, or not with what a
 * temporary one adds: known now, though a file that has no name yet could be
 * made.
 */
static int name_fault(const char *path)
{
	char *longer = xasprintf("%s.00000000.tmp", path);
	struct stat st;
	int error = lstat(longer, &st) && errno == ENAMETOOLONG ? errno : 0;

	free(longer);
	return error;
}

int outfile_open(struct outfile *f, const char *path)
{
	int error;

	*f = (struct outfile){ .path = xstrdup(path),
			       .held = xcalloc(1, sizeof(*f->held)) };
	if (!*path || path[strlen(path) - 1] == '/') {
		forget(f);
		return ENOENT;
	}
	error = name_fault(path);
	if (error) {
		forget(f);
		return error;
	}
	f->fd = open_for(f);
	/* a stream to a file would lose the errno of what it writes by itself
	 */
	f->out = f->fd < 0 ? NULL :
			     open_memstream(&f->held->text, &f->held->bytes);
	if (f->out)
		return 0;
	error = errno;
	if (f->fd >= 0)
		close(f->fd);
	remove_temporary(f);
	forget(f);
	return error;
}

void outfile_abandon(struct outfile *f)
{
	fclose(f->out);
	if (f->fd >= 0)
		close(f->fd);
	remove_temporary(f);
	forget(f);
}

/* Returns 0 or an errno. After EINTR it is closed: close(2). */
static int close_file(struct outfile *f)
{
	int fd = f->fd;

	f->fd = -1;
	return fd >= 0 && close(fd) && errno != EINTR ? errno : 0;
}

/* A full disk may show only now. EINVAL, EROFS: there is none below it. */
static int put_in_place(struct outfile *f)
{
	int error = flush_stream(f->out);

	if (!error)
		error = write_all(f->fd, f->held->text, f->held->bytes);
	while (!error && fsync(f->fd)) {
		if (errno == EINVAL || errno == EROFS)
			break;
		if (errno != EINTR)
			error = errno;
	}
	if (error || !f->temporary)
		return error;
	hold_signals(f);
	if (f->unnamed) {
		free(f->temporary);
		if (name_beside(f, give_name, f->fd) < 0)
			return errno;
		f->unnamed = false;
	}
	error = close_file(f);
	if (!error && rename(f->temporary, f->path))
		error = errno;
	return error;
}

int outfile_close(struct outfile *f)
{
	int error = put_in_place(f);

	if (error) {
		outfile_abandon(f);
		return error;
	}
	fclose(f->out);
	error = close_file(f);
	forget(f);
	return error;
}

int outfile_check(const char *path)
{
	enum way way = way_of(path);
	struct outfile f;
	struct stat st;
	int error;

	if (way == UNKNOWN)
		return errno;
	if (way == ANEW) {
		error = outfile_open(&f, path);
		if (!error)
			outfile_abandon(&f);
		return error;
	}
	if (way == IN_PLACE && lstat(path, &st) == 0) {
		if (S_ISLNK(st.st_mode))
			return ELOOP;
		if (S_ISFIFO(st.st_mode) && is_planted(path, &st))
			return EPERM;
	}
	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		return EISDIR;
	return access(path, W_OK) ? errno : 0;
}

int outfile_fresh(const char *path)
{
	int system = is_of_system(path);

	if (system < 0)
		return -1;
	if (system)
		return open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
	if (unlink(path) && errno != ENOENT)
		return -1;
	return open(path,
		    O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW |
			    O_CLOEXEC,
		    FILE_MODE);
}

int outfile_append(const char *path)
{
	int fd = open(path,
		      O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK |
			      O_CLOEXEC,
		      FILE_MODE);
	struct stat st;

	if (fd < 0)
		return -1;
	if (fstat(fd, &st) == 0) {
		if (S_ISREG(st.st_mode) && st.st_nlink == 1 &&
		    !is_planted(path, &st))
			return fd;
		errno = EPERM;
	}
	close(fd);
	return -1;
}

int outfile_directory(const char *path)
{
	struct stat st;

	if (mkdir(path, DIRECTORY_MODE) == 0)
		return 0;
	if (errno != EEXIST)
		return errno;
	if (lstat(path, &st))
		return errno;
	if (is_planted(path, &st))
		return EPERM;
	return stat(path, &st) ? errno : S_ISDIR(st.st_mode) ? 0 : ENOTDIR;
}

const char *outfile_error(int error)
{
	switch (error) {
	case ELOOP:
		return "a symbolic link, which is not followed";
	case EPERM:
		return "another user has put it there";
	default:
		return strerror(error);
	}
}
