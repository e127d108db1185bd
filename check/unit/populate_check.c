/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * First touch, with MADV_POPULATE_WRITE and as before Linux 5.14: a filter of
 * system calls makes this kernel one that does not know it.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <cmocka.h>
#undef skip /* cmocka's */
#include "child.h"
#include "compat.h"
#include "populate.h"
#include "util.h"

#define PAGES 8

struct order {
	bool old_kernel;
	unsigned int file_pages; /* of PAGES that are mapped */
	unsigned int
		page_pages; /* that the host could give in one, if it had */
};

static bool refuse_populate(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_madvise, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, args[2])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, MADV_POPULATE_WRITE, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = { ARRAY_SIZE(code), code };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

/* Returns 1 if a page is not there afterwards, 2 if its contents are lost. */
static void touch(void *arg)
{
	const struct order *o = arg;
	size_t page = sysconf(_SC_PAGESIZE);
	int fd = memfd_create("populate", MFD_CLOEXEC);
	unsigned char seen[PAGES], word = 0x5a;
	unsigned char *mem;

	if (ftruncate(fd, o->file_pages * page) ||
	    pwrite(fd, &word, 1, page) != 1)
		exit(90);
	mem = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		   0);
	if (o->old_kernel && !refuse_populate())
		exit(91);
	populate(mem, PAGES * page, o->page_pages * page);
	if (mincore(mem, PAGES * page, seen))
		exit(92);
	for (int i = 0; i < PAGES; i++)
		if (!(seen[i] & 1))
			exit(1);
	exit(mem[page] == word ? 0 : 2);
}

static void expect(struct order o, int code, const char *text)
{
	static struct child child;

	child_run(&child, touch, &o);
	assert_int_equal(child.code, code);
	if (text && !strstr(child.err, text))
		fail_msg("%s", child.err);
}

static void test_good(void **state __maybe_unused)
{
	expect((struct order){ false, PAGES, 1 }, 0, NULL);
	expect((struct order){ true, PAGES, 1 }, 0, NULL);
}

/* As anonymous_thp where no huge page is to be had. */
static void test_no_huge_page(void **state __maybe_unused)
{
	expect((struct order){ false, PAGES, PAGES }, 0, NULL);
	expect((struct order){ true, PAGES, PAGES }, 0, NULL);
}

/* The file ends early, which is as if its file system were full. */
static void test_no_room(void **state __maybe_unused)
{
	const char *text = "no page could be had";

	expect((struct order){ false, PAGES - 1, 1 }, EXIT_FAIL, text);
	expect((struct order){ true, PAGES - 1, 1 }, EXIT_FAIL, text);
}

/* Afterwards, SIGBUS is what it was. */
static void access_beyond(void *arg)
{
	size_t page = sysconf(_SC_PAGESIZE);
	int fd = memfd_create("populate", MFD_CLOEXEC);
	volatile char *mem;

	(void)arg;
	if (ftruncate(fd, page))
		exit(90);
	mem = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	populate((void *)mem, page, page);
	mem[page] = 1;
}

static void test_signal_restored(void **state __maybe_unused)
{
	static struct child child;

	child_run(&child, access_beyond, NULL);
	assert_int_not_equal(child.code, CHILD_RETURNED);
	assert_int_not_equal(child.code, EXIT_PASS);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),
		cmocka_unit_test(test_no_huge_page),
		cmocka_unit_test(test_no_room),
		cmocka_unit_test(test_signal_restored),
	};

	return cmocka_run_group_tests_name("populate", tests, NULL, NULL);
}
