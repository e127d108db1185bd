/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Command line options as const tables. Parsing, --help, the man page and the
 * "config" object of the JSON results all come from the same rows
 * (option_row.h).
 *
 * Several tables (the common one and a test's own) describe one config struct.
 * Everything here is the main thread's.
 */
#ifndef KVMETER_OPTIONS_H
#define KVMETER_OPTIONS_H

#include <stdio.h>
#include "json.h"
#include "option_row.h"

/*
 * A set of tables over one config struct, OPTIONS_MAX rows in all. No letter
 * and no name may come twice.
 */
#define OPTIONS_MAX 64

struct option_set {
	const char *program; /* as usage lines name it */
	const char *summary; /* one sentence: what the program is for */
	const struct option_row *const *tables; /* ended by NULL */
	const char *operands; /* in the usage line; NULL: none are taken */
};

/*
 * Fills @config, which holds the defaults, from the command line (getopt_long
 * conventions). The first value that makes no sense ends the process by
 * usage_error(), naming the option as typed, the value and what would do:
 * "-w 101: not in 0..100". --help and --version are rows like others, for the
 * caller to act upon.
 *
 * The option --completion alone ends the process too, after
 * options_completion().
 *
 * Returns the index in @argv of the first operand, @argc if there is none.
 * Where operands are taken, options may follow them; @argv is then reordered.
 */
int options_parse(const struct option_set *set, void *config, int argc,
		  char **argv);

/*
 * For a shell that completes command lines, a line each:
 *
 *   operands TEXT                         as in the usage line; if any are
 * taken option LETTER NAME ARG KIND CHOICE...
 *
 * LETTER and ARG are "-" if there is none. KIND is "flag", "value", "choice",
 * "list" (choices with commas), or "ask": the value "help" lists what can be
 * chosen, which the help text of the row says as "'help' lists".
 */
void options_completion(const struct option_set *set, FILE *out);

/*
 * Usage line, summary, and a row per option with its default from @config; an
 * empty line before each table.
 */
void options_help(const struct option_set *set, const void *config, FILE *out);

/* OPTIONS section in man(7) troff. */
void options_man(const struct option_set *set, const void *config, FILE *out);

/* One member per row, in table order, into the open object. */
void options_json(const struct option_set *set, const void *config,
		  struct json *j);

#endif
