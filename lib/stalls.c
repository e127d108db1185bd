/* SPDX-License-Identifier: GPL-2.0-only */
#include <string.h>

#include "point.h"
#include "stalls.h"

static bool is_timed(const struct run *r)
{
	return r->vm->vcpus[0].area->stalls.every != 0;
}

static struct guest_histogram *histogram_of(const struct vm *vm, u32 i)
{
	return vm_hva(vm, vm->vcpus[i].area->stalls.histogram,
		      sizeof(struct guest_histogram));
}

void stalls_init(struct run *r, u32 every)
{
	struct vm *vm = r->vm;

	for (u32 i = 0; every && i < vm->nr_vcpus; i++) {
		void *h = vm_alloc(vm, sizeof(struct guest_histogram), 64);

		vm->vcpus[i].area->stalls = (struct guest_stalls){
			.histogram = vm_gva(vm, h),
			.every = every,
			.left = every,
		};
	}
}

void stalls_clear(struct run *r)
{
	for (u32 i = 0; is_timed(r) && i < r->vm->nr_vcpus; i++)
		memset(histogram_of(r->vm, i), 0,
		       sizeof(struct guest_histogram));
}

void sample_stalls(struct run *r, int metric)
{
	for (u32 i = 0; is_timed(r) && i < r->vm->nr_vcpus; i++)
		sample_guest(r, metric, i, histogram_of(r->vm, i));
	stalls_clear(r);
}
