/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdlib.h>
#include <string.h>

#include "cgroup.h"
#include "memory_room.h"
#include "units.h"
#include "util.h"

/*
 * Of the programs themselves, per vCPU (KVM's structures, thread, control
 * memory) and per byte mapped (tables of host, KVM and guest, KVM's reverse
 * maps, dirty bitmaps, access plans), as memory.max_usage_in_bytes says of
 * page_table_test: 1.4M with 4M, 3.5M with 256M, 470K for each of 64 vCPUs.
 */
#define OWN_BYTES MIB(2)
#define VCPU_BYTES KIB(640)
#define MAPPED_PER_TABLE 64

/* What a group has used changes until it is asked again: the shell that raises
 * the limit is in it, and each CPU that runs it keeps some pages charged. */
#define USED_CHANGES MIB(16)

u64 memory_needed(u64 guest_bytes, u64 mapped_bytes, u64 nr_vcpus)
{
	return guest_bytes + mapped_bytes / MAPPED_PER_TABLE +
	       nr_vcpus * VCPU_BYTES + OWN_BYTES;
}

static u64 meminfo_bytes(const char *text, const char *key)
{
	const char *line = text ? strstr(text, key) : NULL;

	return line ? KIB(strtoull(line + strlen(key), NULL, 10)) : 0;
}

#define CHOOSE "choose smaller --bytes or --vcpus"

static char *of_host(u64 bytes, const char *meminfo)
{
	u64 available = meminfo_bytes(meminfo, "MemAvailable:");
	char need[UNIT_LEN], have[UNIT_LEN];

	if (!available ||
	    bytes <= available + meminfo_bytes(meminfo, "SwapFree:"))
		return NULL;
	return xasprintf(
		"%s of memory needed, this host has %s available: " CHOOSE,
		format_size(need, ALIGN_UP(bytes, MIB(1))),
		format_size(have, ALIGN_DOWN(available, MIB(1))));
}

/* Documentation/mm/overcommit-accounting.rst: 2 is "don't overcommit". */
static char *of_promises(u64 bytes, const char *meminfo)
{
	u64 limit = meminfo_bytes(meminfo, "CommitLimit:");
	u64 promised = meminfo_bytes(meminfo, "Committed_AS:");
	char need[UNIT_LEN], have[UNIT_LEN];
	u64 mode, left;

	if (!read_number(&mode, "/proc/sys/vm/overcommit_memory") || mode != 2)
		return NULL;
	left = limit - min_u64(limit, promised);
	if (bytes <= left)
		return NULL;
	return xasprintf("%s of memory needed, this host may promise %s more "
			 "(vm.overcommit_memory is 2): sysctl "
			 "vm.overcommit_memory=0, or " CHOOSE,
			 format_size(need, ALIGN_UP(bytes, MIB(1))),
			 format_size(have, ALIGN_DOWN(left, MIB(1))));
}

static char *of_cgroups(u64 bytes)
{
	char need[UNIT_LEN], have[UNIT_LEN], of[UNIT_LEN], *why = NULL;
	struct cgroup_memory m;
	u64 left;

	if (!cgroup_memory_read("", &m))
		return NULL;
	left = m.limit - min_u64(m.limit, m.used);
	if (bytes > left)
		why = xasprintf(
			"%s of memory needed, the control group leaves %s of "
			"%s: echo %llu > %s, or " CHOOSE,
			format_size(need, ALIGN_UP(bytes, MIB(1))),
			format_size(have, ALIGN_DOWN(left, KIB(64))),
			format_size(of, m.limit),
			(unsigned long long)ALIGN_UP(
				m.used + bytes + USED_CHANGES, MIB(1)),
			m.file);
	free(m.file);
	return why;
}

char *memory_missing(u64 bytes)
{
	char *meminfo = read_text("/proc/meminfo");
	char *why = of_host(bytes, meminfo);

	if (!why)
		why = of_promises(bytes, meminfo);
	if (!why)
		why = of_cgroups(bytes);
	free(meminfo);
	return why;
}
