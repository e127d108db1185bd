/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How a program of kvmeter ends, and allocation that cannot fail silently.
 *
 * There are three ways to stop early, told apart by exit code:
 *
 *   usage_error()  the command line makes no sense               EXIT_USAGE
 *   skip()         this host lacks something that the user can
 *                  bring; before the first measurement only      EXIT_SKIP
 *   die()          what was promised does not hold               EXIT_FAIL
 *
 * All three are for the main thread alone: a vCPU thread records its error in
 * its gang and the main thread reports it.
 *
 * PROGRAM in a message is program_invocation_short_name; a program with
 * subcommands makes that "PROGRAM SUBCOMMAND".
 */
#ifndef KVMETER_UTIL_H
#define KVMETER_UTIL_H

#include <stdio.h>
#include <sys/types.h>
#include "types.h"

/* EXIT_SKIP is the kselftest code: Documentation/dev-tools/kselftest.rst. */
enum exit_code {
	EXIT_PASS = 0,
	EXIT_FAIL = 1,
	EXIT_USAGE = 2,
	EXIT_SKIP = 4,
	EXIT_INTERRUPTED = 128, /* plus the signal's number */
};

/*
 * Called once by end(), skip() and die() with the finished message (one or
 * several lines, no final newline) before the process ends; it may print
 * results and tidy up, and returns the exit code to use. Without a handler the
 * message goes to standard error. A second failure, inside the handler or in
 * what atexit() registered, ends the process at once with EXIT_FAIL. The
 * handler and @arg stay borrowed until replaced.
 */
typedef int (*end_handler)(void *arg, int code, const char *message);
void set_end_handler(end_handler handler, void *arg);

/*
 * Prints "PROGRAM: MESSAGE", on one line, and a pointer to --help; calls no
 * handler. Of lines that are too long to be read all print the two ends.
 */
void __noreturn usage_error(const char *fmt, ...) __printf(1, 2);

void __noreturn skip(const char *fmt, ...) __printf(1, 2);
void __noreturn die(const char *fmt, ...) __printf(1, 2);

/* Ends the process as skip() and die() do, with any exit code. */
void __noreturn end(int code, const char *fmt, ...) __printf(2, 3);

/*
 * "PROGRAM: MESSAGE" on standard error, of one or several lines. As in all of
 * these, what could control a terminal is shown as ? there: names may come from
 * a file or a guest.
 */
void tell(const char *fmt, ...) __printf(1, 2);

/*
 * A warning for the reader on standard error: "PROGRAM: warning: ...".
 * Results carry their warnings in the report instead.
 */
void warn(const char *fmt, ...) __printf(1, 2);

/* Never NULL, even for nothing; running out of host memory ends in die(). */
void *xcalloc(size_t n, size_t size);
void *xrealloc(void *p, size_t n, size_t size);
char *xstrdup(const char *s);
char *xasprintf(const char *fmt, ...) __printf(1, 2);

/*
 * fflush(), and whether all before was written. Returns 0 or an errno: EIO if
 * that of an earlier write is no longer known.
 */
int flush_stream(FILE *f);

/* ftruncate() that goes on after EINTR. Returns 0 or an errno. */
int file_resize(int fd, u64 bytes);

/* All of it, also after EINTR. Returns 0 or an errno. Any thread. */
int write_all(int fd, const void *buf, size_t bytes);

/*
 * pread() that goes on after EINTR. Fewer bytes, or -1 with errno set, as it
 * has them. Any thread.
 */
ssize_t pread_all(int fd, void *buf, size_t bytes, off_t offset);

/*
 * Reads a small text file such as one of sysfs and strips trailing white
 * space. Returns a string to free(), maybe empty, or NULL with errno set.
 */
char *read_text(const char *fmt, ...) __printf(1, 2);

/* A file that is open and of which nothing was read yet, likewise. */
char *read_text_from(FILE *f);

/*
 * The first word of such a file, as parse_u64() takes it. Returns false, and
 * leaves @value alone, if the file is unreadable or begins otherwise.
 */
bool read_number(u64 *value, const char *fmt, ...) __printf(2, 3);

#endif
