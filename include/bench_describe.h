/* SPDX-License-Identifier: GPL-2.0-only */
/* What a benchmark is, for programs: kvmeter(1) asks it by --describe. */
#ifndef KVMETER_BENCH_DESCRIBE_H
#define KVMETER_BENCH_DESCRIBE_H

#include <stdio.h>
#include "bench.h"

/*
 * Version of what is written, member "schema". It also marks a program as one
 * that answers to --describe: kvmeter looks for it in the file before it runs
 * anything.
 */
#define BENCH_DESCRIBE_SCHEMA "kvmeter-describe/1"

/*
 * A JSON object with bench, version, question, options, metrics and checks;
 * the same on any host. A default that nobody has set is null.
 */
void bench_describe(const struct bench *bench, const struct option_set *options,
		    FILE *out);

#endif
