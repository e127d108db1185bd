/* SPDX-License-Identifier: GPL-2.0-only */
/* For a benchmark that is linked with --wrap=run_end. */
#include "sampler.h"

struct run;

/* Names that the linker gives them. */
void __real_run_end(struct run *r);
void __wrap_run_end(struct run *r);

void __wrap_run_end(struct run *r)
{
	__real_run_end(r);
	sampler_take();
}
