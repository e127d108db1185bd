/* SPDX-License-Identifier: GPL-2.0-only */
#include <ctype.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "options.h"
#include "util.h"

/*
 * What getopt_long() returns for a long option is this plus its index: more
 * than any character, of which musl's getopt() knows all of Unicode.
 */
#define LONG_OPTION 0x110000

/* getopt_long()'s view of a set; the index of a row is the same in each. */
struct parser {
	size_t nr;
	const struct option_row *rows[OPTIONS_MAX];
	char names[OPTIONS_MAX][OPTION_NAME_MAX];
	struct option longs[OPTIONS_MAX + 1];
	char shorts[2UL * OPTIONS_MAX + sizeof("+:")];
};

/* An option on the command line. */
struct typed {
	const struct option_row *row;
	const char *value;
	/* "-w" or "--write-percent" */
	char option[OPTION_NAME_MAX + sizeof("--")];
};

static void parser_check(const struct parser *p, const struct option_row *row)
{
	size_t i;

	if (p->nr == OPTIONS_MAX)
		die("options: more than %d", OPTIONS_MAX);
	if (strlen(option_prefix(row)) + strlen(row->name) >= OPTION_NAME_MAX)
		die("options: --%s: name too long", row->name);
	for (i = 0; i < p->nr; i++) {
		if (!strcmp(p->rows[i]->name, row->name))
			die("options: --%s stands twice", row->name);
		if (row->letter && p->rows[i]->letter == row->letter)
			die("options: -%c stands twice", row->letter);
	}
}

static void parser_add(struct parser *p, const struct option_row *row)
{
	size_t i = p->nr;

	parser_check(p, row);
	p->rows[i] = row;
	snprintf(p->names[i], OPTION_NAME_MAX, "%s%s", option_prefix(row),
		 row->name);
	p->longs[i] = (struct option){
		.name = p->names[i],
		.has_arg = option_takes_value(row) ? required_argument :
						     no_argument,
		.val = LONG_OPTION + i,
	};
	if (row->letter)
		sprintf(p->shorts + strlen(p->shorts), "%c%s", row->letter,
			option_takes_value(row) ? ":" : "");
	p->nr++;
}

static void parser_init(struct parser *p, const struct option_set *set)
{
	const struct option_row *const *table, *row;

	memset(p, 0, sizeof(*p));
	/*
	 * Stop at the first operand if none is taken; tell a missing argument
	 * by ':'.
	 */
	snprintf(p->shorts, sizeof(p->shorts), "%s",
		 set->operands ? ":" : "+:");
	for (table = set->tables; *table; table++)
		for (row = *table; row->type != OPT_END; row++)
			parser_add(p, row);
}

/* @value is what getopt_long() returned, or left in optopt, for a known one. */
static struct typed typed_option(const struct parser *p, int value)
{
	struct typed t = { .value = optarg };
	size_t i;

	if (value >= LONG_OPTION) {
		i = value - LONG_OPTION;
		snprintf(t.option, sizeof(t.option), "--%s", p->names[i]);
	} else {
		for (i = 0; p->rows[i]->letter != value; i++)
			;
		snprintf(t.option, sizeof(t.option), "-%c", value);
	}
	t.row = p->rows[i];
	return t;
}

/* @option, as typed and @len long, begins like several names or like none. */
static void __noreturn refuse_long(const struct parser *p, const char *option,
				   int len)
{
	char names[OPTIONS_MAX * (OPTION_NAME_MAX + sizeof(", --"))] = "";
	FILE *out = fmemopen(names, sizeof(names), "w");
	size_t i, found = 0;

	if (!out)
		die("out of memory");
	for (i = 0; i < p->nr; i++)
		if (!strncmp(p->names[i], option + 2, len - 2))
			fprintf(out, "%s--%s", found++ ? ", " : "",
				p->names[i]);
	fclose(out);
	if (!found)
		usage_error("%.*s: unknown option", len, option);
	usage_error("%.*s: ambiguous: %s", len, option, names);
}

/* After getopt_long() returned '?'. */
static void __noreturn refuse_option(const struct parser *p, char **argv)
{
	const char *option = argv[optind - 1];

	if (optopt >= LONG_OPTION)
		usage_error("%s: takes no argument",
			    typed_option(p, optopt).option);
	if (optopt == 0)
		refuse_long(p, option, (int)strcspn(option, "="));
	usage_error("-%c: unknown option", isascii(optopt) ? optopt : '?');
}

/* After getopt_long() returned ':'. */
static void __noreturn refuse_missing(const struct parser *p)
{
	struct typed t = typed_option(p, optopt);

	usage_error("%s: missing argument %s", t.option, t.row->arg);
}

static void check_range(const struct typed *t, u64 value)
{
	const struct option_row *row = t->row;
	char v[UNIT_LEN], min[UNIT_LEN], max[UNIT_LEN];
	const char *refused = t->value;

	if (value >= row->min && (value <= row->max || !row->max))
		return;

	if (option_is_list(row))
		refused = option_format(v, row, value);
	option_format(min, row, row->min);
	option_format(max, row, row->max);
	if (!row->max)
		usage_error("%s %s: must be at least %s", t->option, refused,
			    min);
	usage_error("%s %s: not in %s..%s", t->option, refused, min, max);
}

static void store_number(const struct typed *t, u64 *member)
{
	if (option_is_size(t->row) ? !parse_size(t->value, member) :
				     !parse_u64(t->value, member))
		usage_error("%s %s: not a %s", t->option, t->value,
			    option_is_size(t->row) ?
				    "size such as 4096, 64K or 2M" :
				    "whole number below 2^64");
	check_range(t, *member);
}

static void store_list(const struct typed *t, struct u64_list *member)
{
	unsigned int i;

	if (!parse_list(t->value,
			option_is_size(t->row) ? parse_size : parse_u64,
			member))
		usage_error("%s %s: not a list such as %s, of up to %d values",
			    t->option, t->value,
			    option_is_size(t->row) ? "64M,1G" : "1,2,4 or 1-4",
			    LIST_MAX);
	for (i = 0; i < member->nr; i++)
		check_range(t, member->v[i]);
}

/* Index of the first @len bytes of @name among the choices. */
static int choice_index(const struct typed *t, const char *name, size_t len)
{
	char names[1024] = "";
	FILE *out;
	int i;

	for (i = 0; t->row->choices[i]; i++)
		if (strlen(t->row->choices[i]) == len &&
		    !strncmp(name, t->row->choices[i], len))
			return i;
	out = fmemopen(names, sizeof(names), "w");
	if (out) {
		option_print_choices(t->row, out);
		fclose(out);
	}
	usage_error("%s %.*s: not one of %s", t->option, (int)len, name, names);
}

static void store_choice(const struct typed *t, int *member)
{
	*member = choice_index(t, t->value, strlen(t->value));
}

static void store_choices(const struct typed *t, struct u64_list *member)
{
	const char *name = t->value;
	size_t len;

	member->nr = 0;
	if (!strcmp(name, "all"))
		return;
	for (;; name += len + 1) {
		int choice;

		len = strcspn(name, ",");
		choice = choice_index(t, name, len);
		for (unsigned int i = 0; i < member->nr; i++)
			if (member->v[i] == (u64)choice)
				usage_error("%s %s: %.*s stands twice",
					    t->option, t->value, (int)len,
					    name);
		member->v[member->nr++] = choice;
		if (!name[len])
			break;
	}
}

static void store(const struct typed *t, void *config)
{
	const struct option_row *row = t->row;
	void *member = (char *)config + row->offset;
	const char *why = "not valid";

	switch (row->type) {
	case OPT_END:
		break;
	case OPT_FLAG:
	case OPT_NO_FLAG:
		*(bool *)member = row->type == OPT_FLAG;
		break;
	case OPT_U64:
	case OPT_SIZE:
		store_number(t, member);
		break;
	case OPT_U64_LIST:
	case OPT_SIZE_LIST:
		store_list(t, member);
		break;
	case OPT_STRING:
		*(const char **)member = t->value;
		break;
	case OPT_CHOICE:
		store_choice(t, member);
		break;
	case OPT_PRESET:
		((struct u64_list *)member)->nr = 1;
		((struct u64_list *)member)->v[0] = row->min;
		break;
	case OPT_CHOICE_LIST:
		store_choices(t, member);
		break;
	}
	if (row->valid && !row->valid(member, &why))
		usage_error("%s%s%s: %s", t->option, t->value ? " " : "",
			    t->value ? t->value : "", why);
}

static const char *completion_kind(const struct option_row *row)
{
	if (!option_takes_value(row))
		return "flag";
	if (row->choices)
		return row->type == OPT_CHOICE ? "choice" : "list";
	return strstr(row->help, "'help' lists") ? "ask" : "value";
}

void options_completion(const struct option_set *set, FILE *out)
{
	const struct option_row *const *table, *row;

	if (set->operands)
		fprintf(out, "operands %s\n", set->operands);
	for (table = set->tables; *table; table++) {
		for (row = *table; row->type != OPT_END; row++) {
			bool value = option_takes_value(row);
			const char *const *choice = value ? row->choices : NULL;

			fprintf(out, "option %c %s%s %s %s",
				row->letter ? row->letter : '-',
				option_prefix(row), row->name,
				value ? row->arg : "-", completion_kind(row));
			for (; choice && *choice; choice++)
				fprintf(out, " %s", *choice);
			fputc('\n', out);
		}
	}
}

int options_parse(const struct option_set *set, void *config, int argc,
		  char **argv)
{
	struct parser p;
	struct typed t;
	int value;

	/* no row: it is for a shell, not for people */
	if (argc == 2 && strcmp(argv[1], "--completion") == 0) {
		options_completion(set, stdout);
		exit(fflush(stdout) ? EXIT_FAIL : EXIT_PASS);
	}
	parser_init(&p, set);
	opterr = 0;
	optind = 0; /* glibc and musl alike then begin anew */
	for (;;) {
		value = getopt_long(argc, argv, p.shorts, p.longs, NULL);
		if (value == -1)
			break;
		if (value == '?')
			refuse_option(&p, argv);
		if (value == ':')
			refuse_missing(&p);
		t = typed_option(&p, value);
		store(&t, config);
	}
	if (optind < argc && !set->operands)
		usage_error("%s: operands are not taken", argv[optind]);
	return optind;
}

void options_help(const struct option_set *set, const void *config, FILE *out)
{
	const struct option_row *const *table, *row;

	fprintf(out, "Usage: %s [OPTION]...%s%s\n%s\n", set->program,
		set->operands ? " " : "", set->operands ? set->operands : "",
		set->summary);
	for (table = set->tables; *table; table++) {
		fputc('\n', out);
		for (row = *table; row->type != OPT_END; row++)
			option_help(row, config, out);
	}
}

void options_man(const struct option_set *set, const void *config, FILE *out)
{
	const struct option_row *const *table, *row;

	fputs(".SH OPTIONS\n", out);
	for (table = set->tables; *table; table++)
		for (row = *table; row->type != OPT_END; row++)
			option_man(row, config, out);
}

void options_json(const struct option_set *set, const void *config,
		  struct json *j)
{
	const struct option_row *const *table, *row;

	for (table = set->tables; *table; table++)
		for (row = *table; row->type != OPT_END; row++)
			if (!row->no_json)
				option_json(row, config, j);
}
