/* SPDX-License-Identifier: GPL-2.0-only */
/* The text of a suite. */
#include <stdlib.h>
#include <string.h>
#include "../../tools/kvmeter/suite.h"
#include "../../tools/kvmeter/words.h"
#include "fuzz.h"

/* As in the command, what lives until the end is where leak checkers look. */
static struct suite suite;
static struct problems problems;

/* As --dry-run prints them, words mean the same again. */
static void check_quoting(char *const *words)
{
	char *text = words_quote(words), **again;
	const char *why = NULL;
	size_t i;

	again = words_split(text, &why);
	if (!again || words_count(again) != words_count(words))
		fuzz_fault("quoted: %s: %s", text, why ? why : "other words");
	for (i = 0; words[i]; i++)
		if (strcmp(words[i], again[i]))
			fuzz_fault("quoted: %s: %s", text, again[i]);
	free(again);
	free(text);
}

static void read_suite(size_t nr)
{
	size_t i;

	(void)nr;
	problems = (struct problems){ 0, NULL };
	suite_read(&suite, fuzz_target.files[0], &problems);
	if (!suite.nr && !problems.nr)
		fuzz_fault("a suite with nothing in it, and no problem");
	for (i = 0; i < suite.nr; i++)
		check_quoting(suite.lines[i].words);
}

const struct fuzz_target fuzz_target = {
	.files = { "a.suite", NULL },
	.runs = { read_suite, NULL },
};
