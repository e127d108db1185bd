/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "types.h"

#include "fault_arch.h"
#include "inject.h"

#define FILTER_MAX 16

#define LOAD(offset) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset)
#define ELSE_SKIP(value, n) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, n)
#define NOTIFY BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF)
#define ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

#define NR offsetof(struct seccomp_data, nr)
#define ARCH offsetof(struct seccomp_data, arch)
/* Of an ioctl's request the lower half: musl extends its sign. */
#define REQUEST offsetof(struct seccomp_data, args[1])

static unsigned short make_filter(struct sock_filter *f, int nr,
				  unsigned int request)
{
	const struct sock_filter all[] = { NOTIFY };
	const struct sock_filter calls[] = {
		LOAD(ARCH), ELSE_SKIP(FAULT_AUDIT_ARCH, 7),
		LOAD(NR),   ELSE_SKIP(SYS_execve, 1),
		NOTIFY,	    ELSE_SKIP(SYS_exit_group, 1),
		NOTIFY,	    ELSE_SKIP(nr, 1),
		NOTIFY,	    ALLOW,
	};
	const struct sock_filter requests[] = {
		LOAD(ARCH),    ELSE_SKIP(FAULT_AUDIT_ARCH, 9),
		LOAD(NR),      ELSE_SKIP(SYS_execve, 1),
		NOTIFY,	       ELSE_SKIP(SYS_exit_group, 1),
		NOTIFY,	       ELSE_SKIP(nr, 3),
		LOAD(REQUEST), ELSE_SKIP(request, 1),
		NOTIFY,	       ALLOW,
	};

	if (nr < 0) {
		memcpy(f, all, sizeof(all));
		return ARRAY_SIZE(all);
	}
	if (!request) {
		memcpy(f, calls, sizeof(calls));
		return ARRAY_SIZE(calls);
	}
	memcpy(f, requests, sizeof(requests));
	return ARRAY_SIZE(requests);
}

static void __noreturn become(char **argv, const struct sock_fprog *filter,
			      int *listener)
{
	long fd;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	fd = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
		     SECCOMP_FILTER_FLAG_NEW_LISTENER, filter);
	/* from here on calls wait for the other process to answer */
	__atomic_store_n(listener, fd < 0 ? -errno : (int)fd, __ATOMIC_RELEASE);
	if (fd >= 0)
		execvp(argv[0], argv);
	_exit(EXIT_BROKEN);
}

static void sleep_shortly(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 100000 }, NULL);
}

int supervised_start(char **argv, int nr, unsigned int request, pid_t *pid)
{
	struct sock_filter f[FILTER_MAX];
	struct sock_fprog filter = { make_filter(f, nr, request), f };
	int *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int theirs, pidfd, listener;

	if (shared == MAP_FAILED)
		broken("mmap");
	*pid = fork();
	if (*pid < 0)
		broken("fork");
	if (*pid == 0)
		become(argv, &filter, shared);
	while (!(theirs = __atomic_load_n(shared, __ATOMIC_ACQUIRE)))
		sleep_shortly();
	if (theirs < 0) {
		errno = -theirs;
		broken("seccomp with a listener");
	}
	pidfd = syscall(SYS_pidfd_open, *pid, 0);
	listener = syscall(SYS_pidfd_getfd, pidfd, theirs, 0);
	if (listener < 0)
		broken("pidfd_getfd");
	close(pidfd);
	munmap(shared, sizeof(*shared));
	return listener;
}
