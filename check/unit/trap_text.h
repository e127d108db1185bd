/* SPDX-License-Identifier: GPL-2.0-only */
/* For the checks of the ports' decoders, each of which includes its own. */
#ifndef KVMETER_CHECK_TRAP_TEXT_H
#define KVMETER_CHECK_TRAP_TEXT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>
#include "arch.h"

static void expect_text(u64 cause, u64 syndrome, const char *expected)
{
	struct guest_trap trap = { .cause = cause, .syndrome = syndrome };
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	assert_non_null(out);
	arch_trap_describe(&trap, out);
	fclose(out);
	assert_string_equal(text, expected);
	free(text);
}

#endif
