/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mapping.h"
#include "units.h"
#include "util.h"
#include "vm.h"

const char *mappings_missing(const struct vm *vm)
{
	u64 size[ARCH_BLOCK_SIZES];
	unsigned int nr = arch_stage2_sizes(size);

	if (!arch_mapping_stat(0))
		return "this architecture's KVM does not count mappings";
	if (!vm->stats)
		return "this KVM has no binary statistics "
		       "(KVM_CAP_BINARY_STATS_FD, Linux 5.14)";
	while (nr--)
		if (kvm_stats_find(vm->stats, arch_mapping_stat(nr)) < 0)
			return "this KVM's statistics do not count mappings by "
			       "size";
	return NULL;
}

struct mappings mappings_read(const struct vm *vm)
{
	u64 *values = xcalloc(kvm_stats_nr(vm->stats), sizeof(*values));
	u64 size[ARCH_BLOCK_SIZES];
	unsigned int nr = arch_stage2_sizes(size);
	struct mappings m = { 0 };

	kvm_stats_read(vm->stats, values);
	while (nr--)
		m.count[nr] = values[kvm_stats_find(vm->stats,
						    arch_mapping_stat(nr))];
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
	u64 size[ARCH_BLOCK_SIZES];
	unsigned int sizes = arch_stage2_sizes(size);

	for (unsigned int i = 0; i < sizes; i++) {
		if (size[i] != bytes)
			continue;
		m->count[i] += nr;
		return;
	}
	die("no stage-2 entry maps %llu bytes", (unsigned long long)bytes);
}

u64 mappings_count(const struct mappings *m, u64 bytes)
{
	u64 size[ARCH_BLOCK_SIZES];
	unsigned int sizes = arch_stage2_sizes(size);

	for (unsigned int i = 0; i < sizes; i++)
		if (size[i] == bytes)
			return m->count[i];
	return 0;
}

u64 mappings_total(const struct mappings *m)
{
	u64 nr = 0;

	for (unsigned int i = 0; i < MAPPING_SIZES; i++)
		nr += m->count[i];
	return nr;
}

const char *mappings_format(struct mappings m, char buf[MAPPING_TEXT])
{
	u64 size[ARCH_BLOCK_SIZES];
	unsigned int i = arch_stage2_sizes(size);
	char text[UNIT_LEN];
	size_t used = 0;

	snprintf(buf, MAPPING_TEXT, "none");
	while (i--) {
		if (!m.count[i])
			continue;
		used += snprintf(buf + used, MAPPING_TEXT - used, "%s%llu x %s",
				 used ? " + " : "",
				 (unsigned long long)m.count[i],
				 format_size(text, size[i]));
	}
	return buf;
}
