/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel_log.h"
#include "util.h"

#define LINES_MAX 12
#define RECORD_BYTES 8192 /* no record of /dev/kmsg is longer */

struct kernel_log {
	int fd;
};

struct kernel_log *kernel_log_open(void)
{
	struct kernel_log *log = xcalloc(1, sizeof(*log));

	log->fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (log->fd >= 0)
		lseek(log->fd, 0, SEEK_END);
	return log;
}

void kernel_log_close(struct kernel_log *log)
{
	if (!log)
		return;
	if (log->fd >= 0)
		close(log->fd);
	free(log);
}

static bool matters(const char *text)
{
	static const char *const words[] = { "WARNING", "BUG",	"kvm",
					     "KVM",	"RIP:", "pc :" };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strstr(text, words[i]))
			return true;
	return false;
}

/*
 * "PRIORITY,SEQUENCE,TIME,FLAGS;TEXT", then lines of details that begin with a
 * space: Documentation/ABI/testing/dev-kmsg. EPIPE: records were overwritten.
 */
static bool next_record(const struct kernel_log *log, char *record)
{
	ssize_t bytes;

	do {
		bytes = read(log->fd, record, RECORD_BYTES - 1);
	} while (bytes < 0 && (errno == EPIPE || errno == EINTR));
	if (bytes <= 0)
		return false;
	record[bytes] = '\0';
	record[strcspn(record, "\n")] = '\0';
	return true;
}

/* The next line that matters, within @record; NULL: there is none. */
static const char *next_line(const struct kernel_log *log,
			     char record[RECORD_BYTES])
{
	while (log->fd >= 0 && next_record(log, record)) {
		const char *text = strchr(record, ';');

		if (text && matters(text))
			return text + 1;
	}
	return NULL;
}

void kernel_log_print(struct kernel_log *log, FILE *out)
{
	char record[RECORD_BYTES];
	const char *line;

	for (int i = 0; i < LINES_MAX && (line = next_line(log, record)); i++)
		fprintf(out, "# the kernel has logged: %s\n", line);
	fflush(out);
}

void note_kernel_log(struct run *r, struct kernel_log *log)
{
	char record[RECORD_BYTES];
	unsigned int lines = 0;
	const char *line;

	while ((line = next_line(log, record)))
		if (lines++ < LINES_MAX)
			note(r, "the kernel has logged: %s", line);
	if (lines > LINES_MAX)
		note(r, "and %u lines more: see dmesg", lines - LINES_MAX);
	kernel_log_close(log);
}
