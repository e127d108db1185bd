/* SPDX-License-Identifier: GPL-2.0-only */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "option_row.h"
#include "troff.h"
#include "util.h"

#define HELP_WIDTH 80
#define HELP_COLUMN 30 /* where the sentences begin */

static const void *member_of(const struct option_row *row, const void *config)
{
	return (const char *)config + row->offset;
}

bool option_takes_value(const struct option_row *row)
{
	return row->type != OPT_FLAG && row->type != OPT_NO_FLAG &&
	       row->type != OPT_PRESET;
}

bool option_is_size(const struct option_row *row)
{
	return row->type == OPT_SIZE || row->type == OPT_SIZE_LIST;
}

bool option_is_list(const struct option_row *row)
{
	return row->type == OPT_U64_LIST || row->type == OPT_SIZE_LIST;
}

static bool is_text(const struct option_row *row)
{
	return row->type == OPT_STRING || row->type == OPT_CHOICE;
}

static bool is_unset(const struct option_row *row, const void *config)
{
	return (row->type == OPT_U64 || row->type == OPT_SIZE) &&
	       *(const u64 *)member_of(row, config) == OPTION_UNSET;
}

const char *option_prefix(const struct option_row *row)
{
	return row->type == OPT_NO_FLAG ? "no-" : "";
}

/* Of a row that takes one of them. */
static const char *const *choices_of(const struct option_row *row)
{
	if (!row->choices)
		die("option %s: a choice of nothing", row->name);
	return row->choices;
}

/* The value of an option that takes a string or a choice. */
static const char *text_of(const struct option_row *row, const void *config)
{
	const void *member = member_of(row, config);
	int choice;

	if (row->type == OPT_STRING)
		return *(const char *const *)member;
	choice = *(const int *)member;
	return choice < 0 ? NULL : choices_of(row)[choice];
}

const char *option_format(char buf[UNIT_LEN], const struct option_row *row,
			  u64 value)
{
	if (option_is_size(row))
		return format_size(buf, value);
	snprintf(buf, UNIT_LEN, "%" PRIu64, value);
	return buf;
}

void option_print_choices(const struct option_row *row, FILE *out)
{
	size_t i;

	for (i = 0; row->choices[i]; i++)
		fprintf(out, "%s%s", i ? ", " : "", row->choices[i]);
}

static void print_numbers(const struct option_row *row, const u64 *v, size_t nr,
			  FILE *out)
{
	char buf[UNIT_LEN];
	size_t i;

	for (i = 0; i < nr; i++)
		fprintf(out, "%s%s", i ? "," : " [",
			option_format(buf, row, v[i]));
	if (nr)
		fputc(']', out);
}

static void print_names(const struct option_row *row,
			const struct u64_list *list, FILE *out)
{
	for (unsigned int i = 0; i < list->nr; i++)
		fprintf(out, "%s%s", i ? "," : " [",
			choices_of(row)[list->v[i]]);
	if (list->nr)
		fputc(']', out);
}

/* " [4K]", or nothing where it would say nothing. */
static void print_default(const struct option_row *row, const void *config,
			  FILE *out)
{
	const void *member = member_of(row, config);
	const struct u64_list *list = member;
	const char *text;

	if (row->type == OPT_CHOICE_LIST) {
		print_names(row, list, out);
	} else if (option_is_list(row)) {
		print_numbers(row, list->v, list->nr, out);
	} else if (is_text(row)) {
		text = text_of(row, config);
		if (text && *text)
			fprintf(out, " [%s]", text);
	} else if (option_takes_value(row) && !is_unset(row, config)) {
		print_numbers(row, member, 1, out);
	}
}

/* Sentence, choices and default; to be freed. */
static char *describe(const struct option_row *row, const void *config)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		die("out of memory");
	fputs(row->help, out);
	if (row->choices) {
		fputs(" (", out);
		option_print_choices(row, out);
		fputc(')', out);
	}
	print_default(row, config, out);
	if (fclose(out))
		die("out of memory");
	return text;
}

/* Fills lines from HELP_COLUMN to HELP_WIDTH; the first is there already. */
static void print_filled(const char *text, FILE *out)
{
	int used = 0, len;

	for (;; text += len + 1) {
		len = (int)strcspn(text, " \n");
		if (used && used + 1 + len > HELP_WIDTH - HELP_COLUMN) {
			fprintf(out, "\n%*s", HELP_COLUMN, "");
			used = 0;
		}
		used += fprintf(out, "%s%.*s", used ? " " : "", len, text);
		if (!text[len])
			break;
		if (text[len] == '\n') {
			fprintf(out, "\n%*s", HELP_COLUMN, "");
			used = 0;
		}
	}
	fputc('\n', out);
}

void option_help(const struct option_row *row, const void *config, FILE *out)
{
	char *text = describe(row, config);
	int used;

	if (row->letter)
		used = fprintf(out, "  -%c, ", row->letter);
	else
		used = fprintf(out, "      ");
	used += fprintf(out, "--%s%s", option_prefix(row), row->name);
	if (option_takes_value(row))
		used += fprintf(out, " %s", row->arg);

	if (used + 2 > HELP_COLUMN) {
		fputc('\n', out);
		used = 0;
	}
	fprintf(out, "%*s", HELP_COLUMN - used, "");
	print_filled(text, out);
	free(text);
}

void option_man(const struct option_row *row, const void *config, FILE *out)
{
	char *text = describe(row, config);

	fputs(".TP\n", out);
	if (row->letter)
		fprintf(out, "\\fB\\-%c\\fR, ", row->letter);
	fputs("\\fB\\-\\-", out);
	troff_text(option_prefix(row), out);
	troff_text(row->name, out);
	fputs("\\fR", out);
	if (option_takes_value(row)) {
		fputs(" \\fI", out);
		troff_text(row->arg, out);
		fputs("\\fR", out);
	}
	fputc('\n', out);
	troff_text(text, out);
	fputc('\n', out);
	free(text);
}

static void names_json(const struct option_row *row, const char *key,
		       const struct u64_list *list, struct json *j)
{
	json_array_begin(j, key);
	for (unsigned int i = 0; i < list->nr; i++)
		json_text(j, NULL, row->choices[list->v[i]]);
	json_array_end(j);
}

void option_json_as(const struct option_row *row, const void *config,
		    const char *name, struct json *j)
{
	const void *member = member_of(row, config);
	const struct u64_list *list = member;

	if (row->type == OPT_CHOICE_LIST)
		names_json(row, name, list, j);
	else if (option_is_list(row))
		json_u64_array(j, name, list->v, list->nr);
	else if (is_text(row))
		json_text(j, name, text_of(row, config));
	else if (is_unset(row, config))
		json_unknown(j, name);
	else if (option_takes_value(row))
		json_u64(j, name, *(const u64 *)member);
	else
		json_bool(j, name, *(const bool *)member);
}

void option_json(const struct option_row *row, const void *config,
		 struct json *j)
{
	char key[OPTION_NAME_MAX], *s;

	snprintf(key, sizeof(key), "%s", row->name);
	for (s = key; *s; s++)
		if (*s == '-')
			*s = '_';
	option_json_as(row, config, key, j);
}
