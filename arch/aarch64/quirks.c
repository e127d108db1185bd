/* SPDX-License-Identifier: GPL-2.0-only */
#include "arch.h"

const struct arch_quirk arch_quirks[] = { { NULL, 0 } };

const char *arch_zap_all_quirk(void)
{
	return NULL;
}
