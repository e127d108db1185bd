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

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_pin),
		cmocka_unit_test(test_add),
		cmocka_unit_test(test_pin_nowhere),
	};

	return cmocka_run_group_tests_name("cpus", tests, NULL, NULL);
}
