/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <stdlib.h>

#include "cpus.h"
#include "util.h"

/* No kernel has more, even if all of its memory is for its CPUs. */
#define CPUS_MAX (1 << 20)

/* Makes room for @nr CPUs, none of which is kept. */
static int init(struct cpus *cpus, u64 nr)
{
	*cpus = (struct cpus){ 0 };
	if (nr > CPUS_MAX)
		return EINVAL;
	cpus->bytes = CPU_ALLOC_SIZE(nr);
	cpus->set = calloc(1, cpus->bytes);
	return cpus->set ? 0 : ENOMEM;
}

int cpus_read(struct cpus *cpus)
{
	for (u64 nr = CPU_SETSIZE;; nr *= 2) {
		int error = init(cpus, nr);

		if (error)
			return error;
		if (!sched_getaffinity(0, cpus->bytes, cpus->set))
			return 0;
		error = errno;
		cpus_fini(cpus);
		if (error != EINVAL)
			return error;
	}
}

int cpus_apply(const struct cpus *cpus)
{
	return sched_setaffinity(0, cpus->bytes, cpus->set) ? errno : 0;
}

void cpus_fini(struct cpus *cpus)
{
	free(cpus->set);
	*cpus = (struct cpus){ 0 };
}

int cpus_add(struct cpus *cpus, u64 cpu)
{
	struct cpus more;
	int error;

	if (cpu >= cpus->bytes * 8) {
		error = init(&more, cpu < CPUS_MAX ? cpu + 1 : cpu);
		if (error)
			return error;
		if (cpus->set)
			CPU_OR_S(cpus->bytes, more.set, more.set, cpus->set);
		cpus_fini(cpus);
		*cpus = more;
	}
	CPU_SET_S(cpu, cpus->bytes, cpus->set);
	return 0;
}

bool cpus_have(const struct cpus *cpus, u64 cpu)
{
	return cpu < cpus->bytes * 8 &&
	       CPU_ISSET_S(cpu, cpus->bytes, cpus->set);
}

u64 cpus_usable(void)
{
	struct cpus cpus;
	u64 nr;

	if (cpus_read(&cpus))
		return 0;
	nr = CPU_COUNT_S(cpus.bytes, cpus.set);
	cpus_fini(&cpus);
	return nr;
}
