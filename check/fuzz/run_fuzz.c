/* SPDX-License-Identifier: GPL-2.0-only */
/* A directory of kvmeter run, as --resume and kvmeter compare read it. */
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include "../../tools/kvmeter/run.h"
#include "fuzz.h"
#include "util.h"

#define ENTRY "entry"

/* The kernel of the index: inputs are to mean the same everywhere. */
int __wrap_uname(struct utsname *name);

int __wrap_uname(struct utsname *name)
{
	*name = (struct utsname){ .release = "6.1.0" };
	return 0;
}

/* As in the commands, what lives until the end is where leak checkers look. */
static struct suite_run suite;
static struct side side;
static struct problems problems;

static void print(void (*print_to)(FILE *out), const char *what,
		  void (*judge)(const char *what, const char *text,
				size_t bytes))
{
	const char *text;
	size_t bytes;

	print_to(fuzz_stream_open());
	text = fuzz_stream_end(&bytes);
	judge(what, text, bytes);
	free((char *)text);
}

static void print_ktap(FILE *out)
{
	size_t i;

	run_ktap_begin(&suite, DETAIL_ALL, out);
	for (i = 0; i < suite.nr; i++)
		run_ktap_entry(&suite, i, DETAIL_ALL, out);
	run_ktap_end(&suite, DETAIL_ALL, out);
}

static void print_junit(FILE *out)
{
	run_junit(&suite, out);
}

static void resume(size_t nr)
{
	static const struct program program = { ENTRY "_test", "/none", NULL };
	static char *command[] = { ENTRY "_test", NULL };
	static struct entry entry;

	(void)nr;
	entry_init(&entry,
		   &(struct suite_line){ .name = ENTRY, .timeout_s = 1 });
	entry.program = &program;
	entry.command = command;
	suite = (struct suite_run){
		.suite = "quick",
		.dir = ".",
		.tests = "/none",
		.started = "2026-11-30T09:00:00Z",
		.nr = 1,
		.entries = &entry,
	};
	run_index_read(&suite);
	if (!run_index_find(&suite, &entry))
		entry.end.code = EXIT_FAIL;
	entry_place(&entry, suite.dir);
	suite.strict = entry.end.ns % 2 ? SKIPS_FAIL : SKIPS_PASS;
	entry_judge(&entry, suite.strict, suite.tests);
	entry_is_complete(&entry);
	run_index_add(&suite, &entry);
	print(print_ktap, "run", judge_plain);
	print(print_junit, "run --junit", judge_markup);
}

/* The directory as an operand. */
static void compare(size_t nr)
{
	(void)nr;
	side = (struct side){ 0 };
	problems = (struct problems){ 0, NULL };
	side_read(&side, ".", INPUT_FAILED_TAKEN, &problems);
}

const struct fuzz_target fuzz_target = {
	.files = { "index", ENTRY ".json", ENTRY ".ktap", ENTRY ".stderr" },
	.runs = { compare, resume, NULL },
};
