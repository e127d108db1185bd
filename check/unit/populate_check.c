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

/* With the first of its nodes; -1: it is not told. */
static int policy_of(void *mem, unsigned long *nodes)
{
	unsigned long set[16] = { 0 };
	int mode;

	if (syscall(SYS_get_mempolicy, &mode, set, 8 * sizeof(set) + 1, mem,
		    mem ? (unsigned long)MPOL_F_ADDR : 0UL))
		return -1;
	*nodes = set[0];
	return mode;
}

struct policy {
	int given; /* as numactl would */
	int kept;
};

static void keep(void *arg)
{
	const struct policy *p = arg;
	unsigned long nodes = 1, found = 0;
	size_t page = sysconf(_SC_PAGESIZE);
	void *mem = mmap(NULL, page, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int mode;

	bool none = p->given == MPOL_DEFAULT;

	if (syscall(SYS_set_mempolicy, p->given, none ? NULL : &nodes,
		    none ? 0UL : 8 * sizeof(nodes)))
		exit(90);
	keep_mapped(mem, page);
	/* it is the memory's own, whatever becomes of the task's */
	if (syscall(SYS_set_mempolicy, MPOL_DEFAULT, NULL, 0UL))
		exit(91);
	mode = policy_of(mem, &found);
	/* what it is called before 5.14 */
	if (mode == MPOL_PREFERRED && !found)
		mode = MPOL_LOCAL;
	if (mode != p->kept)
		exit(1);
	exit(mode == MPOL_LOCAL || found == nodes ? 0 : 2);
}

static void test_policy(void **state __maybe_unused)
{
	static struct child child;
	static struct policy rows[] = {
		{ MPOL_DEFAULT, MPOL_LOCAL },
		{ MPOL_BIND, MPOL_BIND },
		{ MPOL_INTERLEAVE, MPOL_INTERLEAVE },
		{ MPOL_PREFERRED, MPOL_PREFERRED },
		{ MPOL_BIND | MPOL_F_STATIC_NODES,
		  MPOL_BIND | MPOL_F_STATIC_NODES },
		{ MPOL_BIND | MPOL_F_NUMA_BALANCING, MPOL_BIND },
	};
	unsigned long nodes;

	/* no NUMA in this kernel, or forbidden */
	if (policy_of(NULL, &nodes) < 0)
		_skip(__FILE__, __LINE__);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		child_run(&child, keep, &rows[i]);
		if (child.code == 90 && rows[i].given & MPOL_F_NUMA_BALANCING)
			continue;
		assert_int_equal(child.code, 0);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),
		cmocka_unit_test(test_no_huge_page),
		cmocka_unit_test(test_no_room),
		cmocka_unit_test(test_signal_restored),
		cmocka_unit_test(test_policy),
	};

	return cmocka_run_group_tests_name("populate", tests, NULL, NULL);
}
