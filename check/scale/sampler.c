/* SPDX-License-Identifier: GPL-2.0-only */
#include <dirent.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sampler.h"
#include "types.h"
#include "util.h"

#define UNKNOWN (~UINT64_C(0))

static u64 number_after(const char *text, const char *key)
{
	const char *at = text ? strstr(text, key) : NULL;

	return at ? strtoull(at + strlen(key), NULL, 10) : UNKNOWN;
}

/* Of a file in which @key stands before the number. */
static u64 number_in(const char *path, const char *key)
{
	char *text = path ? read_text("%s", path) : NULL;
	u64 number = number_after(text, key);

	free(text);
	return number;
}

/* Entries of a directory whose names begin with @prefix. */
static u64 count_entries(const char *path, const char *prefix)
{
	DIR *dir = opendir(path);
	const struct dirent *entry;
	u64 nr = 0;

	if (!dir)
		return UNKNOWN;
	while ((entry = readdir(dir)))
		nr += entry->d_name[0] != '.' &&
		      strncmp(entry->d_name, prefix, strlen(prefix)) == 0;
	closedir(dir);
	return nr;
}

static u64 count_lines(const char *path)
{
	char *text = read_text("%s", path);
	u64 nr = 0;

	for (const char *at = text; at && (at = strchr(at, '\n')); at++)
		nr++;
	free(text);
	return text ? nr : UNKNOWN;
}

/* Bytes that malloc() has given and not got back. */
static u64 heap_bytes(void)
{
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
	struct mallinfo2 info = mallinfo2();

	return info.uordblks + info.hblkhd;
#else
	return UNKNOWN;
#endif
}

static u64 vms(void)
{
	const char *path = getenv("KVMETER_FIGURES_KVM");
	char *prefix = xasprintf("%d-", (int)getpid());
	u64 nr = path ? count_entries(path, prefix) : UNKNOWN;

	free(prefix);
	return nr;
}

static void print(FILE *out, const char *name, u64 value)
{
	if (value == UNKNOWN)
		fprintf(out, " %s=-", name);
	else
		fprintf(out, " %s=%llu", name, (unsigned long long)value);
}

static u64 every(void)
{
	const char *text = getenv("KVMETER_FIGURES_EVERY");

	return text ? max_u64(strtoull(text, NULL, 10), 1) : 1;
}

void sampler_take(void)
{
	static FILE *out;
	static u64 taken;
	const char *path = getenv("KVMETER_FIGURES");
	const char *key = getenv("KVMETER_FIGURES_GROUP_KEY");

	if (!path)
		return;
	if (!out) {
		out = fopen(path, "we");
		if (!out)
			die("KVMETER_FIGURES: %s cannot be written", path);
	}
	if (taken++ % every())
		return;
	fprintf(out, "n=%llu", (unsigned long long)taken - 1);
	print(out, "heap", heap_bytes());
	print(out, "anon", number_in("/proc/self/smaps_rollup", "Anonymous:"));
	print(out, "pss", number_in("/proc/self/smaps_rollup", "Pss:"));
	print(out, "fds", count_entries("/proc/self/fd", ""));
	print(out, "threads", count_entries("/proc/self/task", ""));
	print(out, "mappings", count_lines("/proc/self/maps"));
	print(out, "vms", vms());
	print(out, "group",
	      number_in(getenv("KVMETER_FIGURES_GROUP"), key ? key : ""));
	fputc('\n', out);
	fflush(out);
}
