/* SPDX-License-Identifier: GPL-2.0-only */
/* Which module drives KVM, on made-up hosts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>
#undef skip /* cmocka's */
#include "kvm_module.h"
#include "util.h"

#define INTEL "flags\t\t: fpu vme vmx ssse3\nvmx flags\t: ept\n"
#define AMD "flags\t\t: fpu vme svm\nbugs\t\t: none\n"
#define NEITHER "flags\t\t: fpu svm_lock xvmx\n"

static char root[] = "/tmp/kvmeter-module-XXXXXX";

static void shell(const char *command)
{
	char *whole = xasprintf("cd '%s' && %s", root, command);

	assert_int_equal(system(whole), 0);
	free(whole);
}

/* A host whose CPU has these lines, with modules and parameters "a/b=Y c". */
static void make(const char *cpuinfo, const char *modules)
{
	char *command =
		xasprintf("rm -rf proc sys && mkdir -p proc sys/module && "
			  "printf '%%s' '%s' >proc/cpuinfo && "
			  "for m in %s; do p=${m%%%%=*}; "
			  "d=sys/module/${p%%%%/*}/parameters; "
			  "mkdir -p $d; [ $p = $m ] || "
			  "echo ${m#*=} >$d/${p#*/}; done",
			  cpuinfo, modules);

	shell(command);
	free(command);
}

static void expect_name(const char *expected)
{
	char *name = kvm_module_name(root);

	if (expected) {
		assert_non_null(name);
		assert_string_equal(name, expected);
	} else {
		assert_null(name);
	}
	free(name);
}

static void test_name(void **state __maybe_unused)
{
	static const struct {
		const char *cpuinfo, *modules, *expected;
	} rows[] = {
		{ INTEL, "kvm kvm_intel kvm_amd", "kvm_intel" },
		{ AMD, "kvm kvm_intel kvm_amd", "kvm_amd" },
		{ INTEL, "kvm kvm_amd kvm_intel kvm_pvm", "kvm_pvm" },
		{ NEITHER, "kvm kvm_intel kvm_amd kvm_pvm", "kvm_pvm" },
		{ NEITHER, "kvm kvm_intel kvm_amd", NULL },
		{ NEITHER, "kvm kvm_amd", "kvm_amd" },
		{ "", "kvm kvm_pr kvm_hv", "kvm_hv" },
		{ INTEL, "kvm", NULL },
		{ INTEL, "", NULL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		make(rows[i].cpuinfo, rows[i].modules);
		expect_name(rows[i].expected);
	}
	shell("rm -rf proc sys");
	expect_name(NULL);
}

static void test_of_cpu(void **state __maybe_unused)
{
	make(INTEL, "");
	assert_string_equal(kvm_module_of_cpu(root), "kvm_intel");
	make(AMD, "kvm_intel");
	assert_string_equal(kvm_module_of_cpu(root), "kvm_amd");
	make(NEITHER, "kvm_intel");
	assert_null(kvm_module_of_cpu(root));
}

/* That of a module which drives nothing does not count. */
static void test_switch(void **state __maybe_unused)
{
	make(AMD, "kvm_intel/pml=Y kvm_intel/ept=Y kvm_amd/npt=0");
	assert_false(kvm_module_switch(root, "pml"));
	assert_false(kvm_module_switch(root, "ept"));
	assert_false(kvm_module_switch(root, "npt"));
	make(AMD, "kvm_intel/pml=N kvm_amd/npt=1");
	assert_true(kvm_module_switch(root, "npt"));
	make(INTEL, "kvm_intel/pml=Y kvm_amd/npt=1");
	assert_true(kvm_module_switch(root, "pml"));
	assert_false(kvm_module_switch(root, "npt"));
	make(INTEL, "kvm_intel/ept=Y kvm_pvm");
	assert_false(kvm_module_switch(root, "ept"));
}

static int create_root(void **state __maybe_unused)
{
	return mkdtemp(root) ? 0 : -1;
}

static int remove_root(void **state __maybe_unused)
{
	char *command = xasprintf("rm -rf '%s'", root);
	int status = system(command);

	free(command);
	return status;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_name),
		cmocka_unit_test(test_of_cpu),
		cmocka_unit_test(test_switch),
	};

	return cmocka_run_group_tests(tests, create_root, remove_root);
}
