/* SPDX-License-Identifier: GPL-2.0-only */
/* What the x86_64 port says of exceptions, on any machine. */
#include "trap_text.h"
#include "../../arch/x86_64/trap.c"

static void test_page_faults(void **state)
{
	(void)state;
	expect_text(VECTOR_PF, PF_USER | PF_WRITE,
		    "page fault (#PF, vector 14, error code 0x6): user write "
		    "to an unmapped page");
	expect_text(VECTOR_PF, PF_PRESENT,
		    "page fault (#PF, vector 14, error code 0x1): kernel read "
		    "of a protected page");
	expect_text(VECTOR_PF, PF_USER | PF_PRESENT | PF_RESERVED,
		    "page fault (#PF, vector 14, error code 0xd): user read of "
		    "an entry with reserved bits");
	expect_text(VECTOR_PF, PF_USER | PF_FETCH,
		    "page fault (#PF, vector 14, error code 0x14): user "
		    "instruction fetch from an unmapped page");
}

static void test_selectors(void **state)
{
	(void)state;
	expect_text(VECTOR_GP, 0,
		    "general protection (#GP, vector 13, error code 0)");
	expect_text(VECTOR_GP, 32 << 3 | SELECTOR_IDT,
		    "general protection (#GP, vector 13, error code 0x102): "
		    "IDT entry 32");
	expect_text(VECTOR_TS, 0x28,
		    "invalid TSS (#TS, vector 10, error code 0x28): "
		    "descriptor 5");
}

static void test_others(void **state)
{
	(void)state;
	expect_text(6, 0, "invalid opcode (#UD, vector 6, error code 0)");
	expect_text(200, 0, "interrupt (external, vector 200, error code 0)");
	/* a hole in the table */
	expect_text(15, 0, "interrupt (external, vector 15, error code 0)");
}

static void test_address(void **state)
{
	struct guest_trap trap = { .cause = VECTOR_PF };

	(void)state;
	assert_true(arch_trap_has_address(&trap));
	trap.cause = VECTOR_GP;
	assert_false(arch_trap_has_address(&trap));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_page_faults),
		cmocka_unit_test(test_selectors),
		cmocka_unit_test(test_others),
		cmocka_unit_test(test_address),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
