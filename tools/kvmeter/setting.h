/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files of sysfs and procfs whose values are changed for a while and put back:
 * what kvmeter ab compares. Main thread only.
 *
 * settings_open() starts a guardian, a process in a session of its own that
 * puts everything back should this one die, of whatever cause. Else it is done
 * by settings_close(), or when the process exits. If both are killed at once,
 * values stay changed until the next one finds the record of what they were:
 * setting_record.h.
 */
#ifndef KVMETER_SETTING_H
#define KVMETER_SETTING_H

#include <stddef.h>
#include "types.h"

#define SETTING_SIDES 2

struct setting {
	char *name; /* as typed: "kvm.eager_page_split", or a path */
	char *path;
	char *original;
	char *value[SETTING_SIDES]; /* NULL: the original one */
	int fd;			    /* held open for its lock */
};

struct settings {
	size_t nr;
	struct setting *list;
};

/*
 * Adds NAME=VALUE[,NAME=VALUE]... for @side: MODULE.PARAMETER, or the absolute
 * path of a file. A comma that no NAME= follows belongs to the value. @option
 * is what it is blamed on, by usage_error().
 */
void settings_add(struct settings *s, unsigned int side, const char *option,
		  const char *text);

/*
 * Locks the files against other runs, tries the values of every side, and
 * leaves the original ones. Ends by EXIT_USAGE, and the reason, if one cannot
 * be set. Once in a process; with no settings it does nothing.
 */
void settings_open(struct settings *s);

/* Sets what @side wants; dies if a value is not what it was set to before. */
void settings_choose(const struct settings *s, unsigned int side);

/* Puts back the original values; dies if that fails. */
void settings_close(void);

/*
 * " kvm.eager_page_split=Y" for each, with what @side has; to be freed. After
 * settings_open().
 */
char *settings_describe(const struct settings *s, unsigned int side);

/* ---- for the guardian, and its checks ---- */

/* The value in use: of "always [madvise] never" the word in brackets. */
char *setting_read(const char *path);

/*
 * Is @value what is in use? NULL, or what is wrong, to be freed. Numbers and
 * truth values may stand there in another form.
 */
char *setting_check(const char *path, const char *value);

/* Writes, and checks what has become of it. */
char *setting_write(const char *path, const char *value);

#endif
