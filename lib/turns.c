/* SPDX-License-Identifier: GPL-2.0-only */
#include "turns.h"

/* Golay 1949, Shapiro 1951, Rudin 1959: pairs of neighbouring one bits, odd? */
static int rudin_shapiro(size_t k)
{
	return __builtin_parityll(k & (k >> 1));
}

int turn_side(size_t i)
{
	int in_four = i % 4 == 1 || i % 4 == 2;

	return in_four ^ rudin_shapiro(i / 4);
}
