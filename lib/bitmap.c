/* SPDX-License-Identifier: GPL-2.0-only */
#include "bitmap.h"

void bitmap_merge(u64 *to, u64 at, const u64 *from, u64 nr)
{
	unsigned int shift = at % 64;

	to += at / 64;
	for (u64 done = 0; done < nr; done += 64, from++, to++) {
		u64 word = *from;

		if (nr - done < 64)
			word &= BIT(nr - done) - 1;
		to[0] |= word << shift;
		if (shift && word >> (64 - shift))
			to[1] |= word >> (64 - shift);
	}
}

u64 bitmap_count(const u64 *a, size_t words)
{
	u64 nr = 0;

	while (words--)
		nr += __builtin_popcountll(a[words]);
	return nr;
}

u64 bitmap_count_without(const u64 *a, const u64 *b, size_t words)
{
	u64 nr = 0;

	while (words--)
		nr += __builtin_popcountll(a[words] & ~b[words]);
	return nr;
}
