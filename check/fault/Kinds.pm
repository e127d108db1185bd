# SPDX-License-Identifier: GPL-2.0-only
#
# The kinds of system calls: with which errnos each is made to fail, by which
# words a message has to name it, and where it may fail without one.
package Kinds;
use strict;
use warnings;
use Exporter 'import';

our @EXPORT_OK = qw(kind_of);

# Those that manual pages and Documentation/virt/kvm/api.rst have for each, and
# EINTR, EAGAIN, EIO and EPERM where a security module, a network file system, a
# signal or a full table can give them.
my %errnos = (
	(map { $_ => [qw(ENOENT EACCES EMFILE ENFILE ENOMEM EIO)] } qw(openat)),
	(map { $_ => [qw(ENOENT EACCES EIO ENOMEM)] }
		qw(newfstatat stat lstat access faccessat faccessat2 readlink readlinkat statfs chdir)),
	(map { $_ => [qw(EIO ENOMEM)] } qw(fstat fstatfs lseek getcwd)),
	(map { $_ => [qw(EIO ENOMEM ENOENT)] } qw(getdents64)),
	(map { $_ => [qw(EINTR EIO EAGAIN)] } qw(read readv pread64)),
	(map { $_ => [qw(ENOSPC EIO EINTR EDQUOT EFBIG EPIPE)] } 'write', 'write(stdout)',
		'write(stderr)', qw(writev pwrite64)),
	(map { $_ => [qw(ENOSPC EIO EINTR EDQUOT)] } qw(fsync fdatasync)),
	(map { $_ => [qw(ENOSPC EFBIG EINTR EIO EPERM)] } qw(ftruncate fallocate)),
	(map { $_ => [qw(EIO ENOSPC EINTR)] } qw(close)),
	(map { $_ => [qw(EACCES ENOSPC EIO EROFS)] } qw(rename renameat renameat2 linkat mkdir mkdirat)),
	(map { $_ => [qw(EACCES EIO EBUSY EROFS)] } qw(unlink unlinkat rmdir)),
	(map { $_ => [qw(ENOMEM EAGAIN EPERM EACCES)] } 'mmap(anonymous)', 'mmap(file)'),
	(map { $_ => [qw(ENOMEM)] } qw(munmap mremap brk)),
	(map { $_ => [qw(ENOMEM EACCES)] } qw(mprotect)),
	madvise => [qw(ENOMEM EAGAIN EINTR EINVAL EIO EFAULT)],
	mbind => [qw(ENOMEM EPERM ENOSYS)],
	get_mempolicy => [qw(EPERM ENOSYS)],
	(map { $_ => [qw(ENOMEM EPERM EAGAIN)] } qw(mlock mlock2 munlock mincore)),
	(map { $_ => [qw(EMFILE ENFILE ENOMEM)] } qw(eventfd2 pipe2 dup dup3 socketpair)),
	memfd_create => [qw(EMFILE ENFILE ENOMEM ENOSYS)],
	dup2 => [qw(EINTR EBUSY)],
	fcntl => [qw(EINTR EACCES ENOLCK)],
	flock => [qw(EINTR ENOLCK EWOULDBLOCK)],
	userfaultfd => [qw(EMFILE ENOMEM EPERM ENOSYS)],
	perf_event_open => [qw(EMFILE EACCES EPERM ENOSYS ENOENT ENOMEM EBUSY)],
	(map { $_ => [qw(EAGAIN ENOMEM EPERM)] } 'clone3(thread)', 'clone(thread)'),
	(map { $_ => [qw(EAGAIN ENOMEM)] } 'clone3(process)', 'clone(process)', qw(fork vfork)),
	execve => [qw(ENOENT EACCES ENOMEM E2BIG EIO ENOEXEC)],
	(map { $_ => [qw(EINTR)] } 'futex(wait)', qw(ppoll poll nanosleep clock_nanosleep
		wait4 waitid rt_sigtimedwait)),
	kill => [qw(EPERM ESRCH)],
	(map { $_ => [qw(EAGAIN ESRCH)] } qw(tgkill tkill)),
	(map { $_ => [qw(EPERM EACCES)] } qw(setpgid setsid)),
	(map { $_ => [qw(EINTR ENOMEM)] } qw(sendto recvfrom)),
	prctl => [qw(EINVAL EPERM)],
	prlimit64 => [qw(EPERM EINVAL)],
	(map { $_ => [qw(EINVAL EPERM)] } qw(sched_setaffinity sched_setscheduler setpriority)),
	(map { $_ => [qw(EINVAL ENOMEM)] } qw(sched_getaffinity getpriority)),
	(map { $_ => [qw(ENOSYS EPERM)] } qw(clock_gettime clock_getres getrandom)),
	(map { $_ => [qw(EAGAIN ENOMEM EINVAL)] } qw(timer_create timer_settime)),
	rt_sigaction => [qw(EINVAL)],
	sigaltstack => [qw(ENOMEM)],
	uname => [qw(EFAULT)],
	sysinfo => [qw(EFAULT)],
	getrusage => [qw(EINVAL)],
);

# All KVM ioctls, but for those that have a row of their own.
my @of_kvm = qw(ENOMEM EINTR EIO EBUSY EINVAL EPERM EFAULT);
my %of_request = (
	KVM_RUN => [qw(EINTR EAGAIN ENOMEM EFAULT EIO EINVAL EPERM)],
	KVM_CREATE_VM => [qw(ENOMEM EINTR EBUSY EINVAL EMFILE ENFILE EPERM EIO)],
	KVM_CREATE_VCPU => [qw(ENOMEM EINTR EEXIST EINVAL EMFILE EBUSY EIO)],
	KVM_GET_STATS_FD => [qw(EMFILE ENFILE ENOMEM ENOTTY EIO EINTR)],
	KVM_CHECK_EXTENSION => [qw(EINTR EPERM EIO)],
	UFFDIO_API => [qw(EINVAL EPERM EINTR)],
	UFFDIO_REGISTER => [qw(EINVAL ENOMEM EBUSY EPERM)],
	UFFDIO_COPY => [qw(EAGAIN EEXIST ENOMEM ENOENT ENOSPC EFAULT)],
	UFFDIO_WAKE => [qw(EINVAL EAGAIN)],
	USERFAULTFD_IOC_NEW => [qw(EMFILE ENOMEM EPERM)],
	(map { $_ => [qw(EINVAL ENOMEM EACCES EPERM)] }
		qw(PERF_EVENT_IOC_SET_OUTPUT PERF_EVENT_IOC_SET_FILTER)),
	(map { $_ => [qw(EIO)] } qw(PERF_EVENT_IOC_DISABLE PERF_EVENT_IOC_ENABLE
		PERF_EVENT_IOC_RESET)),
	(map { $_ => [qw(ENOTTY EIO)] } qw(TCGETS TIOCGWINSZ)),
);

# Not made to fail, and why.
my %never = (
	(map { $_ => 'cannot fail' } qw(getpid getppid gettid getuid geteuid getgid getegid
		getpgrp getpgid umask sched_yield set_tid_address exit exit_group getcpu
		gettimeofday time restart_syscall rt_sigreturn)),
	(map { $_ => "libc's own, tried by libc at its start" } qw(set_robust_list rseq
		arch_prctl membarrier)),
	rt_sigprocmask => 'only fails for arguments that are constants here',
	'futex(wake)' => 'only fails for addresses that are no memory',
);

# kind_of(NAME): { errnos => [], never => why }, or nothing for a new kind.
sub kind_of {
	my ($name) = @_;

	return { errnos => [], never => $never{$name} } if $never{$name};
	return { errnos => $errnos{$name} } if $errnos{$name};
	my ($request) = $name =~ /^ioctl\((\w+)\)$/ or return;
	return { errnos => $of_request{$request} } if $of_request{$request};
	return { errnos => \@of_kvm } if $request =~ /^KVM_/;
	return;
}

1;
