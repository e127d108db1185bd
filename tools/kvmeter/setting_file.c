/* SPDX-License-Identifier: GPL-2.0-only */
/* One value in a file of the kernel: reading, writing, reading back. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include "remedy.h"
#include "setting.h"
#include "units.h"
#include "util.h"

char *setting_read(const char *path)
{
	char *text = read_text("%s", path), *from, *word;

	from = text ? strchr(text, '[') : NULL;
	if (!from || !strchr(from, ']'))
		return text;
	word = xasprintf("%.*s", (int)strcspn(from + 1, "]"), from + 1);
	free(text);
	return word;
}

/* As kstrtobool() of the kernel takes them. */
static bool parse_bool(const char *s, bool *value)
{
	static const char *const yes[] = { "1", "y", "t", "on" };
	static const char *const no[] = { "0", "n", "f", "off" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(yes); i++) {
		if (strcasecmp(s, yes[i]) == 0 || strcasecmp(s, no[i]) == 0) {
			*value = strcasecmp(s, yes[i]) == 0;
			return true;
		}
	}
	return false;
}

/* Lists come back with tabs between their words. */
static bool has_same_words(const char *a, const char *b)
{
	static const char blank[] = " \t\n";

	for (;;) {
		size_t len_a, len_b;

		a += strspn(a, blank);
		b += strspn(b, blank);
		len_a = strcspn(a, blank);
		len_b = strcspn(b, blank);
		if (len_a != len_b || strncmp(a, b, len_a) != 0)
			return false;
		if (!len_a)
			return true;
		a += len_a;
		b += len_b;
	}
}

static bool is_same_value(const char *a, const char *b)
{
	u64 number_a, number_b;
	bool bool_a, bool_b;

	if (has_same_words(a, b))
		return true;
	if (parse_u64(a, &number_a) && parse_u64(b, &number_b))
		return number_a == number_b;
	return parse_bool(a, &bool_a) && parse_bool(b, &bool_b) &&
	       bool_a == bool_b;
}

/* Returns 0 or an errno. */
static int write_value(const char *path, const char *value)
{
	/* many files take nothing at all for no change */
	const char *text = *value ? value : "\n";
	size_t len = strlen(text);
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t written;
	int error;

	if (fd < 0)
		return errno;
	do {
		written = write(fd, text, len);
	} while (written < 0 && errno == EINTR);
	error = written < 0 ? errno : (size_t)written != len ? EIO : 0;
	/* after EINTR it is closed: close(2) */
	if (close(fd) && errno != EINTR && !error)
		error = errno;
	return error;
}

char *setting_check(const char *path, const char *value)
{
	char *now = setting_read(path), *fault;

	if (!now)
		return xasprintf("%s: cannot be read back: %s", path,
				 errno_text(errno));
	fault = is_same_value(now, value) ?
			NULL :
			xasprintf("%s: it is '%s', not '%s'", path, now, value);
	free(now);
	return fault;
}

char *setting_write(const char *path, const char *value)
{
	int error = write_value(path, value);

	if (error)
		return xasprintf("%s: cannot be set to '%s': %s", path, value,
				 errno_text(error));
	return setting_check(path, value);
}
