/* SPDX-License-Identifier: GPL-2.0-only */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#undef skip /* cmocka's */
#include "child.h"
#include "made_up_vm.h"
#include "mmio.h"

#define GPA TEST_DEVICE_GPA
#define BYTES KIB(4)
#define ANSWER UINT64_C(0x1122334455667788)

struct device {
	struct mmio_access last;
	unsigned int accesses;
};

struct fixture {
	struct vm vm;
	struct kvm_run run;
	struct device device[2];
};

static void access_device(void *arg, struct mmio_access *access)
{
	struct device *device = arg;

	if (!access->is_write)
		access->value = ANSWER;
	device->last = *access;
	device->accesses++;
}

static void add(struct fixture *f, unsigned int i, u64 gpa)
{
	mmio_add(&f->vm, &(struct mmio_range){ gpa, BYTES, access_device,
					       &f->device[i] });
}

static int setup(void **state)
{
	struct fixture *f = xcalloc(1, sizeof(*f));

	made_up_vm_init(&f->vm, 2);
	f->vm.vcpus[1].run = &f->run;
	add(f, 0, GPA);
	add(f, 1, GPA + 2 * BYTES);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	free(f->vm.mmio);
	made_up_vm_fini(&f->vm);
	free(f);
	return 0;
}

static void make_exit(struct fixture *f, u64 gpa, u32 bytes, bool is_write)
{
	memset(&f->run, 0, sizeof(f->run));
	f->run.exit_reason = KVM_EXIT_MMIO;
	f->run.mmio.phys_addr = gpa;
	f->run.mmio.len = bytes;
	f->run.mmio.is_write = is_write;
}

static void test_read(void **state)
{
	const u8 expected[8] = { 0x88, 0x77, 0x66, 0x55 };
	struct fixture *f = *state;

	make_exit(f, GPA + 2 * BYTES + 16, 4, false);
	assert_true(mmio_answer(&f->vm.vcpus[1]));
	assert_int_equal(f->device[0].accesses, 0);
	assert_int_equal(f->device[1].accesses, 1);
	assert_int_equal(f->device[1].last.vcpu, 1);
	assert_int_equal(f->device[1].last.offset, 16);
	assert_int_equal(f->device[1].last.bytes, 4);
	/* as many bytes as were read, and no more */
	assert_memory_equal(f->run.mmio.data, expected, sizeof(expected));
}

static void test_write(void **state)
{
	const u16 value = 0xbeef;
	struct fixture *f = *state;

	make_exit(f, GPA + BYTES - 2, 2, true);
	memcpy(f->run.mmio.data, &value, sizeof(value));
	f->run.mmio.data[2] = 0xff; /* not part of it */
	assert_true(mmio_answer(&f->vm.vcpus[1]));
	assert_int_equal(f->device[0].last.offset, BYTES - 2);
	assert_true(f->device[0].last.is_write);
	assert_int_equal(f->device[0].last.value, value);
}

static void test_not_answered(void **state)
{
	static const struct {
		u64 gpa;
		u32 bytes;
	} none[] = { { GPA - 1, 1 },	     { GPA - 4, 8 },
		     { GPA + BYTES - 4, 8 }, { GPA + BYTES, 1 },
		     { GPA + 3 * BYTES, 8 }, { GPA, 16 } };
	struct fixture *f = *state;

	for (size_t i = 0; i < ARRAY_SIZE(none); i++) {
		make_exit(f, none[i].gpa, none[i].bytes, false);
		assert_false(mmio_answer(&f->vm.vcpus[1]));
	}
	make_exit(f, GPA, 8, false);
	f->run.exit_reason = KVM_EXIT_HLT;
	assert_false(mmio_answer(&f->vm.vcpus[1]));
	assert_int_equal(f->device[0].accesses + f->device[1].accesses, 0);
}

static void add_overlapping(void *arg)
{
	add(arg, 0, GPA + 3 * BYTES - 1);
}

static void add_late(void *arg)
{
	struct fixture *f = arg;

	f->vm.started = true;
	add(f, 0, GPA + 5 * BYTES);
}

static void test_refused(void **state)
{
	struct child child;

	child_run(&child, add_overlapping, *state);
	assert_int_equal(child.code, 1);
	assert_non_null(strstr(child.err, "overlap"));
	child_run(&child, add_late, *state);
	assert_int_equal(child.code, 1);
	assert_non_null(strstr(child.err, "before the VM has started"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_read, setup, teardown),
		cmocka_unit_test_setup_teardown(test_write, setup, teardown),
		cmocka_unit_test_setup_teardown(test_not_answered, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_refused, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
