/* SPDX-License-Identifier: GPL-2.0-only */
/* --mode: a guest mode of the port by number or name. */
#ifndef KVMETER_MODE_H
#define KVMETER_MODE_H

#include <stdio.h>
#include "arch.h"

/* NULL as @value: the port's default. NULL if there is no such mode. */
const struct guest_mode *mode_find(const char *value);

/* Numbers, names and, for those that this host lacks, why. */
void mode_list(FILE *out);

#endif
