/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What libFuzzer calls, and how the code under test comes back to it: its
 * functions that end the process are wrapped by the linker (fuzz.mk).
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "fuzz.h"
#include "util.h"

#define STREAMS_MAX 16

static struct {
	bool calling;
	sigjmp_buf back;
	int code;
	/* opened by the code under test, and not closed */
	FILE *open[STREAMS_MAX];
	FILE *stream; /* ours */
	char *text;
	size_t bytes;
	u64 inputs, leaks_every; /* 0: never */
} state;

void fuzz_fault(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fputs("FAULT: ", stderr);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
	va_end(ap);
	abort();
}

/* ---- endings ---- */

static void __noreturn come_back(int code)
{
	state.code = code;
	siglongjmp(state.back, 1);
}

/* Formats it as the real ones do: what is named may be no string. */
static void __noreturn __printf(2, 0)
	come_back_saying(int code, const char *fmt, va_list ap)
{
	char *text;

	if (!state.calling)
		fuzz_fault("an end at a wrong time: %s", fmt);
	if (vasprintf(&text, fmt, ap) < 0 || !*text)
		fuzz_fault("an end without a message");
	free(text);
	if (code != EXIT_FAIL && code != EXIT_USAGE && code != EXIT_SKIP &&
	    code < EXIT_INTERRUPTED)
		fuzz_fault("an end by %d", code);
	come_back(code);
}

void __noreturn __wrap_end(int code, const char *fmt, ...) __printf(2, 3);
void __noreturn __wrap_die(const char *fmt, ...) __printf(1, 2);
void __noreturn __wrap_usage_error(const char *fmt, ...) __printf(1, 2);

void __wrap_end(int code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	come_back_saying(code, fmt, ap);
}

void __wrap_die(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	come_back_saying(EXIT_FAIL, fmt, ap);
}

void __wrap_usage_error(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	come_back_saying(EXIT_USAGE, fmt, ap);
}

/* ---- streams, which an end leaves open ---- */

FILE *__real_fopen(const char *path, const char *mode);
int __real_fclose(FILE *f);
FILE *__wrap_fopen(const char *path, const char *mode);
int __wrap_fclose(FILE *f);

static void replace_open(FILE *f, FILE *by)
{
	size_t i;

	for (i = 0; i < STREAMS_MAX; i++) {
		if (state.open[i] == f) {
			state.open[i] = by;
			return;
		}
	}
}

FILE *__wrap_fopen(const char *path, const char *mode)
{
	FILE *f = __real_fopen(path, mode);

	if (f && state.calling)
		replace_open(NULL, f);
	return f;
}

int __wrap_fclose(FILE *f)
{
	replace_open(f, NULL);
	return __real_fclose(f);
}

FILE *fuzz_stream_open(void)
{
	state.stream = open_memstream(&state.text, &state.bytes);
	if (!state.stream)
		fuzz_fault("open_memstream: %s", strerror(errno));
	return state.stream;
}

const char *fuzz_stream_end(size_t *bytes)
{
	FILE *f = state.stream;

	state.stream = NULL;
	if (ferror(f) | __real_fclose(f))
		fuzz_fault("a stream into memory: %s", strerror(errno));
	*bytes = state.bytes;
	return state.text;
}

static void close_all(void)
{
	size_t bytes, i;

	if (state.stream)
		fuzz_stream_end(&bytes);
	for (i = 0; i < STREAMS_MAX; i++)
		if (state.open[i])
			__wrap_fclose(state.open[i]);
}

/* Returns when @run does, or what it calls has ended the process. */
static void call(void (*run)(size_t nr), size_t nr)
{
	state.code = 0;
	state.calling = true;
	if (sigsetjmp(state.back, 0) == 0)
		run(nr);
	state.calling = false;
	close_all();
}

static bool leaks_are_due(void)
{
	return state.inputs > 1 && state.leaks_every &&
	       state.inputs % state.leaks_every == 0;
}

/* ---- inputs ---- */

/* Returns how many there are. */
static size_t write_files(const char *text, size_t bytes)
{
	const char *const *name = fuzz_target.files;
	size_t nr = 0;

	for (; *name; name++) {
		const char *end = text ? memchr(text, FUZZ_SEPARATOR, bytes) :
					 NULL;
		size_t part = end ? (size_t)(end - text) : bytes;
		FILE *f;

		unlink(*name);
		if (!text)
			continue;
		f = __real_fopen(*name, "we");
		if (!f || fwrite(text, 1, part, f) != part || __real_fclose(f))
			fuzz_fault("%s: %s", *name, strerror(errno));
		nr++;
		bytes -= end ? part + 1 : part;
		text = end ? end + 1 : NULL;
	}
	return nr;
}

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

/* In a directory of its own: "-" and "help" are to be names like others. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const char *every = getenv("FUZZ_LEAKS_EVERY");
	const char *directory = getenv("FUZZ_DIRECTORY");

	(void)argc;
	(void)argv;
	state.leaks_every = every ? strtoull(every, NULL, 10) : 0;
	if (!directory || chdir(directory))
		fuzz_fault("FUZZ_DIRECTORY: %s", strerror(errno));
	return 0;
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	size_t nr = write_files((const char *)data, size), i;
	/* what libc keeps from its first use is not an input's */
	bool is_first = state.inputs++ == 0;

	for (i = 0; fuzz_target.runs[i]; i++) {
		memory_begin(is_first);
		call(fuzz_target.runs[i], nr);
		/* what an end leaves behind is the kernel's to free */
		if (!state.code && leaks_are_due())
			memory_check_leaks();
		memory_end();
	}
	return 0;
}
