/* SPDX-License-Identifier: GPL-2.0-only */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#undef skip /* cmocka's */
#include "escape.h"
#include "types.h"

/* U+FFFD, for what is no character of a text. */
#define BAD "\357\277\275"

typedef void escape(const char *text, FILE *out);

static void expect(escape *put, const char *text, const char *expected)
{
	char *found;
	size_t size;
	FILE *out = open_memstream(&found, &size);

	put(text, out);
	fclose(out);
	assert_string_equal(found, expected);
	free(found);
}

static void test_line(void **state __maybe_unused)
{
	expect(escape_line, "", "");
	expect(escape_line, "95 \302\261 1 #", "95 \302\261 1 #");
	expect(escape_line, "a\nok 2 - b\tc\r", "a ok 2 - b c?");
	expect(escape_line, "\033[31m \177 \302\205 \342\200\250",
	       "?[31m ? ? ?");
}

static void test_lines(void **state __maybe_unused)
{
	expect(escape_lines, "a\tb\n\033[2J c\n", "a\tb\n?[2J c\n");
	expect(escape_lines,
	       "\233"
	       "31m",
	       BAD "31m"); /* CSI in one byte */
}

static void test_bytes(void **state __maybe_unused)
{
	expect(escape_bytes, "a\tb\n\302\205 #<\\ \342\202\254",
	       "a\tb\n\302\205 #<\\ \342\202\254");
	expect(escape_bytes, "a\377/\342\202.json",
	       "a" BAD "/" BAD BAD ".json");
}

static void test_needed(void **state __maybe_unused)
{
	assert_false(escape_needed(""));
	assert_false(escape_needed("create, 95 \302\261 1 # <&\"|*"));
	assert_true(escape_needed("a\nb"));
	assert_true(escape_needed("\033[31m"));
	assert_true(escape_needed("a\377"));
	assert_true(escape_needed("\302\233"));
}

static void test_markdown(void **state __maybe_unused)
{
	expect(escape_markdown, "a|b\n[c](d) <i>", "a\\|b \\[c\\](d) \\<i\\>");
}

static void test_json(void **state __maybe_unused)
{
	expect(escape_json, "{\n\"a\177\302\233\": \"\\n\302\265\"}",
	       "{\n\"a\\u007f\\u009b\": \"\\n\302\265\"}");
}

/* Bytes that are no character, each by itself. */
static void test_not_utf8(void **state __maybe_unused)
{
	expect(escape_line, "\377a\200", BAD "a" BAD);
	expect(escape_line, "\342\202", BAD BAD);
	expect(escape_line, "\300\257", BAD BAD); /* longer than need be */
	expect(escape_line, "\340\200\257", BAD BAD BAD);
	expect(escape_line, "\355\240\200", BAD BAD BAD); /* a surrogate */
	expect(escape_line, "\364\220\200\200", BAD BAD BAD BAD);
	expect(escape_line, "\364\217\277\277", "\364\217\277\277");
}

static void test_ktap(void **state __maybe_unused)
{
	expect(escape_ktap, "fault (#PF) # SKIP\nnot ok 1",
	       "fault (\357\274\203PF) \357\274\203 SKIP not ok 1");
	expect(escape_ktap_detail, "a\\b # SKIP\nnot ok 1",
	       "a\\\\b \\# SKIP not ok 1");
}

static void test_xml(void **state __maybe_unused)
{
	expect(escape_xml, "<a b='c' d=\"e\"> & ]]>",
	       "&#60;a b=&#39;c&#39; d=&#34;e&#34;&#62; &#38; ]]&#62;");
	expect(escape_xml, "a\n\t\r", "a&#10;&#9;&#13;");
	expect(escape_xml, "\001\010\033[1m\357\277\276\357\277\277.", "[1m.");
	expect(escape_xml, "\360\237\230\200\377",
	       "\360\237\230\200\357\277\275");
}

static void test_html(void **state __maybe_unused)
{
	expect(escape_html, "a<b>&\"'\n", "a&#60;b&#62;&#38;&#34;&#39; ");
	expect(escape_html, "\303\251 \360\237\230\200",
	       "\303\251 \360\237\230\200");
	expect(escape_html, "\1\177\342\200\256\357\277\276\377",
	       BAD BAD BAD BAD BAD);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_needed),
		cmocka_unit_test(test_markdown),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_line),
		cmocka_unit_test(test_not_utf8),
		cmocka_unit_test(test_ktap),
		cmocka_unit_test(test_xml),
		cmocka_unit_test(test_html),
	};

	return cmocka_run_group_tests_name("escape", tests, NULL, NULL);
}
