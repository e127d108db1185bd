/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>
#include "guardian.h"
#include "remedy.h"
#include "setting.h"
#include "setting_record.h"
#include "util.h"

#define MODULES "/sys/module"

/* A process changes its settings but once: the only state of this file. */
static struct {
	const struct settings *open;
	/* what the files hold: an index of value[], or SIDE_ORIGINAL */
	unsigned int side;
} state;
#define SIDE_ORIGINAL SETTING_SIDES

/* kernel.org spells modules with '_' in sysfs, and takes '-' elsewhere. */
static char *parameter_path(const char *name)
{
	int module = (int)strcspn(name, ".");
	char *path = xasprintf(MODULES "/%.*s/parameters/%s", module, name,
			       name + module + 1);
	char *at = path + strlen(MODULES "/");

	for (; *at && *at != '/'; at++)
		if (*at == '-')
			*at = '_';
	return path;
}

/* Takes @name. */
static struct setting *find_or_add(struct settings *s, const char *option,
				   char *name)
{
	const char *dot = strchr(name, '.');
	struct setting *one;
	size_t i;

	if (name[0] != '/' &&
	    (!dot || dot == name || !dot[1] || strchr(name, '/')))
		usage_error("%s %s: neither MODULE.PARAMETER nor an absolute "
			    "path",
			    option, name);
	for (i = 0; i < s->nr; i++) {
		if (strcmp(s->list[i].name, name) == 0) {
			free(name);
			return &s->list[i];
		}
	}
	s->list = xrealloc(s->list, s->nr + 1, sizeof(*s->list));
	one = &s->list[s->nr++];
	*one = (struct setting){
		.name = name,
		.path = name[0] == '/' ? xstrdup(name) : parameter_path(name),
		.fd = -1,
	};
	return one;
}

/* Where the setting that begins at @text ends. */
static size_t setting_length(const char *text)
{
	size_t len = strcspn(text, ",");

	while (text[len]) {
		const char *next = text + len + 1;
		size_t word = strcspn(next, ",");

		if (memchr(next, '=', word))
			break;
		len += 1 + word;
	}
	return len;
}

void settings_add(struct settings *s, unsigned int side, const char *option,
		  const char *text)
{
	size_t len, name;

	for (; text; text = text[len] ? text + len + 1 : NULL) {
		struct setting *one;

		len = setting_length(text);
		name = strcspn(text, "=");
		if (name == 0 || name >= len)
			usage_error("%s %s: not NAME=VALUE", option, text);
		one = find_or_add(s, option,
				  xasprintf("%.*s", (int)name, text));
		if (one->value[side])
			usage_error("%s: %s stands twice", option, one->name);
		one->value[side] = xasprintf("%.*s", (int)(len - name - 1),
					     text + name + 1);
	}
}

/* Regular files would be overwritten, devices would do anything. */
static bool is_kernel_file(const char *path, int fd)
{
	static const unsigned long magics[] = {
		SYSFS_MAGIC,   PROC_SUPER_MAGIC,   DEBUGFS_MAGIC,
		TRACEFS_MAGIC, CGROUP_SUPER_MAGIC, CGROUP2_SUPER_MAGIC,
	};
	struct statfs fs;
	struct stat st;
	size_t i;

	if (fstat(fd, &st) || fstatfs(fd, &fs))
		end(EXIT_USAGE, "%s: cannot be looked at: %s", path,
		    errno_text(errno));
	if (!S_ISREG(st.st_mode))
		return false;
	for (i = 0; i < ARRAY_SIZE(magics); i++)
		if ((unsigned long)fs.f_type == magics[i])
			return true;
	return false;
}

static void __noreturn refuse_missing(const struct setting *one, int error)
{
	int module = (int)strcspn(one->name, ".");
	int directory = (int)(strrchr(one->path, '/') - one->path);
	bool is_loaded;
	char *path;

	if (one->name[0] == '/' || error != ENOENT)
		end(EXIT_USAGE, "%s: %s", one->path, errno_text(error));
	path = xasprintf("%.*s", directory, one->path);
	is_loaded = access(path, F_OK) == 0;
	free(path);
	if (is_loaded)
		end(EXIT_USAGE, "%s: no such parameter: ls %.*s", one->name,
		    directory, one->path);
	end(EXIT_USAGE,
	    "%s: module %.*s is not there, or has no parameters: "
	    "modprobe %.*s",
	    one->name, module, one->name, module, one->name);
}

static void refuse_read_only(const struct setting *one)
{
	struct stat st;

	if (fstat(one->fd, &st) || st.st_mode & (S_IWUSR | S_IWGRP | S_IWOTH))
		return;
	if (one->name[0] == '/')
		end(EXIT_USAGE, "%s: the kernel lets nobody write it",
		    one->path);
	end(EXIT_USAGE,
	    "%s: read-only while the module is loaded: measure once with each "
	    "value (on the kernel's command line, or by modprobe), and use "
	    "kvmeter compare",
	    one->name);
}

/* Two names of one file would fight over it. */
static void refuse_twins(const struct settings *s, size_t i)
{
	struct stat one, other;
	size_t k;

	for (k = 0; k < i; k++)
		if (fstat(s->list[i].fd, &one) == 0 &&
		    fstat(s->list[k].fd, &other) == 0 &&
		    one.st_dev == other.st_dev && one.st_ino == other.st_ino)
			end(EXIT_USAGE, "%s and %s are the same file",
			    s->list[k].name, s->list[i].name);
}

static void open_setting(struct settings *s, size_t i)
{
	struct setting *one = &s->list[i];

	one->fd = open(one->path, O_RDONLY | O_CLOEXEC);
	if (one->fd < 0)
		refuse_missing(one, errno);
	if (!is_kernel_file(one->path, one->fd))
		end(EXIT_USAGE, "%s: not a file of sysfs or procfs", one->path);
	refuse_read_only(one);
	if (access(one->path, W_OK))
		end(EXIT_USAGE, "%s: may not be written: %s%s", one->path,
		    strerror(errno),
		    geteuid() ?
			    ": run it as root" :
			    ": look whether it is there, and what forbids it");
	refuse_twins(s, i);
	/* on the file itself: the same one by another name is locked as well */
	if (flock(one->fd, LOCK_EX | LOCK_NB))
		end(EXIT_USAGE, "%s: %s", one->name,
		    errno == EWOULDBLOCK ?
			    "another kvmeter changes it: wait for its end" :
			    errno_text(errno));
	one->original = setting_read(one->path);
	if (!one->original)
		end(EXIT_USAGE, "%s: cannot be read: %s", one->path,
		    errno_text(errno));
	if (strchr(one->original, '\n'))
		end(EXIT_USAGE, "%s: holds more than one line", one->path);
}

static const char *value_of(const struct setting *one, unsigned int side)
{
	const char *value = side < SETTING_SIDES ? one->value[side] : NULL;

	return value ? value : one->original;
}

/* NULL, or what went wrong. Several settings go back the way they came. */
static char *set_all(const struct settings *s, unsigned int side)
{
	char *fault = NULL, *other;
	size_t i;

	for (i = 0; i < s->nr; i++) {
		size_t k = side == SIDE_ORIGINAL ? s->nr - 1 - i : i;

		other = setting_write(s->list[k].path,
				      value_of(&s->list[k], side));
		if (!fault)
			fault = other;
		else
			free(other);
		if (fault && side != SIDE_ORIGINAL)
			break;
	}
	return fault;
}

static char *put_back(void)
{
	const struct settings *s = state.open;
	char *fault = NULL;

	if (!s)
		return NULL;
	state.open = NULL;
	if (state.side != SIDE_ORIGINAL)
		fault = set_all(s, SIDE_ORIGINAL);
	if (!fault)
		record_remove();
	guardian_end();
	return fault;
}

/* The process is ending, maybe by an error: too late for die(). */
static void put_back_at_exit(void)
{
	char *fault = put_back();

	if (!fault)
		return;
	tell("NOT PUT BACK: %s", fault);
	fflush(NULL);
	_exit(EXIT_FAIL);
}

void settings_open(struct settings *s)
{
	unsigned int side;
	size_t i;

	if (!s->nr)
		return;
	for (i = 0; i < s->nr; i++)
		open_setting(s, i);
	state.open = s;
	state.side = SIDE_ORIGINAL;
	atexit(put_back_at_exit);
	record_write(s);
	guardian_begin(s);
	for (side = 0; side <= SIDE_ORIGINAL; side++) {
		static char *fault; /* seen until the process has ended */

		state.side = side;
		fault = set_all(s, side);
		if (fault)
			end(EXIT_USAGE, "%s", fault);
	}
}

/* Somebody else may have changed it, and then measured is something else. */
static void check_unchanged(const struct settings *s)
{
	size_t i;

	for (i = 0; i < s->nr; i++) {
		char *fault = setting_check(s->list[i].path,
					    value_of(&s->list[i], state.side));

		if (fault)
			die("%s: something else changes it", fault);
	}
}

void settings_choose(const struct settings *s, unsigned int side)
{
	char *fault;

	if (!s->nr)
		return;
	check_unchanged(s);
	if (side == state.side)
		return;
	state.side = side;
	fault = set_all(s, side);
	if (fault)
		die("%s", fault);
}

void settings_close(void)
{
	char *fault;

	if (state.open)
		check_unchanged(state.open);
	fault = put_back();
	if (fault)
		die("not put back: %s", fault);
}

char *settings_describe(const struct settings *s, unsigned int side)
{
	char *text = xstrdup(""), *longer;
	size_t i;

	for (i = 0; i < s->nr; i++) {
		longer = xasprintf("%s %s=%s", text, s->list[i].name,
				   value_of(&s->list[i], side));
		free(text);
		text = longer;
	}
	return text;
}
