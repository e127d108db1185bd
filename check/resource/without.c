/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * without WHAT... -- COMMAND [ARGUMENT]...
 *
 * Runs a command where the kernel refuses something, as an older one, a sandbox
 * or an administrator would. WHAT is a name of the table below, or cap:NUMBER
 * for a capability that KVM_CHECK_EXTENSION then denies. Nothing outside of the
 * command sees any of it.
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/kvm.h>
#include <linux/seccomp.h>
#include <linux/userfaultfd.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "compat.h"
#include "types.h"

#define FILTER_MAX 256
#define ANY (~UINT32_C(0))

/* A call, whose argument may have to have a value, returns -@error. */
struct refusal {
	const char *name;
	u32 call;
	u32 value[2]; /* of the second and third argument, or ANY */
	u32 error;
};

/* clang-format off */
static const struct refusal refusals[] = {
	/* what a sandbox such as a container's forbids */
	{ "userfaultfd", SYS_userfaultfd, { ANY, ANY }, EPERM },
	{ "userfaultfd", SYS_ioctl, { USERFAULTFD_IOC_NEW, ANY }, EPERM },
	{ "perf", SYS_perf_event_open, { ANY, ANY }, EACCES },
	{ "mbind", SYS_mbind, { ANY, ANY }, EPERM },
	{ "setrlimit", SYS_prlimit64, { ANY, ANY }, EPERM },
	{ "affinity", SYS_sched_setaffinity, { ANY, ANY }, EPERM },
	/* what kernels before 5.14 and 3.17 have not */
	{ "populate", SYS_madvise, { ANY, MADV_POPULATE_WRITE }, EINVAL },
	{ "memfd", SYS_memfd_create, { ANY, ANY }, ENOSYS },
	{ "statistics", SYS_ioctl, { KVM_GET_STATS_FD, ANY }, ENOTTY },
	/* 0 is "no" */
	{ "statistics", SYS_ioctl, { KVM_CHECK_EXTENSION, KVM_CAP_BINARY_STATS_FD }, 0 },
	{ NULL, 0, { 0, 0 }, 0 },
};
/* clang-format on */

static struct sock_filter filter[FILTER_MAX];
static unsigned short filter_nr;

static void __noreturn fail(const char *what)
{
	fprintf(stderr, "without: %s: %s\n", what, strerror(errno));
	exit(127);
}

static void add(struct sock_filter instruction)
{
	errno = E2BIG;
	if (filter_nr == FILTER_MAX)
		fail("too much");
	filter[filter_nr++] = instruction;
}

/* Goes on if the word at @offset of the call is @value, else @skipped later. */
static void expect(size_t offset, u32 value, u8 skipped)
{
	add((struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset));
	add((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0,
					 skipped));
}

static void refuse(const struct refusal *r)
{
	u8 left = 1;

	for (int i = 0; i < 2; i++)
		left += r->value[i] == ANY ? 0 : 2;
	expect(offsetof(struct seccomp_data, nr), r->call, left);
	for (int i = 0; i < 2; i++) {
		if (r->value[i] == ANY)
			continue;
		left -= 2;
		expect(offsetof(struct seccomp_data, args[i + 1]), r->value[i],
		       left);
	}
	add((struct sock_filter)BPF_STMT(BPF_RET | BPF_K,
					 SECCOMP_RET_ERRNO | r->error));
}

static bool refuse_by_name(const char *name)
{
	bool found = false;

	for (const struct refusal *r = refusals; r->name; r++) {
		if (strcmp(r->name, name) != 0)
			continue;
		refuse(r);
		found = true;
	}
	return found;
}

static void take_away(const char *what)
{
	char *end;

	if (strcmp(what, "thp") == 0) {
		if (prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0))
			fail(what);
	} else if (strncmp(what, "cap:", 4) == 0) {
		refuse(&(struct refusal){
			.call = SYS_ioctl,
			.value = { KVM_CHECK_EXTENSION,
				   strtoul(what + 4, &end, 10) } });
		errno = EINVAL;
		if (*end || end == what + 4)
			fail(what);
	} else if (!refuse_by_name(what)) {
		errno = EINVAL;
		fail(what);
	}
}

int main(int argc, char **argv)
{
	struct sock_fprog program = { .filter = filter };
	int i;

	for (i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
		take_away(argv[i]);
	add((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
	program.len = filter_nr;
	if (i + 1 >= argc) {
		fputs("usage: without WHAT... -- COMMAND...\n", stderr);
		return 127;
	}
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		fail("seccomp");
	execvp(argv[i + 1], argv + i + 1);
	fail(argv[i + 1]);
}
