/* SPDX-License-Identifier: GPL-2.0-only */
/* Too large for the compiler to copy in line. */
#include <guest/guest.h>

struct large {
	u64 words[100000];
};

GUEST_FUNCTION(guest_struct_copy)
{
	*(struct large *)cpu->private = *(const struct large *)cpu->touch;
}
