/* SPDX-License-Identifier: GPL-2.0-only */
/* The options that all benchmarks share. */
#ifndef KVMETER_BENCH_OPTIONS_H
#define KVMETER_BENCH_OPTIONS_H

#include "bench.h"

extern const struct option_row bench_option_rows[];

/*
 * Completes a parsed config (KVMETER_STRICT, the name of the mode) and ends by
 * usage_error() if values do not go together. Touches no /dev/kvm.
 */
void bench_options_finish(const struct bench *bench, void *config);

#endif
