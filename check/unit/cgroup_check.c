/* SPDX-License-Identifier: GPL-2.0-only */
/* Control groups of made-up hosts, in a directory that stands for "/". */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#undef skip /* cmocka's */
#include "cgroup.h"
#include "util.h"

static char root[] = "/tmp/kvmeter-cgroup-XXXXXX";

/* Writes a file, and makes the directories that it is in. */
static void put(const char *path, const char *text)
{
	char *whole = xasprintf("%s%s", root, path);
	char *command = xasprintf("mkdir -p \"$(dirname '%s')\"", whole);
	FILE *f;

	assert_int_equal(system(command), 0);
	f = fopen(whole, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	free(command);
	free(whole);
}

static void clear(void)
{
	char *command = xasprintf("rm -rf '%s'/*", root);

	assert_int_equal(system(command), 0);
	free(command);
}

static void expect_directory(const char *controller, const char *path)
{
	char *dir = cgroup_directory(root, controller);

	if (!path) {
		assert_null(dir);
		return;
	}
	assert_non_null(dir);
	assert_string_equal(dir + strlen(root), path);
	free(dir);
}

static void expect_limit(const char *file, u64 limit, u64 used)
{
	struct cgroup_memory m;
	bool found = cgroup_memory_read(root, &m);

	assert_int_equal(found, file != NULL);
	if (!file)
		return;
	assert_string_equal(m.file + strlen(root), file);
	assert_int_equal(m.limit, limit);
	assert_int_equal(m.used, used);
	free(m.file);
}

/* Both versions, as on most hosts of the years between them. */
static void put_hybrid(void)
{
	clear();
	put("/proc/self/cgroup", "9:name=systemd:/\n4:memory:/a/b\n"
				 "3:cpuset:/\n1:cpu,cpuacct:/c\n0::/user\n");
	put("/proc/self/mountinfo",
	    "31 23 0:28 / /cg rw - tmpfs tmpfs rw\n"
	    "35 31 0:32 / /cg/memory rw shared:1 - cgroup cgroup rw,memory\n"
	    "32 31 0:29 / /cg/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"
	    "41 31 0:38 / /cg/unified rw,relatime - cgroup2 cgroup2 rw\n");
	put("/cg/memory/a/b/memory.limit_in_bytes", "9223372036854771712\n");
	put("/cg/memory/a/b/memory.usage_in_bytes", "7000\n");
	put("/cg/memory/a/b/memory.stat", "cache 1\n");
	put("/cg/cpu/c/cpu.cfs_quota_us", "-1\n");
	put("/cg/cpu/c/cpu.cfs_period_us", "100000\n");
	put("/cg/unified/user/cgroup.procs", "1\n");
}

static void test_version_1(void **state __maybe_unused)
{
	char *file;

	put_hybrid();
	expect_directory("memory", "/cg/memory/a/b");
	expect_directory("cpuacct", "/cg/cpu/c");
	expect_directory("mem", NULL);
	expect_directory(NULL, "/cg/unified/user");
	expect_limit(NULL, 0, 0);
	assert_true(cgroup_cpu_quota(root, &file) == 0);

	/* of an ancestor; the tightest one counts, by what is left */
	put("/cg/memory/a/memory.limit_in_bytes", "10000\n");
	put("/cg/memory/a/memory.usage_in_bytes", "9000\n");
	put("/cg/memory/a/memory.stat",
	    "inactive_file 5\ntotal_inactive_file 300\ntotal_active_file 200\n");
	expect_limit("/cg/memory/a/memory.limit_in_bytes", 10000, 8500);
	put("/cg/memory/a/b/memory.limit_in_bytes", "8000\n");
	expect_limit("/cg/memory/a/b/memory.limit_in_bytes", 8000, 7000);
	put("/cg/memory/a/b/memory.usage_in_bytes", "1000\n");
	expect_limit("/cg/memory/a/memory.limit_in_bytes", 10000, 8500);

	put("/cg/cpu/c/cpu.cfs_quota_us", "150000\n");
	assert_true(cgroup_cpu_quota(root, &file) == 1.5);
	assert_non_null(strstr(file, "/cg/cpu/c/cpu.cfs_quota_us"));
	free(file);
}

static void test_version_2(void **state __maybe_unused)
{
	char *file;

	clear();
	put("/proc/self/cgroup", "0::/a/b\n");
	put("/proc/self/mountinfo", "41 31 0:38 / /cg rw - cgroup2 none rw\n");
	put("/cg/a/b/memory.max", "max\n");
	put("/cg/a/b/memory.high", "max\n");
	put("/cg/a/memory.max", "9000\n");
	put("/cg/a/memory.current", "10000\n");
	put("/cg/a/memory.stat", "anon 1\ninactive_file 2000\n");
	expect_directory(NULL, "/cg/a/b");
	expect_directory("memory", NULL);
	expect_limit("/cg/a/memory.max", 9000, 8000);
	put("/cg/a/b/memory.high", "500\n");
	expect_limit("/cg/a/b/memory.high", 500, 0);
	put("/cg/a/b/memory.high", "max\n");
	put("/cg/a/b/cpu.max", "max 100000\n");
	put("/cg/a/cpu.max", "25000 100000\n");
	assert_true(cgroup_cpu_quota(root, &file) == 0.25);
	free(file);
}

/* A container sees its own group as the top, under one name or another. */
static void test_containers(void **state __maybe_unused)
{
	clear();
	put("/proc/self/cgroup", "0::/docker/x/y\n");
	put("/proc/self/mountinfo",
	    "41 31 0:38 /docker/x /cg rw - cgroup2 none rw\n");
	put("/cg/memory.max", "4000\n");
	put("/cg/memory.current", "1000\n");
	put("/cg/y/memory.max", "max\n");
	expect_directory(NULL, "/cg/y");
	expect_limit("/cg/memory.max", 4000, 1000);
	put("/proc/self/cgroup", "0::/docker/x\n");
	expect_directory(NULL, "/cg");
	expect_limit("/cg/memory.max", 4000, 1000);
	put("/proc/self/cgroup", "0::/docker/xy\n");
	expect_directory(NULL, NULL);
	expect_limit(NULL, 0, 0);
	put("/proc/self/mountinfo", "41 31 0:38 / /cg rw - cgroup2 none rw\n");
	put("/proc/self/cgroup", "0::/\n");
	expect_limit("/cg/memory.max", 4000, 1000);
	put("/proc/self/cgroup", "0::/../other\n");
	expect_directory(NULL, NULL);
}

static void test_none(void **state __maybe_unused)
{
	char *file;

	clear();
	expect_directory(NULL, NULL);
	expect_limit(NULL, 0, 0);
	assert_true(cgroup_cpu_quota(root, &file) == 0);
	put("/proc/self/cgroup", "rubbish\n0\n\n:::\n");
	put("/proc/self/mountinfo",
	    "1 2 3 - \n - cgroup2\n\n1 - cgroup2 a b\n");
	expect_directory(NULL, NULL);
	expect_directory("memory", NULL);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_version_1),
		cmocka_unit_test(test_version_2),
		cmocka_unit_test(test_containers),
		cmocka_unit_test(test_none),
	};
	char *command;
	int failed;

	if (!mkdtemp(root))
		die("no temporary directory");
	failed = cmocka_run_group_tests_name("cgroup", tests, NULL, NULL);
	command = xasprintf("rm -rf '%s'", root);
	failed += system(command) != 0;
	free(command);
	return failed;
}
