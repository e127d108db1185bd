/* SPDX-License-Identifier: GPL-2.0-only */
#include <linux/futex.h>
#include <linux/perf_event.h>
#include <linux/userfaultfd.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "compat.h"
#include "types.h"

#include "calls.h"
#include "fault_arch.h"

enum subject { NOTHING, PATH, FILE_DESCRIPTOR };

#define CALL(name)                            \
	{                                     \
#name, SYS_##name, NOTHING, 0 \
	}
#define CALL_PATH(name, argument)                 \
	{                                         \
#name, SYS_##name, PATH, argument \
	}
#define CALL_FD(name, argument)                              \
	{                                                    \
#name, SYS_##name, FILE_DESCRIPTOR, argument \
	}

static const struct call {
	const char *name;
	int nr;
	enum subject subject;
	int argument; /* that is the subject */
} calls[] = {
	/* clang-format off */
	CALL_PATH(openat, 1), CALL_PATH(newfstatat, 1), CALL_PATH(faccessat, 1),
	CALL_PATH(faccessat2, 1),
	CALL_PATH(mkdirat, 1), CALL_PATH(unlinkat, 1), CALL_PATH(renameat, 1),
	CALL_PATH(linkat, 3), CALL_PATH(renameat2, 1), CALL_PATH(readlinkat, 1), CALL_PATH(statfs, 0),
	CALL_PATH(execve, 0), CALL_PATH(chdir, 0), CALL_PATH(statx, 1),
	CALL_FD(fstatfs, 0), CALL_FD(fstat, 0), CALL_FD(read, 0), CALL_FD(write, 0),
	CALL_FD(readv, 0), CALL_FD(writev, 0), CALL_FD(pread64, 0),
	CALL_FD(pwrite64, 0), CALL_FD(lseek, 0), CALL_FD(fsync, 0),
	CALL_FD(fdatasync, 0), CALL_FD(ftruncate, 0), CALL_FD(fallocate, 0),
	CALL_FD(fchmod, 0), CALL_FD(close, 0), CALL_FD(getdents64, 0),
	CALL_FD(flock, 0), CALL_FD(fcntl, 0), CALL_FD(fadvise64, 0),
	CALL(mmap), CALL(munmap), CALL(mremap), CALL(mprotect), CALL(madvise),
	CALL(mbind), CALL(get_mempolicy), CALL(mlock), CALL(mlock2), CALL(munlock), CALL(mincore),
	CALL(brk), CALL(msync), CALL(memfd_create), CALL(eventfd2),
	CALL(userfaultfd), CALL(perf_event_open), CALL(pipe2), CALL(dup),
	CALL(dup3), CALL(socketpair), CALL(sendto), CALL(recvfrom),
	CALL(clone), CALL(clone3), CALL(wait4), CALL(waitid), CALL(kill),
	CALL(tkill), CALL(tgkill), CALL(setpgid), CALL(setsid), CALL(getpid),
	CALL(getppid), CALL(gettid), CALL(getuid), CALL(geteuid), CALL(getgid),
	CALL(getegid), CALL(getpgid), CALL(prctl), CALL(prlimit64),
	CALL(getrusage), CALL(sysinfo), CALL(uname), CALL(umask),
	CALL(sched_setaffinity), CALL(sched_getaffinity), CALL(sched_yield),
	CALL(sched_setscheduler), CALL(setpriority), CALL(getpriority),
	CALL(getcpu), CALL(futex), CALL(ppoll), CALL(pselect6), CALL(nanosleep),
	CALL(clock_nanosleep), CALL(clock_gettime), CALL(clock_getres),
	CALL(gettimeofday), CALL(timer_create), CALL(timer_settime),
	CALL(timer_delete), CALL(rt_sigaction), CALL(rt_sigprocmask),
	CALL(rt_sigtimedwait), CALL(rt_sigreturn), CALL(rt_sigqueueinfo),
	CALL(rt_sigpending), CALL(sigaltstack), CALL(set_robust_list),
	CALL(set_tid_address), CALL(rseq), CALL(getrandom), CALL(getcwd),
	CALL(ioctl), CALL(exit), CALL(exit_group), CALL(restart_syscall),
	CALL(membarrier), CALL(process_vm_readv), CALL(mount), CALL(umount2),
	CALL(unshare), CALL(syslog), CALL(close_range),
	FAULT_ARCH_CALLS,
	/* clang-format on */
};

#define REQUEST(name)                       \
	{                                   \
#name, (unsigned int)(name) \
	}

static const struct request {
	const char *name;
	unsigned int value;
} requests[] = {
	/* clang-format off */
	REQUEST(KVM_GET_API_VERSION), REQUEST(KVM_CREATE_VM),
	REQUEST(KVM_CHECK_EXTENSION), REQUEST(KVM_GET_VCPU_MMAP_SIZE),
	REQUEST(KVM_CREATE_VCPU), REQUEST(KVM_GET_DIRTY_LOG),
	REQUEST(KVM_CLEAR_DIRTY_LOG), REQUEST(KVM_RESET_DIRTY_RINGS),
	REQUEST(KVM_SET_USER_MEMORY_REGION), REQUEST(KVM_ENABLE_CAP),
	REQUEST(KVM_RUN), REQUEST(KVM_GET_REGS), REQUEST(KVM_SET_REGS),
	REQUEST(KVM_GET_SREGS), REQUEST(KVM_SET_SREGS),
	REQUEST(KVM_GET_ONE_REG), REQUEST(KVM_SET_ONE_REG),
	REQUEST(KVM_GET_REG_LIST), REQUEST(KVM_SET_MP_STATE),
	REQUEST(KVM_GET_MP_STATE), REQUEST(KVM_CREATE_DEVICE),
	REQUEST(KVM_SET_DEVICE_ATTR), REQUEST(KVM_GET_DEVICE_ATTR),
	REQUEST(KVM_HAS_DEVICE_ATTR), REQUEST(KVM_GET_STATS_FD),
	FAULT_ARCH_REQUESTS,
	REQUEST(KVM_CREATE_IRQCHIP), REQUEST(KVM_IRQFD),
	REQUEST(KVM_IOEVENTFD), REQUEST(KVM_SET_SIGNAL_MASK),
	REQUEST(UFFDIO_API), REQUEST(UFFDIO_REGISTER), REQUEST(UFFDIO_COPY),
	REQUEST(UFFDIO_WAKE), REQUEST(UFFDIO_ZEROPAGE),
	REQUEST(USERFAULTFD_IOC_NEW), REQUEST(PERF_EVENT_IOC_SET_OUTPUT),
	REQUEST(PERF_EVENT_IOC_SET_FILTER), REQUEST(PERF_EVENT_IOC_ENABLE),
	REQUEST(PERF_EVENT_IOC_DISABLE), REQUEST(PERF_EVENT_IOC_RESET),
	REQUEST(TIOCGWINSZ), { "TCGETS", 0x5401 },
	/* clang-format on */
};

static const struct call *find_nr(int nr)
{
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
		if (calls[i].nr == nr)
			return &calls[i];
	return NULL;
}

static void name_request(char *name, unsigned int value)
{
	for (size_t i = 0; i < ARRAY_SIZE(requests); i++) {
		if (requests[i].value == value) {
			snprintf(name, CALL_NAME_BYTES, "ioctl(%s)",
				 requests[i].name);
			return;
		}
	}
	snprintf(name, CALL_NAME_BYTES, "ioctl(%#x)", value);
}

static bool read_word(pid_t tid, u64 address, u64 *word)
{
	struct iovec to = { word, sizeof(*word) };
	struct iovec from = { (void *)address, sizeof(*word) };

	return process_vm_readv(tid, &to, 1, &from, 1, 0) == sizeof(*word);
}

static const char *clone_kind(pid_t tid, const struct seccomp_data *data)
{
	u64 flags = data->args[0];

	/* struct clone_args begins with them: clone(2) */
	if (data->nr == SYS_clone3 && !read_word(tid, data->args[0], &flags))
		return NULL;
	return flags & CLONE_THREAD ? "thread" : "process";
}

static const char *variant_of(pid_t tid, const struct seccomp_data *data)
{
	switch (data->nr) {
	case SYS_clone:
	case SYS_clone3:
		return clone_kind(tid, data);
	case SYS_mmap:
		return data->args[3] & MAP_ANONYMOUS ? "anonymous" : "file";
	case SYS_futex:
		switch (data->args[1] & FUTEX_CMD_MASK) {
		case FUTEX_WAIT:
		case FUTEX_WAIT_BITSET:
			return "wait";
		default:
			return "wake";
		}
	case SYS_write:
	case SYS_writev:
		if (data->args[0] == STDOUT_FILENO)
			return "stdout";
		return data->args[0] == STDERR_FILENO ? "stderr" : NULL;
	default:
		return NULL;
	}
}

void call_name(char name[CALL_NAME_BYTES], pid_t tid,
	       const struct seccomp_data *data)
{
	const struct call *call = find_nr(data->nr);
	const char *variant = variant_of(tid, data);

	if (data->nr == SYS_ioctl)
		name_request(name, data->args[1]);
	else if (!call)
		snprintf(name, CALL_NAME_BYTES, "number(%d)", data->nr);
	else if (variant)
		snprintf(name, CALL_NAME_BYTES, "%s(%s)", call->name, variant);
	else
		snprintf(name, CALL_NAME_BYTES, "%s", call->name);
}

static bool find_request(const char *name, unsigned int *request)
{
	for (size_t i = 0; i < ARRAY_SIZE(requests); i++) {
		size_t len = strlen(requests[i].name);

		if (strncmp(name, requests[i].name, len) == 0 &&
		    strcmp(name + len, ")") == 0) {
			*request = requests[i].value;
			return true;
		}
	}
	return false;
}

bool call_find(const char *name, int *nr, unsigned int *request)
{
	size_t len = strcspn(name, "(");

	*request = 0;
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++) {
		if (strlen(calls[i].name) != len ||
		    strncmp(calls[i].name, name, len) != 0)
			continue;
		*nr = calls[i].nr;
		return *nr != SYS_ioctl ||
		       find_request(name + len + 1, request);
	}
	return false;
}

static void read_string(char *text, size_t bytes, pid_t tid, u64 address)
{
	struct iovec to = { text, bytes - 1 };
	struct iovec from = { (void *)address, bytes - 1 };
	ssize_t got = -1;

	/* a string may end just before memory that is not there */
	for (; from.iov_len && got < 0; from.iov_len /= 2)
		got = process_vm_readv(tid, &to, 1, &from, 1, 0);
	text[got < 0 ? 0 : got] = '\0';
}

void call_subject(char *text, size_t bytes, pid_t tid,
		  const struct seccomp_data *data)
{
	const struct call *call = find_nr(data->nr);
	char path[64];
	ssize_t len;

	*text = '\0';
	if (!call)
		return;
	if (call->subject == PATH)
		read_string(text, bytes, tid, data->args[call->argument]);
	if (call->subject != FILE_DESCRIPTOR)
		return;
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)tid,
		 (int)data->args[call->argument]);
	len = readlink(path, text, bytes - 1);
	text[len < 0 ? 0 : len] = '\0';
}
