/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "kvmeter.h"
#include "remedy.h"
#include "startup.h"
#include "util.h"
#include "version.h"

static const struct command {
	const char *name;
	const char *summary;
	int (*run)(int argc, char **argv);
} commands[] = {
	{ "list", "the benchmarks, and what each measures", command_list },
	{ "doctor", "can this host run them, and what disturbs?",
	  command_doctor },
	{ "run", "runs benchmarks one after the other", command_run },
	{ "compare", "is one kernel, host or setting slower than another?",
	  command_compare },
	{ "ab", "which of two settings, options or builds is faster here?",
	  command_ab },
	{ "noise", "what can this host show, and what disturbs?",
	  command_noise },
	{ "bisect", "which commit made it slower? for git bisect run",
	  command_bisect },
	{ "report", "a page with tables and figures of results",
	  command_report },
	{ NULL, NULL, NULL },
};

static int print_help(void)
{
	const struct command *c;

	puts("Usage: kvmeter COMMAND [ARGUMENT]...\n"
	     "Runs the benchmarks, and works on what they write with --json.\n");
	for (c = commands; c->name; c++)
		printf("  %-10s %s\n", c->name, c->summary);
	puts("\n'kvmeter help COMMAND' tells more of one; so does its --help.");
	return EXIT_PASS;
}

/* As options_completion() does it for the commands themselves. */
static int print_completion(void)
{
	for (const struct command *c = commands; c->name; c++)
		printf("command %s\n", c->name);
	return EXIT_PASS;
}

static const struct command *find_command(const char *name)
{
	const struct command *c;

	for (c = commands; c->name; c++)
		if (strcmp(c->name, name) == 0)
			return c;
	usage_error("%s: no such command", name);
}

static int run_command(const struct command *c, int argc, char **argv)
{
	/* for messages: util.h */
	program_invocation_short_name = xasprintf("kvmeter %s", c->name);
	return c->run(argc, argv);
}

static int print_help_of(int argc, char **argv)
{
	char *asked[] = { NULL, "--help", NULL };

	if (argc == 0)
		return print_help();
	if (argc > 1)
		usage_error("help %s %s: one command at a time", argv[0],
			    argv[1]);
	asked[0] = argv[0];
	return run_command(find_command(argv[0]), 2, asked);
}

static int run(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : NULL;

	if (!word)
		usage_error("no command");
	if (!strcmp(word, "--help") || !strcmp(word, "-h"))
		return print_help();
	if (!strcmp(word, "help"))
		return print_help_of(argc - 2, argv + 2);
	if (!strcmp(word, "--completion"))
		return print_completion();
	if (!strcmp(word, "--version")) {
		puts("kvmeter " KVMETER_VERSION);
		return EXIT_PASS;
	}
	if (word[0] == '-')
		usage_error("%s: unknown option", word);
	return run_command(find_command(word), argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
	int code, error;

	startup_init();
	program_invocation_short_name = "kvmeter";
	code = run(argc, argv);
	error = flush_stream(stdout);
	if (error)
		die("standard output: %s", errno_text(error));
	return code;
}
