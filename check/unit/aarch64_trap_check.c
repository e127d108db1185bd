/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the aarch64 port says of exceptions, on any machine: a TLB conflict
 * cannot be provoked at will.
 */
#include "trap_text.h"
#include "../../arch/aarch64/trap.c"

/* ESR_EL1 of an abort: class, instruction length bit, and its status. */
#define ESR(class, iss) ((u64)(class) << 26 | BIT(25) | (iss))
#define VECTOR_EL1T_SYNC 0
#define VECTOR_EL1H_SYNC 4
#define VECTOR_EL1T_SERROR 3

static void test_tlb_conflict(void **state)
{
	(void)state;
	expect_text(VECTOR_EL1T_SYNC, ESR(CLASS_DATA, 0x30),
		    "data abort (ESR class 0x25, ESR 0x96000030, synchronous "
		    "exception from EL1t): TLB conflict abort by a read");
	expect_text(VECTOR_EL1T_SYNC, ESR(CLASS_DATA, 0x30 | ESR_WRITE),
		    "data abort (ESR class 0x25, ESR 0x96000070, synchronous "
		    "exception from EL1t): TLB conflict abort by a write");
	expect_text(VECTOR_EL1T_SYNC, ESR(CLASS_FETCH, 0x30),
		    "instruction abort (ESR class 0x21, ESR 0x86000030, "
		    "synchronous exception from EL1t): TLB conflict abort");
}

static void test_other_aborts(void **state)
{
	(void)state;
	expect_text(VECTOR_EL1T_SYNC, ESR(CLASS_DATA, 0x04 | ESR_WRITE),
		    "data abort (ESR class 0x25, ESR 0x96000044, synchronous "
		    "exception from EL1t): translation fault, level 0 by a "
		    "write");
	expect_text(VECTOR_EL1H_SYNC, ESR(CLASS_DATA, 0x0f),
		    "data abort (ESR class 0x25, ESR 0x9600000f, synchronous "
		    "exception from EL1h): permission fault, level 3 by a "
		    "read");
	expect_text(VECTOR_EL1T_SYNC, ESR(CLASS_DATA, 0x3f),
		    "data abort (ESR class 0x25, ESR 0x9600003f, synchronous "
		    "exception from EL1t): reserved fault status by a read");
}

static void test_other_classes(void **state)
{
	(void)state;
	expect_text(VECTOR_EL1T_SYNC, ESR(0, 0),
		    "unknown reason (undefined instruction) (ESR class 0, ESR "
		    "0x2000000, synchronous exception from EL1t)");
	expect_text(VECTOR_EL1T_SERROR, ESR(0x2f, 0),
		    "SError (ESR class 0x2f, ESR 0xbe000000, SError from "
		    "EL1t)");
	expect_text(VECTOR_EL1T_SYNC, ESR(0x3f, 0),
		    "reserved class (ESR class 0x3f, ESR 0xfe000000, "
		    "synchronous exception from EL1t)");
}

static void test_address(void **state)
{
	struct guest_trap trap = { .syndrome = ESR(CLASS_DATA, 0x30) };

	(void)state;
	assert_true(arch_trap_has_address(&trap));
	trap.syndrome |= ESR_FAR_INVALID;
	assert_false(arch_trap_has_address(&trap));
	trap.syndrome = ESR(0x15, 0);
	assert_false(arch_trap_has_address(&trap));
	trap.syndrome = ESR(CLASS_PC_ALIGNMENT, 0);
	assert_true(arch_trap_has_address(&trap));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tlb_conflict),
		cmocka_unit_test(test_other_aborts),
		cmocka_unit_test(test_other_classes),
		cmocka_unit_test(test_address),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
