/* SPDX-License-Identifier: GPL-2.0-only */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "escape.h"
#include "units.h"
#include "util.h"

/* Bytes of a line of a message that are printed. */
#define LINE_BYTES_MAX 1000

#define READ_BYTES 4096 /* at least, at a time */

/* A process ends but once: the only state of this file. */
static struct {
	end_handler handler;
	void *arg;
	bool ending;
} process;

void set_end_handler(end_handler handler, void *arg)
{
	process.handler = handler;
	process.arg = arg;
}

static void strip_right(char *s)
{
	size_t len = strlen(s);

	while (len && isspace((unsigned char)s[len - 1]))
		len--;
	s[len] = '\0';
}

static bool is_within_character(char c)
{
	return (c & 0xc0) == 0x80;
}

/* Of a line that is too long to be read its two ends, which say what and why.
 */
static void leave_out_middle(char *text)
{
	static const char dots[] = " ... ";
	size_t at = LINE_BYTES_MAX / 2, from;

	if (strlen(text) <= LINE_BYTES_MAX)
		return;
	from = strlen(text) - LINE_BYTES_MAX / 2 + strlen(dots);
	while (is_within_character(text[at]))
		at--;
	while (is_within_character(text[from]))
		from++;
	for (const char *dot = dots; *dot; dot++)
		text[at++] = *dot;
	memmove(text + at, text + from, strlen(text + from) + 1);
}

/* Of @text, which it changes. */
static void print_lines(char *text)
{
	char *line, *rest = text;

	while ((line = strsep(&rest, "\n"))) {
		leave_out_middle(line);
		escape_lines(line, stderr);
		fputc('\n', stderr);
	}
}

static __printf(2, 0) void complain(const char *kind, const char *fmt,
				    va_list ap)
{
	char *text;

	/* no memory is no reason to say nothing */
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	flockfile(stderr);
	escape_lines(program_invocation_short_name, stderr);
	fprintf(stderr, ": %s", kind);
	if (text)
		print_lines(text);
	else
		fprintf(stderr, "%s\n", fmt);
	funlockfile(stderr);
	free(text);
}

void tell(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	complain("", fmt, ap);
	va_end(ap);
}

void warn(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	complain("warning: ", fmt, ap);
	va_end(ap);
}

/* A word that was typed may have lines of its own. */
void usage_error(const char *fmt, ...)
{
	char *text, *at;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		die("out of memory");
	va_end(ap);
	for (at = text; (at = strchr(at, '\n'));)
		*at = ' ';
	tell("%s", text);
	free(text);
	fprintf(stderr, "Try '%s --help' for more information.\n",
		program_invocation_short_name);
	exit(EXIT_USAGE);
}

static __noreturn __printf(2, 0) void vend(int code, const char *fmt,
					   va_list ap)
{
	char *message;

	if (process.ending) {
		complain("while ending: ", fmt, ap);
		fflush(stdout);
		_exit(EXIT_FAIL);
	}
	process.ending = true;

	if (!process.handler) {
		complain("", fmt, ap);
		exit(code);
	}
	if (vasprintf(&message, fmt, ap) < 0)
		message = NULL;
	else
		strip_right(message);
	code = process.handler(process.arg, code,
			       message ? message : "out of memory");
	free(message);
	exit(code);
}

void end(int code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vend(code, fmt, ap);
}

void skip(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vend(EXIT_SKIP, fmt, ap);
}

void die(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vend(EXIT_FAIL, fmt, ap);
}

static void *not_null(void *p)
{
	if (!p)
		die("out of memory");
	return p;
}

/* Asking for nothing may give NULL, so ask for one. */
static size_t at_least_one(size_t n)
{
	return n ? n : 1;
}

void *xcalloc(size_t n, size_t size)
{
	return not_null(calloc(at_least_one(n), at_least_one(size)));
}

void *xrealloc(void *p, size_t n, size_t size)
{
	return not_null(reallocarray(p, at_least_one(n), at_least_one(size)));
}

char *xstrdup(const char *s)
{
	return not_null(strdup(s));
}

static __printf(1, 0) char *xvasprintf(const char *fmt, va_list ap)
{
	char *s;

	return not_null(vasprintf(&s, fmt, ap) < 0 ? NULL : s);
}

char *xasprintf(const char *fmt, ...)
{
	va_list ap;
	char *s;

	va_start(ap, fmt);
	s = xvasprintf(fmt, ap);
	va_end(ap);
	return s;
}

int flush_stream(FILE *f)
{
	errno = 0;
	if (fflush(f))
		return errno ? errno : EIO;
	return ferror(f) ? EIO : 0;
}

int file_resize(int fd, u64 bytes)
{
	int error;

	do {
		error = ftruncate(fd, bytes) ? errno : 0;
	} while (error == EINTR);
	return error;
}

int write_all(int fd, const void *buf, size_t bytes)
{
	const char *at = buf;

	while (bytes) {
		ssize_t nr = write(fd, at, bytes);

		if (nr < 0 && errno != EINTR)
			return errno;
		if (nr > 0) {
			at += nr;
			bytes -= nr;
		}
	}
	return 0;
}

ssize_t pread_all(int fd, void *buf, size_t bytes, off_t offset)
{
	ssize_t got;

	do {
		got = pread(fd, buf, bytes, offset);
	} while (got < 0 && errno == EINTR);
	return got;
}

/*
 * All of @f, of which nothing was read yet, as much as is text: a stream would
 * not go on after EINTR. NULL with errno set.
 */
static char *read_stream(FILE *f)
{
	size_t size = 0, len = 0;
	char *text = NULL;
	ssize_t got;
	int error;

	do {
		if (size - len < READ_BYTES) {
			size = 2 * size + READ_BYTES + 1;
			text = xrealloc(text, size, 1);
		}
		got = read(fileno(f), text + len, size - len - 1);
		len += got > 0 ? (size_t)got : 0;
	} while (got > 0 || (got < 0 && errno == EINTR));
	text[len] = '\0';
	if (got == 0)
		return text;
	error = errno;
	free(text);
	errno = error;
	return NULL;
}

char *read_text_from(FILE *f)
{
	char *text = read_stream(f);

	if (text)
		strip_right(text);
	return text;
}

static __printf(1, 0) char *vread_text(const char *fmt, va_list ap)
{
	char *path = xvasprintf(fmt, ap);
	FILE *f = fopen(path, "re");
	char *text = NULL;
	int error;

	if (f)
		text = read_text_from(f);
	error = errno;
	if (f)
		fclose(f);
	free(path);
	errno = error;
	return text;
}

char *read_text(const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = vread_text(fmt, ap);
	va_end(ap);
	return text;
}

bool read_number(u64 *value, const char *fmt, ...)
{
	static const char blank[] = " \t\n";
	char *text, *word;
	va_list ap;
	bool found;

	va_start(ap, fmt);
	text = vread_text(fmt, ap);
	va_end(ap);
	if (!text)
		return false;

	word = text + strspn(text, blank);
	word[strcspn(word, blank)] = '\0';
	found = parse_u64(word, value);
	free(text);
	return found;
}
