/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "escape.h"
#include "foreign.h"
#include "remedy.h"
#include "util.h"

/* A file as it is read. */
struct source {
	int fd;
	size_t left; /* bytes that it may still have */
	const char *fault;
};

static size_t take(void *buffer, size_t size, void *arg)
{
	struct source *s = arg;
	ssize_t nr;

	do {
		nr = read(s->fd, buffer, size);
	} while (nr < 0 && errno == EINTR);
	if (nr < 0)
		s->fault = errno_text(errno);
	else if ((size_t)nr > s->left)
		s->fault = "too large: more than 256M";
	if (s->fault)
		return (size_t)-1;
	s->left -= (size_t)nr;
	return (size_t)nr;
}

/* What is too large in @j, NULL: nothing. */
/* NOLINTNEXTLINE(misc-no-recursion): 2048 levels, jansson's limit, at most */
static const char *fault_of(json_t *j)
{
	const char *key, *fault = NULL;
	json_t *value;
	size_t i;

	if (json_object_size(j) > FOREIGN_MEMBERS_MAX)
		return "too large: an object of more than 4096 members";
	json_object_foreach(j, key, value)
	{
		fault = fault_of(value);
		if (fault)
			return fault;
	}
	json_array_foreach(j, i, value)
	{
		if (i == FOREIGN_OBJECTS_MAX && json_is_object(value))
			return "too large: an array of more than 10000 objects";
		fault = fault_of(value);
		if (fault)
			return fault;
	}
	return NULL;
}

static char *explain(const char *path, const struct source *s,
		     const json_error_t *error)
{
	if (s->fault)
		return xasprintf("%s: %s", path, s->fault);
	if (error->line > 0)
		return xasprintf("%s:%d: %s", path, error->line, error->text);
	return xasprintf("%s: %s", path, error->text);
}

json_t *foreign_read(const char *path, char **why)
{
	struct source s = {
		.fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY),
		.left = FOREIGN_BYTES_MAX,
	};
	json_error_t error = { .line = -1 };
	json_t *root = NULL;

	if (s.fd < 0) {
		s.fault = errno_text(errno);
	} else {
		root = json_load_callback(take, &s, JSON_REJECT_DUPLICATES,
					  &error);
		close(s.fd);
	}
	if (root)
		s.fault = fault_of(root);
	if (root && !s.fault)
		return root;
	if (why)
		*why = explain(path, &s, &error);
	json_decref(root);
	return NULL;
}

json_t *foreign_text(const char *text)
{
	char *escaped = NULL;
	size_t size;
	FILE *out = open_memstream(&escaped, &size);
	json_t *j;

	if (!out)
		die("out of memory");
	escape_bytes(text, out);
	if (fclose(out))
		die("out of memory");
	j = json_string(escaped);
	if (!j)
		die("out of memory");
	free(escaped);
	return j;
}
