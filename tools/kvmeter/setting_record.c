/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include "remedy.h"
#include "setting_record.h"
#include "util.h"

/* On a file system that a new boot finds empty, as it finds settings. */
#define PREFIX "/run/kvmeter-settings."

/* Fields, each ended by '\0': these, four of each setting, END. */
enum { SCHEMA, BOOT, SPACES, NR_HEAD };
enum { PATH, ORIGINAL, VALUE_A, VALUE_B, NR_OF_SETTING };
#define SCHEMA_TEXT "kvmeter-settings/1"
#define END "end"

#define RECORD_BYTES_MAX (1 << 20)

/* How often it may be TAKEN. */
#define TRIES 10

/* Of this process: the only state of this file. */
static struct {
	char *path; /* NULL: none */
	int fd;
} own = { NULL, -1 };

/* ---- what a record is about ---- */

static char *boot_id(void)
{
	char *id = read_text("/proc/sys/kernel/random/boot_id");

	return id ? id : xstrdup("");
}

/* A path means another setting in others of these. */
static char *namespaces(void)
{
	static const char *const names[] = { "cgroup", "ipc", "net", "user",
					     "uts" };
	char *all = xstrdup(""), *longer;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		char *path = xasprintf("/proc/self/ns/%s", names[i]);
		char space[64];
		ssize_t len = readlink(path, space, sizeof(space));

		longer = xasprintf("%s%.*s ", all, len < 0 ? 0 : (int)len,
				   space);
		free(path);
		free(all);
		all = longer;
	}
	return all;
}

/* ---- writing ---- */

static void put_field(FILE *out, const char *field)
{
	fwrite(field, 1, strlen(field) + 1, out);
}

static void put_settings(FILE *out, const struct settings *s)
{
	size_t i, side;

	for (i = 0; i < s->nr; i++) {
		const struct setting *one = &s->list[i];

		put_field(out, one->path);
		put_field(out, one->original);
		for (side = 0; side < SETTING_SIDES; side++)
			put_field(out, one->value[side] ? one->value[side] :
							  one->original);
	}
}

/* Returns 0 or an errno. */
static int write_fields(int fd, const struct settings *s)
{
	char *boot = boot_id(), *spaces = namespaces();
	/* stdio closes it, but the lock is to stay */
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0), error = 0;
	FILE *out = copy < 0 ? NULL : fdopen(copy, "w");

	if (!out) {
		error = errno;
		if (copy >= 0)
			close(copy);
	} else {
		put_field(out, SCHEMA_TEXT);
		put_field(out, boot);
		put_field(out, spaces);
		put_settings(out, s);
		put_field(out, END);
		if (fclose(out))
			error = errno;
	}
	free(spaces);
	free(boot);
	return error;
}

/* Somebody took it for one that was left, before it was locked. */
#define TAKEN (-1)

/* Returns 0, TAKEN or an errno. */
static int make(const struct settings *s)
{
	struct stat st;
	int error = 0;

	own.path = xstrdup(PREFIX "XXXXXX");
	own.fd = mkostemp(own.path, O_CLOEXEC);
	if (own.fd < 0) {
		error = errno;
		free(own.path);
		own.path = NULL;
		return error;
	}
	if (flock(own.fd, LOCK_EX | LOCK_NB))
		error = errno == EWOULDBLOCK ? TAKEN : errno;
	else if (fstat(own.fd, &st))
		error = errno;
	else if (st.st_nlink == 0)
		error = TAKEN;
	else
		error = write_fields(own.fd, s);
	if (error)
		record_remove();
	return error;
}

void record_write(const struct settings *s)
{
	int tries = 0, error;

	do {
		error = make(s);
	} while (error == TAKEN && ++tries < TRIES);
	if (error)
		warn(PREFIX "*: %s: if kvmeter and its guardian are killed at "
			    "once, nobody will know what settings were",
		     error == TAKEN ? "files do not stay there" :
				      strerror(error));
}

void record_remove(void)
{
	if (!own.path)
		return;
	if (unlink(own.path) && errno != ENOENT)
		warn("%s: %s: it is left behind", own.path, strerror(errno));
	close(own.fd);
	free(own.path);
	own.path = NULL;
	own.fd = -1;
}

/* ---- reading ---- */

struct record {
	const char *path;
	char *text;
	char **fields; /* pieces of @text */
	size_t nr;
	bool whole; /* else nothing has been changed yet */
};

static void record_fini(struct record *r)
{
	free(r->fields);
	free(r->text);
}

static void split(struct record *r, size_t bytes)
{
	char *at;

	/* a piece without its end is none */
	for (at = r->text; memchr(at, '\0', r->text + bytes - at);
	     at += strlen(at) + 1) {
		r->fields = xrealloc(r->fields, r->nr + 1, sizeof(*r->fields));
		r->fields[r->nr++] = at;
	}
	r->whole = r->nr > NR_HEAD && (r->nr - NR_HEAD) % NR_OF_SETTING == 1 &&
		   strcmp(r->fields[SCHEMA], SCHEMA_TEXT) == 0 &&
		   strcmp(r->fields[r->nr - 1], END) == 0;
}

/* A descriptor with the lock; -1 and errno, EWOULDBLOCK: they are alive. */
static int open_record(const char *path)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;
	int error;

	if (fd < 0)
		return -1;
	if (fstat(fd, &st))
		error = errno;
	else if (!S_ISREG(st.st_mode) || st.st_uid != geteuid() ||
		 st.st_mode & (S_IWGRP | S_IWOTH))
		error = EINVAL;
	else
		error = flock(fd, LOCK_EX | LOCK_NB) ? errno : 0;
	if (!error)
		return fd;
	close(fd);
	errno = error;
	return -1;
}

static void read_record(struct record *r, const char *path, int fd)
{
	ssize_t nr;

	*r = (struct record){ .path = path };
	r->text = xcalloc(RECORD_BYTES_MAX, 1);
	nr = pread(fd, r->text, RECORD_BYTES_MAX, 0);
	if (nr < 0)
		die("%s: %s", path, errno_text(errno));
	split(r, (size_t)nr);
}

static bool is_of_here(const struct record *r)
{
	char *spaces = namespaces();
	bool same = strcmp(spaces, r->fields[SPACES]) == 0;

	free(spaces);
	return same;
}

static bool is_of_now(const struct record *r)
{
	char *boot = boot_id();
	bool same = strcmp(boot, r->fields[BOOT]) == 0;

	free(boot);
	return same;
}

static char **setting_fields(const struct record *r, size_t i)
{
	return r->fields + NR_HEAD + i * NR_OF_SETTING;
}

static size_t nr_settings(const struct record *r)
{
	return (r->nr - NR_HEAD - 1) / NR_OF_SETTING;
}

static bool has_value(const char *path, const char *value)
{
	char *fault = setting_check(path, value);
	bool same = !fault;

	free(fault);
	return same;
}

enum left_state {
	LEFT_NOTHING, /* as it was, or gone with its module */
	LEFT_CHANGED,
	LEFT_TO_OTHERS, /* neither was nor is it what they set */
};

static enum left_state state_of(char *const *f)
{
	if (access(f[PATH], F_OK) || has_value(f[PATH], f[ORIGINAL]))
		return LEFT_NOTHING;
	return has_value(f[PATH], f[VALUE_A]) ||
			       has_value(f[PATH], f[VALUE_B]) ?
		       LEFT_CHANGED :
		       LEFT_TO_OTHERS;
}

/* ---- each of them ---- */

static void each_record(void (*take)(const struct record *r, void *arg),
			void (*take_closed)(const char *path, void *arg),
			void *arg)
{
	struct record r;
	glob_t found;
	size_t i;

	if (glob(PREFIX "*", 0, NULL, &found))
		return;
	for (i = 0; i < found.gl_pathc; i++) {
		int fd = open_record(found.gl_pathv[i]);

		if (fd < 0) {
			if (errno == EACCES)
				take_closed(found.gl_pathv[i], arg);
			continue;
		}
		read_record(&r, found.gl_pathv[i], fd);
		take(&r, arg);
		record_fini(&r);
		close(fd);
	}
	globfree(&found);
}

struct list {
	struct left_setting *left;
	size_t nr;
};

static void list_add(struct list *list, struct left_setting one)
{
	list->left = xrealloc(list->left, list->nr + 1, sizeof(*list->left));
	list->left[list->nr++] = one;
}

static void list_record(const struct record *r, void *arg)
{
	size_t i;

	if (!r->whole || !is_of_now(r) || !is_of_here(r))
		return;
	for (i = 0; i < nr_settings(r); i++) {
		char **f = setting_fields(r, i);

		if (state_of(f) == LEFT_CHANGED)
			list_add(arg, (struct left_setting){
					      .path = xstrdup(f[PATH]),
					      .now = setting_read(f[PATH]),
					      .original = xstrdup(f[ORIGINAL]),
					      .record = xstrdup(r->path) });
	}
}

static void list_closed(const char *path, void *arg)
{
	list_add(arg, (struct left_setting){ .record = xstrdup(path) });
}

size_t records_read(struct left_setting **left)
{
	struct list list = { NULL, 0 };

	each_record(list_record, list_closed, &list);
	*left = list.left;
	return list.nr;
}

static void restore_setting(const struct record *r, char *const *f)
{
	enum left_state state = state_of(f);
	char *now, *fault;

	if (state == LEFT_NOTHING)
		return;
	now = setting_read(f[PATH]);
	if (state == LEFT_TO_OTHERS) {
		tell("%s was %s before a kvmeter ab that was killed, and is %s "
		     "now, which is not of its making: it stays",
		     f[PATH], f[ORIGINAL], now ? now : "unknown");
		free(now);
		return;
	}
	fault = setting_write(f[PATH], f[ORIGINAL]);
	if (fault)
		end(EXIT_FAIL,
		    "left behind by a kvmeter ab that was killed: %s: set it, "
		    "and remove %s",
		    fault, r->path);
	tell("%s was left at %s by a kvmeter ab that was killed: it is %s "
	     "again",
	     f[PATH], now ? now : "unknown", f[ORIGINAL]);
	free(now);
}

static void restore_record(const struct record *r, void *arg __maybe_unused)
{
	size_t i;

	if (r->whole && is_of_now(r)) {
		if (!is_of_here(r))
			return;
		for (i = nr_settings(r); i-- > 0;)
			restore_setting(r, setting_fields(r, i));
	}
	if (unlink(r->path) && errno != ENOENT)
		warn("%s: %s: it is left behind", r->path, strerror(errno));
}

static void ignore_closed(const char *path __maybe_unused,
			  void *arg __maybe_unused)
{
}

void records_restore(void)
{
	each_record(restore_record, ignore_closed, NULL);
}
