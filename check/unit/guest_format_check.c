/* SPDX-License-Identifier: GPL-2.0-only */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#undef skip /* cmocka's */
#include "made_up_vm.h"

static struct vm vm;

static int setup(void **state __maybe_unused)
{
	made_up_vm_init(&vm, 1);
	return 0;
}

static int teardown(void **state __maybe_unused)
{
	made_up_vm_fini(&vm);
	return 0;
}

/* A string of the guest. */
static u64 guest_string(const char *s)
{
	char *copy = vm_alloc(&vm, strlen(s) + 1, 1);

	memcpy(copy, s, strlen(s) + 1);
	return vm_gva(&vm, copy);
}

static void expect(const char *expected, const char *fmt, u64 a, u64 b)
{
	const u64 values[] = { a, b };
	char *text = vm_format(&vm, guest_string(fmt), values, 2);

	assert_string_equal(text, expected);
	free(text);
}

static void test_conversions(void **state __maybe_unused)
{
	expect("plain", "plain", 0, 0);
	expect("", "", 0, 0);
	expect("-5 and 7", "%d and %u", -5, 7);
	expect("-5", "%i", -5, 0);
	expect("beef 0XFEED", "%x %#X", 0xbeef, 0xfeed);
	expect("17", "%o", 15, 0);
	expect("z 100%", "%c 100%%", 'z', 0);
	expect("0x400000", "%p", 0x400000, 0);
	expect("18446744073709551615 -1", "%u %d", ~UINT64_C(0), -1);
	expect("[   42] [42   ]", "[%5d] [%-5d]", 42, 42);
	expect("[0002a] [+1]", "[%05x] [%+d]", 42, 1);
}

/* All values have 64 bits, whatever the length modifier says. */
static void test_lengths(void **state __maybe_unused)
{
	static const char *const formats[] = { "%hhx", "%hx", "%lx", "%llx",
					       "%zx",  "%jx", "%tx", "%x" };

	for (size_t i = 0; i < ARRAY_SIZE(formats); i++)
		expect("123456789abcdef0", formats[i],
		       UINT64_C(0x123456789abcdef0), 0);
}

static void test_strings(void **state __maybe_unused)
{
	expect("a text.", "a %s.", guest_string("text"), 0);
	expect("[  text]", "[%6s]", guest_string("text"), 0);
	expect("[te]", "[%.2s]", guest_string("text"), 0);
	/* addresses that the guest should not have passed */
	expect("(no string)", "%s", 0, 0);
	expect("(no string)", "%s", IMAGE_GVA - 1, 0);
	expect("(no string)", "%s", IMAGE_GVA + GIB(1), 0);
	expect("(no string)", "%s", ~UINT64_C(0), 0);
}

/* A string, and a format, that runs to the very end of control memory. */
static void test_endless(void **state __maybe_unused)
{
	struct vm other = vm;
	char *end = vm_alloc(&vm, 4, 1);
	char *text;
	u64 gva;

	memset(end, 'x', 4);
	other.control_used = vm.control_used;
	gva = vm_gva(&other, end);
	expect("(no string)", "%s", gva + 5000, 0);
	text = vm_format(&other, gva, NULL, 0);
	assert_string_equal(text, "(no string)");
	free(text);
}

/* What is not known stands as it is and takes no value. */
static void test_unknown(void **state __maybe_unused)
{
	expect("%f 1", "%f %d", 1, 2);
	expect("%n1", "%n%d", 1, 0);
	expect("%*d 1", "%*d %d", 1, 2);
	expect("%", "%", 1, 2);
	expect("50%", "50%", 1, 2);
	expect("%ll", "%ll", 1, 2);
	expect("%5", "%5", 1, 2);
	expect("%00000000000000000000000000001d",
	       "%00000000000000000000000000001d", 1, 2);
}

static void test_too_few_values(void **state __maybe_unused)
{
	const u64 one = 7;
	char *text = vm_format(&vm, guest_string("%d %d %s"), &one, 1);

	assert_string_equal(text, "7 0 (no string)");
	free(text);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_conversions),
		cmocka_unit_test(test_lengths),
		cmocka_unit_test(test_strings),
		cmocka_unit_test(test_endless),
		cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_too_few_values),
	};

	return cmocka_run_group_tests_name("guest_format", tests, setup,
					   teardown);
}
