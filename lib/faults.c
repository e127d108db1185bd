/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdlib.h>
#include <unistd.h>

#include "faults.h"
#include "tracepoint.h"
#include "util.h"

struct fault_counter {
	struct vm *vm;
	const struct arch_fault_source *source;
	int fd; /* -1: by statistics */
	int page_fd;
};

static void close_tracepoints(struct fault_counter *c)
{
	if (c->fd >= 0)
		close(c->fd);
	if (c->page_fd >= 0)
		close(c->page_fd);
	c->fd = -1;
	c->page_fd = -1;
}

struct fault_counter *fault_counter_create(struct vm *vm, bool may_trace)
{
	const struct arch_fault_source *source = arch_fault_source();
	struct fault_counter *c;

	if (!source || !vm->stats)
		return NULL;
	c = xcalloc(1, sizeof(*c));
	c->vm = vm;
	c->source = source;
	c->fd = -1;
	c->page_fd = -1;
	if (!may_trace)
		return c;
	c->fd = tracepoint_open(source->tracepoint, source->filter);
	c->page_fd = tracepoint_open(source->tracepoint, source->page_filter);
	if (c->fd < 0 || c->page_fd < 0)
		close_tracepoints(c);
	return c;
}

void fault_counter_free(struct fault_counter *c)
{
	if (!c)
		return;
	close_tracepoints(c);
	free(c);
}

/* Sum over the vCPUs of the named statistics; those not there are 0. */
static u64 sum_stats(const struct vm *vm, const char *const *names)
{
	unsigned int nr = kvm_stats_nr(vm->vcpus[0].stats);
	u64 *values = xcalloc(nr, sizeof(*values));
	u64 sum = 0;

	for (u32 i = 0; i < vm->nr_vcpus; i++) {
		kvm_stats_read(vm->vcpus[i].stats, values);
		for (const char *const *name = names; *name; name++) {
			int k = kvm_stats_find(vm->vcpus[i].stats, *name);

			sum += k < 0 ? 0 : values[k];
		}
	}
	free(values);
	return sum;
}

struct faults fault_counter_read(const struct fault_counter *c)
{
	struct faults f;

	if (c->fd >= 0) {
		f.all = tracepoint_read(c->fd);
		f.at_pages = tracepoint_read(c->page_fd);
	} else {
		f.all = sum_stats(c->vm, c->source->exits) -
			sum_stats(c->vm, c->source->other_exits);
		f.at_pages = f.all;
	}
	return f;
}

bool fault_counter_is_exact(const struct fault_counter *c)
{
	return c->fd >= 0;
}

const char *fault_counter_name(const struct fault_counter *c)
{
	return c->fd >= 0 ? c->source->tracepoint : "exit statistics";
}
