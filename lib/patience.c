/* SPDX-License-Identifier: GPL-2.0-only */
#include "clock.h"
#include "patience.h"
#include "units.h"

void patience_begin(struct patience *p, u64 look_ns)
{
	*p = (struct patience){ .most_ns = 2 * look_ns, .last_ns = now_ns() };
}

u64 patience_look(struct patience *p)
{
	u64 now = now_ns();

	p->waited_ns += min_u64(now - p->last_ns, p->most_ns);
	p->last_ns = now;
	return p->waited_ns;
}
