/* SPDX-License-Identifier: GPL-2.0-only */
/* The man page of a benchmark, from its descriptor and tables. */
#ifndef KVMETER_BENCH_MAN_H
#define KVMETER_BENCH_MAN_H

#include <stdio.h>
#include "bench.h"

/* A whole page in man(7) troff; the same on any host. */
void bench_man(const struct bench *bench, const struct option_set *options,
	       FILE *out);

#endif
