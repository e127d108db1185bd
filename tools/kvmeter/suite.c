/* SPDX-License-Identifier: GPL-2.0-only */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "remedy.h"
#include "suite.h"
#include "units.h"
#include "util.h"
#include "words.h"

#define TIMEOUT_WORD "timeout="
#define TIMEOUT_MAX_S 86400

/* suites.S */
extern const char suite_full[], suite_quick[];

const char *const suite_names[] = { "quick", "full", NULL };
static const char *const texts[] = { suite_quick, suite_full };

const char *suite_text(const char *name)
{
	for (size_t i = 0; suite_names[i]; i++)
		if (!strcmp(name, suite_names[i]))
			return texts[i];
	return NULL;
}

/* Where a problem is. */
struct place {
	const struct suite *suite;
	size_t line;
	struct problems *problems;
};

static void complain(const struct place *at, const char *what, const char *why)
{
	problem(at->problems, "%s:%zu: %s: %s", at->suite->name, at->line, what,
		why);
}

/*
 * Names are those of files beside each other, of which "results" are ours, and
 * end up in KTAP and XML.
 */
const char *suite_name_fault(const char *name)
{
	if (!isalnum((unsigned char)name[0]))
		return "a name begins with a letter or digit";
	for (const char *c = name; *c; c++)
		if (!isascii(*c) ||
		    (!isalnum((unsigned char)*c) && !strchr("._+-", *c)))
			return "a name has letters, digits and . _ + - only";
	if (strlen(name) > 64)
		return "a name has at most 64 characters";
	if (!strcmp(name, "results"))
		return "this name is taken by the merged results";
	return NULL;
}

static const char *name_fault(const struct suite *s, const char *name)
{
	const char *fault = suite_name_fault(name);

	if (fault)
		return fault;
	for (size_t i = 0; i < s->nr; i++)
		if (!strcmp(s->lines[i].name, name))
			return "this name stands twice";
	return NULL;
}

/* What stands before the colon: name and attributes. */
static bool read_head(const struct place *at, const char *head,
		      struct suite_line *line)
{
	const char *why = NULL;
	char **words = words_split(head, &why);
	bool good = false;

	if (!words || !words[0]) {
		complain(at, head, why ? why : "no name before the colon");
		free(words);
		return false;
	}
	why = name_fault(at->suite, words[0]);
	if (why) {
		complain(at, words[0], why);
	} else if (words[1] &&
		   strncmp(words[1], TIMEOUT_WORD, strlen(TIMEOUT_WORD))) {
		complain(at, words[1], "not " TIMEOUT_WORD "SECONDS");
	} else if (words[1] &&
		   (!parse_u64(words[1] + strlen(TIMEOUT_WORD),
			       &line->timeout_s) ||
		    line->timeout_s < 1 || line->timeout_s > TIMEOUT_MAX_S)) {
		complain(at, words[1], "not 1 to 86400 seconds");
	} else if (words[1] && words[2]) {
		complain(at, words[2], "one attribute at most");
	} else {
		line->name = xstrdup(words[0]);
		good = true;
	}
	free(words);
	return good;
}

const char *suite_refuses(char *const *words)
{
	static const char *const others[] = {
		"--help", "-h", "--man", "--describe", "--version", "--", NULL
	};

	for (; *words; words++) {
		if (!strcmp(*words, "--json") ||
		    !strncmp(*words, "--json=", strlen("--json=")) ||
		    !strncmp(*words, "-J", strlen("-J")))
			return "where results go is said by --results";
		for (size_t i = 0; others[i]; i++)
			if (!strcmp(*words, others[i]))
				return "not an option of a measurement";
	}
	return NULL;
}

/* What stands behind it. */
static bool read_command(const struct place *at, const char *command,
			 struct suite_line *line)
{
	const char *why = NULL;

	line->words = words_split(command, &why);
	if (line->words && !line->words[0])
		why = "no benchmark behind the colon";
	else if (line->words)
		why = suite_refuses(line->words);
	if (!why)
		return true;
	complain(at, command + strspn(command, " \t"), why);
	free(line->words);
	return false;
}

static void read_line(struct suite *s, struct place *at, char *text)
{
	struct suite_line line = { .number = at->line };
	char *colon = strchr(text, ':');

	text += strspn(text, " \t");
	if (!*text || *text == '#')
		return;
	if (!colon) {
		complain(at, text, "no colon: NAME: BENCHMARK [OPTION]...");
		return;
	}
	*colon = '\0';
	if (!read_head(at, text, &line))
		return;
	if (!read_command(at, colon + 1, &line)) {
		free(line.name);
		return;
	}
	s->lines = xrealloc(s->lines, s->nr + 1, sizeof(*s->lines));
	s->lines[s->nr++] = line;
}

void suite_read(struct suite *s, const char *name, struct problems *p)
{
	struct place at = { s, 0, p };
	const char *built_in = suite_text(name);
	char *text = built_in ? xstrdup(built_in) : read_text("%s", name);
	size_t before = p->nr;
	char *next;

	*s = (struct suite){ .name = name };
	if (!text) {
		problem(p, "%s: no suite (quick, full), and no file: %s", name,
			errno_text(errno));
		return;
	}
	for (char *line = text; line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		line[strcspn(line, "\r")] = '\0';
		at.line++;
		read_line(s, &at, line);
	}
	if (!s->nr && p->nr == before)
		problem(p, "%s: nothing to run in it", name);
	free(text);
}
