/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#undef skip /* cmocka's */
#include "child.h"
#include "util.h"

static void expect(void (*body)(void *arg), void *arg, int code,
		   const char *out, const char *err)
{
	struct child child;

	child_run(&child, body, arg);
	assert_string_equal(child.err, err);
	assert_string_equal(child.out, out);
	assert_int_equal(child.code, code);
}

static void do_die(void *arg)
{
	die("no %s left: %d", (const char *)arg, 7);
}

static void do_skip(void *arg)
{
	skip("no %s here", (const char *)arg);
}

static void do_end(void *arg)
{
	end(*(int *)arg, "interrupted");
}

static void do_usage_error(void *arg)
{
	usage_error("-w %s: no", (const char *)arg);
}

static void do_warn(void *arg)
{
	warn("%s", (const char *)arg);
}

/* What a file or a guest has called something must not reach a terminal. */
static void test_escapes(void **state __maybe_unused)
{
	expect(do_warn, "\033]0;title\007\nnext", CHILD_RETURNED, "",
	       "prog: warning: ?]0;title?\nnext\n");
	expect(do_die, "\033[2J", 1, "", "prog: no ?[2J left: 7\n");
}

static void test_exit_codes(void **state __maybe_unused)
{
	int interrupted = EXIT_INTERRUPTED + 2;

	expect(do_die, "memslot", 1, "", "prog: no memslot left: 7\n");
	expect(do_skip, "KVM", 4, "", "prog: no KVM here\n");
	expect(do_end, &interrupted, 130, "", "prog: interrupted\n");
	expect(do_usage_error, "101", 2, "",
	       "prog: -w 101: no\n"
	       "Try 'prog --help' for more information.\n");
	expect(do_usage_error, "1\n2", 2, "",
	       "prog: -w 1 2: no\n"
	       "Try 'prog --help' for more information.\n");
	expect(do_warn, "careful", CHILD_RETURNED, "",
	       "prog: warning: careful\n");
}

/* Of a long line the ends are said, whole characters each. */
static void test_long_usage_error(void **state __maybe_unused)
{
	static const char end[] = ": no\nTry 'prog --help' for more "
				  "information.\n";
	char word[100000 + 1];
	struct child child;

	for (size_t shift = 0; shift < 3; shift++) {
		memset(word, 0, sizeof(word));
		memset(word, '1', shift);
		for (size_t i = shift; i + 3 < sizeof(word); i += 3)
			memcpy(word + i, "\342\202\254", 3);
		child_run(&child, do_usage_error, word);
		assert_int_equal(child.code, 2);
		assert_true(strlen(child.err) < 1000 + 100);
		assert_string_equal(child.err + strlen(child.err) - strlen(end),
				    end);
		assert_non_null(strstr(child.err, "\254 ... \342"));
		assert_null(strstr(child.err, "\357\277\275"));
	}
}

/* Prints what it was given, and makes of the code what @arg points to. */
static int print_and_replace(void *arg, int code, const char *message)
{
	printf("%d <%s>", code, message);
	return *(int *)arg;
}

struct ending {
	end_handler handler;
	int code;
};

static void die_handled(void *arg)
{
	struct ending *e = arg;

	set_end_handler(e->handler, &e->code);
	die("first\nsecond %d\n\n", 2);
}

static void skip_handled(void *arg)
{
	struct ending *e = arg;

	set_end_handler(e->handler, &e->code);
	skip("why");
}

static void usage_error_handled(void *arg)
{
	struct ending *e = arg;

	set_end_handler(e->handler, &e->code);
	usage_error("what");
}

static void die_unhandled_again(void *arg)
{
	struct ending *e = arg;

	set_end_handler(e->handler, &e->code);
	set_end_handler(NULL, NULL);
	die("alone");
}

static void test_handler(void **state __maybe_unused)
{
	struct ending e = { print_and_replace, 42 };

	expect(die_handled, &e, 42, "1 <first\nsecond 2>", "");
	e.code = 0;
	expect(skip_handled, &e, 0, "4 <why>", "");
	expect(usage_error_handled, &e, 2, "",
	       "prog: what\nTry 'prog --help' for more information.\n");
	expect(die_unhandled_again, &e, 1, "", "prog: alone\n");
}

/* A skip must not hide the failure that it comes from, nor loop. */
static int skip_again(void *arg __maybe_unused, int code __maybe_unused,
		      const char *message)
{
	printf("%s", message);
	skip("again");
}

static void fail_at_exit(void)
{
	die("at exit");
}

static void die_before_exit(void *arg)
{
	atexit(fail_at_exit);
	die_handled(arg);
}

static void test_nested(void **state __maybe_unused)
{
	struct ending e = { skip_again, 0 };

	expect(die_handled, &e, 1, "first\nsecond 2",
	       "prog: while ending: again\n");
	e.handler = print_and_replace;
	expect(die_before_exit, &e, 1, "1 <first\nsecond 2>",
	       "prog: while ending: at exit\n");
}

/* AddressSanitizer would end the process first; then it only warns. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "allocator_may_return_null=1";
}

static void expect_out_of_memory(void (*body)(void *arg))
{
	struct child child;

	child_run(&child, body, NULL);
	assert_non_null(strstr(child.err, "prog: out of memory\n"));
	assert_int_equal(child.code, 1);
}

static void allocate_too_much(void *arg __maybe_unused)
{
	free(xcalloc(SIZE_MAX / 2, 4));
}

static void reallocate_too_much(void *arg __maybe_unused)
{
	free(xrealloc(NULL, SIZE_MAX / 2, 4));
}

static void test_allocation(void **state __maybe_unused)
{
	static const char zeros[24];
	char *p = xcalloc(3, 8), *s;

	assert_memory_equal(p, zeros, sizeof(zeros));
	p = xrealloc(p, 0, 8);
	assert_non_null(p);
	p = xrealloc(p, 100, 8);
	memset(p, 1, 800);
	free(p);
	p = xcalloc(0, 0);
	assert_non_null(p);
	free(p);

	s = xstrdup("copy");
	assert_string_equal(s, "copy");
	free(s);
	s = xasprintf("%d %s", 3, "pages");
	assert_string_equal(s, "3 pages");
	free(s);

	expect_out_of_memory(allocate_too_much);
	expect_out_of_memory(reallocate_too_much);
}

/* A file that holds @text; only one at a time. */
static const char *file_of(const char *text)
{
	static char path[] = "/tmp/kvmeter-util-XXXXXX";
	int fd;

	strcpy(path + sizeof(path) - sizeof("XXXXXX"), "XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	return path;
}

static void expect_text(const char *content, const char *text)
{
	const char *path = file_of(content);
	char *read = read_text("%s", path);

	unlink(path);
	assert_non_null(read);
	assert_string_equal(read, text);
	free(read);
}

static void test_read_text(void **state __maybe_unused)
{
	char *big = xcalloc(1, 100001);

	expect_text("Y\n", "Y");
	expect_text(" always [madvise] never \n\t\n",
		    " always [madvise] never");
	expect_text("one\ntwo\n", "one\ntwo");
	expect_text("", "");
	expect_text("\n", "");
	memset(big, 'x', 100000);
	expect_text(big, big);
	free(big);

	errno = 0;
	assert_null(read_text("/nonexistent/%d", 1));
	assert_int_equal(errno, ENOENT);
	errno = 0;
	assert_null(read_text("/"));
	assert_int_equal(errno, EISDIR);
}

static void expect_number(const char *content, u64 number)
{
	const char *path = file_of(content);
	u64 value = 0;
	bool found = read_number(&value, "%s", path);

	unlink(path);
	assert_true(found);
	assert_int_equal(value, number);
}

static void expect_no_number(const char *content)
{
	const char *path = file_of(content);
	u64 value = 77;
	bool found = read_number(&value, "%s", path);

	unlink(path);
	assert_false(found);
	assert_int_equal(value, 77);
}

static void test_read_number(void **state __maybe_unused)
{
	u64 value = 77;

	expect_number("0\n", 0);
	expect_number("512", 512);
	expect_number(" 1024 kB\n", 1024);
	expect_number("7\t8\n", 7);
	expect_number("0x1f\n", 31);
	expect_number("18446744073709551615\n", UINT64_MAX);
	expect_no_number("18446744073709551616\n");
	expect_no_number("-1\n");
	expect_no_number("max\n");
	expect_no_number("avg10=0.00\n");
	expect_no_number("0-3\n");
	expect_no_number("");
	expect_no_number("\n");
	assert_false(read_number(&value, "/nonexistent"));
	assert_int_equal(value, 77);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exit_codes),
		cmocka_unit_test(test_long_usage_error),
		cmocka_unit_test(test_escapes),
		cmocka_unit_test(test_handler),
		cmocka_unit_test(test_nested),
		cmocka_unit_test(test_allocation),
		cmocka_unit_test(test_read_text),
		cmocka_unit_test(test_read_number),
	};

	program_invocation_short_name = "prog";
	return cmocka_run_group_tests_name("util", tests, NULL, NULL);
}
