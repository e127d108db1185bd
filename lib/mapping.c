/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mapping.h"
#include "units.h"
#include "util.h"
#include "vm.h"

static unsigned int nr_sizes(void)
{
	unsigned int nr = 0;

	while (arch_mapping_stats[nr].name)
		nr++;
	return nr;
}

const char *mappings_missing(const struct vm *vm)
{
	if (!nr_sizes())
		return "this architecture's KVM does not count mappings";
	if (!vm->stats)
		return "this KVM has no binary statistics "
		       "(KVM_CAP_BINARY_STATS_FD, Linux 5.14)";
	for (unsigned int i = 0; i < nr_sizes(); i++)
		if (kvm_stats_find(vm->stats, arch_mapping_stats[i].name) < 0)
			return "this KVM's statistics do not count mappings by "
			       "size";
	return NULL;
}

struct mappings mappings_read(const struct vm *vm)
{
	u64 *values = xcalloc(kvm_stats_nr(vm->stats), sizeof(*values));
	struct mappings m = { 0 };

	kvm_stats_read(vm->stats, values);
	for (unsigned int i = 0; i < nr_sizes(); i++)
		m.count[i] = values[kvm_stats_find(vm->stats,
						   arch_mapping_stats[i].name)];
	free(values);
	return m;
}

struct mappings mappings_sub(struct mappings a, struct mappings b)
{
	for (unsigned int i = 0; i < MAPPING_SIZES; i++)
		a.count[i] -= min_u64(a.count[i], b.count[i]);
	return a;
}

bool mappings_equal(struct mappings a, struct mappings b)
{
	return memcmp(&a, &b, sizeof(a)) == 0;
}

void mappings_add(struct mappings *m, u64 bytes, u64 nr)
{
	for (unsigned int i = 0; i < nr_sizes(); i++) {
		if (arch_mapping_stats[i].bytes != bytes)
			continue;
		m->count[i] += nr;
		return;
	}
	die("no statistic counts mappings of %llu bytes",
	    (unsigned long long)bytes);
}

const char *mappings_format(struct mappings m, char buf[MAPPING_TEXT])
{
	char size[UNIT_LEN];
	size_t used = 0;

	snprintf(buf, MAPPING_TEXT, "none");
	for (unsigned int i = nr_sizes(); i--;) {
		if (!m.count[i])
			continue;
		used += snprintf(
			buf + used, MAPPING_TEXT - used, "%s%llu x %s",
			used ? " + " : "", (unsigned long long)m.count[i],
			format_size(size, arch_mapping_stats[i].bytes));
	}
	return buf;
}
