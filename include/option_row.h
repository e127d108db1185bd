/* SPDX-License-Identifier: GPL-2.0-only */
/* A command line option: a row of a const table, and how it presents itself. */
#ifndef KVMETER_OPTION_ROW_H
#define KVMETER_OPTION_ROW_H

#include <stdio.h>
#include "json.h"
#include "units.h"

/* clang-format off */
enum option_type {
	OPT_END = 0,   /* sentinel of a table */
	OPT_FLAG,      /* bool, set by its presence */
	OPT_NO_FLAG,   /* bool, cleared by its presence: --no-NAME */
	OPT_U64,       /* u64 */
	OPT_SIZE,      /* u64 bytes */
	OPT_U64_LIST,  /* struct u64_list */
	OPT_SIZE_LIST, /* struct u64_list of bytes */
	OPT_STRING,    /* const char *, NULL if absent; points into argv */
	OPT_CHOICE,    /* int: index into choices[], negative if none */
	OPT_PRESET, /* no value: makes an OPT_CHOICE_LIST choice number @min
		       alone, for a name that people know */
	OPT_CHOICE_LIST, /* struct u64_list of such indices, none twice; empty:
			    all, also as value "all" */
};

/*
 * A number that nobody has given, where 0 would mean something: no default in
 * help, null in JSON.
 */
#define OPTION_UNSET (~UINT64_C(0))

struct option_row {
	enum option_type type;
	char letter;        /* 0: long name only */
	const char *name;   /* long name; '-' becomes '_' as JSON key */
	const char *arg;    /* metavariable of the value in help */
	size_t offset;      /* of the member in the config struct */
	/*
	 * One sentence, no final stop; \n begins a new line. Choices and the
	 * default are added to it.
	 */
	const char *help;
	/*
	 * Numbers and each element of a list; both 0: no bound, max alone 0:
	 * no upper bound.
	 */
	u64 min, max;
	/* Names of OPT_CHOICE and OPT_CHOICE_LIST, ended by NULL. */
	const char *const *choices;
	/*
	 * Checks a value beyond its range and puts what would do into @why.
	 * NULL: any value in range will do.
	 */
	bool (*valid)(const void *member, const char **why);
	bool no_json; /* says nothing of the experiment: left out of "config" */
};

/* A row that takes no value. */
#define FLAG_ROW 0, 0, NULL, NULL, false
#define OPTION_FLAG(letter, name, offset, help)                              \
	{                                                                    \
		OPT_FLAG, letter, name, NULL, offset, help, FLAG_ROW         \
	}
/* clang-format on */

/* Room for a long name with its no- and terminating zero. */
#define OPTION_NAME_MAX 32

/* A choice of an OPT_CHOICE_LIST under another name. */
#define OPTION_PRESET(letter, name, offset, choice, help)                     \
	{                                                                     \
		OPT_PRESET, letter, name, NULL, offset, help, choice, choice, \
			NULL, NULL, true                                      \
	}

bool option_takes_value(const struct option_row *row);
bool option_is_size(const struct option_row *row);
bool option_is_list(const struct option_row *row);

/* What stands between "--" and the name: "no-" or "". */
const char *option_prefix(const struct option_row *row);

/* One number as a user would type it: "4K" if the row is about sizes. */
const char *option_format(char buf[UNIT_LEN], const struct option_row *row,
			  u64 value);

/* "keep, zap, discard" */
void option_print_choices(const struct option_row *row, FILE *out);

/* Entry of --help, of a man page, of a JSON object; values from @config. */
void option_help(const struct option_row *row, const void *config, FILE *out);
void option_man(const struct option_row *row, const void *config, FILE *out);
void option_json(const struct option_row *row, const void *config,
		 struct json *j);
/* The value alone, under another name. */
void option_json_as(const struct option_row *row, const void *config,
		    const char *name, struct json *j);

#endif
