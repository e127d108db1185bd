/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sets of CPUs, also on a host where 4096 are possible: a filter of system
 * calls refuses sets of fewer, as the kernel of one does.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <cmocka.h>
#undef skip /* cmocka's */
#include "bench_options.h"
#include "child.h"
#include "cpus.h"
#include "host.h"
#include "pin.h"
#include "util.h"

#define POSSIBLE 4096

static bool have_many(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_sched_getaffinity, 0,
			 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, args[1])),
		BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, POSSIBLE / 8, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = { ARRAY_SIZE(code), code };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

static u64 first_cpu(const struct cpus *cpus)
{
	u64 cpu = 0;

	while (!cpus_have(cpus, cpu) && cpu < POSSIBLE)
		cpu++;
	return cpu;
}

/* The exit code is the step that went wrong. */
static void on_many(void *arg)
{
	u64 usable = *(u64 *)arg, cpu;
	struct host_facts host;
	struct cpus cpus;

	if (!have_many())
		exit(90);
	if (cpus_usable() != usable)
		exit(1);
	host_read(&host);
	if (host.cpus != usable)
		exit(2);
	if (cpus_read(&cpus))
		exit(3);
	cpu = first_cpu(&cpus);
	if (pin_self(cpu) || cpus_usable() != 1)
		exit(4);
	if (cpus_apply(&cpus) || cpus_usable() != usable)
		exit(5);
	exit(0);
}

static void test_many(void **state __maybe_unused)
{
	static struct child child;
	u64 usable = cpus_usable();

	assert_true(usable > 0);
	child_run(&child, on_many, &usable);
	assert_int_equal(child.code, 0);
}

/* The option --pin, as it is parsed. */
static void pin_on_many(void *arg)
{
	const struct option_row *row = bench_option_rows;
	struct u64_list pin = { 1, { *(u64 *)arg } };
	const char *why = NULL;

	if (!have_many())
		exit(90);
	while (row->name && strcmp(row->name, "pin") != 0)
		row++;
	exit(row->valid(&pin, &why) ? 0 : 1);
}

static void test_pin(void **state __maybe_unused)
{
	static struct child child;
	struct cpus cpus;
	u64 cpu;

	assert_int_equal(cpus_read(&cpus), 0);
	cpu = first_cpu(&cpus);
	cpus_fini(&cpus);
	child_run(&child, pin_on_many, &cpu);
	assert_int_equal(child.code, 0);
	cpu = POSSIBLE - 1;
	child_run(&child, pin_on_many, &cpu);
	assert_int_equal(child.code, 1);
}

static void test_add(void **state __maybe_unused)
{
	static const u64 cpu[] = { 3, 1023, 1024, 5000, 0 };
	struct cpus cpus = { 0 };

	assert_false(cpus_have(&cpus, 0));
	for (size_t i = 0; i < ARRAY_SIZE(cpu); i++)
		assert_int_equal(cpus_add(&cpus, cpu[i]), 0);
	for (size_t i = 0; i < ARRAY_SIZE(cpu); i++)
		assert_true(cpus_have(&cpus, cpu[i]));
	assert_false(cpus_have(&cpus, 1022));
	assert_false(cpus_have(&cpus, 5001));
	assert_false(cpus_have(&cpus, ~UINT64_C(0)));
	assert_int_equal(cpus_add(&cpus, ~UINT64_C(0)), EINVAL);
	cpus_fini(&cpus);
}

static void test_pin_nowhere(void **state __maybe_unused)
{
	assert_int_equal(pin_self(NOT_PINNED), 0);
	assert_int_not_equal(pin_self(POSSIBLE * 8), 0);
}

static char root[] = "/tmp/kvmeter-cpus-XXXXXX";

static void make_node(unsigned int node, u64 from, u64 to)
{
	for (u64 cpu = from; cpu < to; cpu++) {
		char *command = xasprintf("mkdir -p '%s/sys/devices/system/cpu/"
					  "cpu%llu/node%u'",
					  root, (unsigned long long)cpu, node);

		assert_int_equal(system(command), 0);
		free(command);
	}
}

static void expect_neighbours(struct u64_list pin, u64 nr, u64 expected)
{
	struct cpus usable = { 0 }, near;

	for (u64 i = 0; i < 12; i++)
		if (i != 5)
			assert_int_equal(cpus_add(&usable, i), 0);
	near = pin_neighbours(root, &pin, nr, &usable);
	for (u64 i = 0; i < 16; i++)
		assert_int_equal(cpus_have(&near, i), (expected >> i) & 1);
	cpus_fini(&near);
	cpus_fini(&usable);
}

/* Three nodes of four CPUs, of which one is not for us; two without a node. */
static void test_neighbours(void **state __maybe_unused)
{
	char *command;

	assert_non_null(mkdtemp(root));
	make_node(0, 0, 4);
	make_node(1, 4, 8);
	make_node(7, 8, 10);
	expect_neighbours((struct u64_list){ 1, { 2 } }, 1, 0x00f);
	expect_neighbours((struct u64_list){ 2, { 7, 4 } }, 2, 0x0d0);
	expect_neighbours((struct u64_list){ 2, { 0, 8 } }, 2, 0x30f);
	/* the last is the main thread's */
	expect_neighbours((struct u64_list){ 2, { 9, 0 } }, 1, 0x300);
	expect_neighbours((struct u64_list){ 1, { 11 } }, 1, 0x800);
	command = xasprintf("rm -rf '%s'", root);
	assert_int_equal(system(command), 0);
	free(command);
}

/* There and back; without a pin, or to a CPU that is not there, nowhere. */
static void test_visit(void **state __maybe_unused)
{
	struct u64_list pin = { 0, { 0 } };
	u64 usable = cpus_usable();
	struct cpus home = pin_visit(&pin, 1);

	assert_null(home.set);
	pin_return(home);
	pin = (struct u64_list){ 1, { POSSIBLE * 8 } };
	home = pin_visit(&pin, 1);
	assert_null(home.set);
	assert_int_equal(cpus_read(&home), 0);
	pin.v[0] = first_cpu(&home);
	cpus_fini(&home);
	home = pin_visit(&pin, 1);
	assert_non_null(home.set);
	pin_return(home);
	assert_int_equal(cpus_usable(), usable);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_pin),
		cmocka_unit_test(test_add),
		cmocka_unit_test(test_pin_nowhere),
		cmocka_unit_test(test_neighbours),
		cmocka_unit_test(test_visit),
	};

	return cmocka_run_group_tests_name("cpus", tests, NULL, NULL);
}
