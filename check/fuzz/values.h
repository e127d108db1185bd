/* SPDX-License-Identifier: GPL-2.0-only */
/* What mutations put into files. */
#ifndef KVMETER_FUZZ_VALUES_H
#define KVMETER_FUZZ_VALUES_H

#include <stddef.h>

/* Keys and values that kvmeter knows. */
extern const char *const fuzz_strings[];
extern const size_t fuzz_strings_nr;

/* Those that it should not take for more than text; valid UTF-8. */
extern const char *const fuzz_hostile[];
extern const size_t fuzz_hostile_nr;

extern const double fuzz_reals[];
extern const size_t fuzz_reals_nr;

/* Pieces of text that stand behind one of {[:, and that no tree can hold. */
extern const char *const fuzz_syntax[];
extern const size_t fuzz_syntax_nr;

#endif
