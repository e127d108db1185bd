/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#undef skip /* cmocka's */
#include "../../tools/kvmeter/words.h"
#include "child.h"
#include "types.h"
#include "util.h"

static void do_split(void *arg)
{
	child_words(arg, "--opt-b");
}

/* What @text means, each word in < >. */
static char *split(const char *text)
{
	char **words = child_words(text, "here"), *all = xstrdup("");

	for (size_t i = 0; words[i]; i++) {
		char *more = xasprintf("%s<%s>", all, words[i]);

		free(all);
		all = more;
	}
	free(words);
	return all;
}

static void test_split(void **state __maybe_unused)
{
	static const struct {
		const char *text, *words;
	} rows[] = {
		{ "", "" },
		{ " \t\n", "" },
		{ "a", "<a>" },
		{ "-s anonymous_thp  -b 8M ", "<-s><anonymous_thp><-b><8M>" },
		{ "a b c d e f", "<a><b><c><d><e><f>" },
		{ "'a b' \"c d\"", "<a b><c d>" },
		{ "a'b'\"c\"d", "<abcd>" },
		{ "'' \"\"", "<><>" },
		{ "a\\ b \\' \\\\", "<a b><'><\\>" },
		{ "'a\\b' '\"'", "<a\\b><\">" },
		{ "\"a\\b \\\" \\\\\"", "<a\\b \" \\>" },
		{ "$HOME $(id) `id` * ~ a;b a&b >x #c {1,2} !",
		  "<$HOME><$(id)><`id`><*><~><a;b><a&b><>x><#c><{1,2}><!>" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char *words = split(rows[i].text);

		assert_string_equal(words, rows[i].words);
		free(words);
	}
}

static void test_refused(void **state __maybe_unused)
{
	static const struct {
		const char *text, *why;
	} rows[] = {
		{ "a 'b", "a ' that is not closed" },
		{ "a \"b'", "a \" that is not closed" },
		{ "a \"b\\\"", "a \" that is not closed" },
		{ "a\\", "nothing follows the backslash at the end" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char *expected =
			xasprintf("prog: --opt-b: %s: %s\n"
				  "Try 'prog --help' for more information.\n",
				  rows[i].text, rows[i].why);
		struct child child;

		child_run(&child, do_split, (void *)rows[i].text);
		assert_string_equal(child.err, expected);
		assert_int_equal(child.code, EXIT_USAGE);
		free(expected);
	}
}

static void test_join_and_quote(void **state __maybe_unused)
{
	char *const first[] = { "a b", "", "it's", NULL };
	char *const second[] = { NULL };
	char *const third[] = { "-b", "8M,16M", "--x=$(id)", "\n", NULL };
	char **all = words_join(first, second, third, NULL);
	char *line = words_quote(all), *again, *expected;

	assert_int_equal(words_count(all), 7);
	assert_string_equal(line,
			    "'a b' '' 'it'\\''s' -b 8M,16M '--x=$(id)' '\n'");
	again = split(line);
	expected = "<a b><><it's><-b><8M,16M><--x=$(id)><\n>";
	assert_string_equal(again, expected);
	free(again);
	free(line);
	free(all);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_split),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_join_and_quote),
	};

	program_invocation_short_name = "prog";
	return cmocka_run_group_tests_name("words", tests, NULL, NULL);
}
