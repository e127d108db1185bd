/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A process that outlives this one, to put settings back if this one dies
 * without having done so. Main thread only.
 */
#ifndef KVMETER_GUARDIAN_H
#define KVMETER_GUARDIAN_H

#include "setting.h"

/*
 * Before the first value is changed; @s has the original ones. The guardian
 * keeps the locks of @s until it has put them back.
 */
void guardian_begin(const struct settings *s);

/* All is as it was: the guardian ends, and has ended on return. */
void guardian_end(void);

#endif
