#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# Limits of the process, of its user and of its control group (prlimit(1), pids):
# enough is enough, and what is too little is named with the command that helps.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../harness";
use Harness;
use Resource;
use Test::More;

host_lacks();
my @one = (of => ['page_table_test']);
my @user = (user => 1, mount => kvm_node(666));
my $no_uffd = [4, qr/userfaultfd: no permission/];
$no_uffd = undef if (read_file('/proc/sys/vm/unprivileged_userfaultfd') // 0) == 1;
my @as_user = (but => { async_pf_test => $no_uffd });

sub bytes
{
	my ($number, $unit) = $_[0] =~ /^(\d+)([KMG]?)$/;

	return $number << { '' => 0, K => 10, M => 20, G => 30 }->{$unit};
}

# ---- open files ----

my $files = qr/--vcpus \d+: (\d+) open files needed, the limit is (?:\d+): as root: prlimit --pid \$\$ --nofile=\d+, or choose fewer/;
my $raised = sub { ({ limit => ["--nofile=$_[0]:$_[0]"] }) };
benchmarks(
	['64 files', { limit => ['--nofile=64:64'] }, [], 0],
	['8 files', { limit => ['--nofile=8:8'] }, [], 4, $files, cure => $raised],
	['64 files, 30 vCPUs', { limit => ['--nofile=64:64'] }, [qw(-v 30 -b 2M)], 4, $files, @one,
		cure => $raised],
	['8 files, all that takes some', { limit => ['--nofile=8:8'] },
		['-v', 4, '--lock-wait', '-b', '2M', '-s', scratch('memory')], 4, $files, @one,
		cure => $raised],
	['64 files, 40 threads that clear', { limit => ['--nofile=64:64'] },
		['--clearers', 40, '-b', '2M'], 4,
		qr/--vcpus 1 and 39 more host threads: (\d+) open files needed, the limit is 64: /,
		of => ['dirty_log_perf_test'], cure => $raised],
	['64 files, 20 threads that clear and wait for locks', { limit => ['--nofile=64:64'] },
		['--clearers', 20, '--lock-wait', '-b', '2M'], 4,
		qr/--vcpus 1 and 19 more host threads: (\d+) open files needed, the limit is 64: /,
		of => ['dirty_log_perf_test'], cure => $raised],
	['8 files at first', { limit => ['--nofile=8:64'] }, [], 0],
	['64 files, 50 of them open', { limit => ['--nofile=64:64'],
		shell => 'for i in {10..59}; do eval "exec $i</dev/null"; done; exec "$@"' }, [], 4,
		qr/(\d+) open files needed, the limit is 64/, cure => sub { ({ limit => ["--nofile=$_[0]:$_[0]"],
			shell => 'for i in {10..59}; do eval "exec $i</dev/null"; done; exec "$@"' }) }, @one],
);

# ---- memory ----

my @gig = ('1073741824', '1G');
benchmarks(
	['1G of address space', { limit => ["--as=$gig[0]:$gig[0]"] }, [], 4,
		qr/(\d+[MG]) of address space needed, the limit is 1G: as root: prlimit --pid \$\$ --as=unlimited/,
		cure => sub { my $b = bytes($_[0]); ({ limit => ["--as=$b:$b"] }) }],
	['that much, 8 vCPUs, 3 runs', { limit => ["--as=$gig[0]:$gig[0]"] }, [qw(-v 8 -b 64M -R 3)], 4,
		qr/(\d+[MG]) of address space needed/, @one,
		cure => sub { my $b = bytes($_[0]); ({ limit => ["--as=$b:$b"] }) }],
	['1G of address space at first', { limit => ["--as=$gig[0]:"] }, [], 4,
		qr/address space needed, the limit is 1G: (ulimit -v unlimited)/, @one,
		cure => sub { ({ limit => ["--as=$gig[0]:"], shell => "$_[0]; exec \"\$@\"" }) }],
	['2M of private memory', { limit => ['--data=2097152:2097152'] }, [], 4,
		qr/(\d+[KM]) of private memory needed, the limit is 2M: as root: prlimit --pid \$\$ --data=unlimited/,
		cure => sub { my $b = bytes($_[0]); ({ limit => ["--data=$b:$b"] }) }],
	['2M of private memory at first', { limit => ['--data=2097152:'] }, [], 4,
		qr/of private memory needed, the limit is 2M: (ulimit -d unlimited)/, @one,
		cure => sub { ({ limit => ['--data=2097152:'], shell => "$_[0]; exec \"\$@\"" }) }],
	['no locked memory', { limit => ['--memlock=0:0'] }, [], 0],
	['a stack of 64K', { limit => ['--stack=65536:65536'] }, [], 0, undef, all => 1],
	['a stack without a limit', { limit => ['--stack=unlimited'] }, [], 0],
);

# ---- the size of files ----

my @pipes = (pipes => 1);
benchmarks(
	['files of 0 bytes', { @pipes, limit => ['--fsize=0:0'] }, [], 2,
		qr/--json .*: File too large: raise the limit of file sizes: ulimit -f unlimited/],
	['files of 0 bytes, without --json', { @pipes, limit => ['--fsize=0:0'] }, [], 0, undef,
		no_json => 1, but => { tlb_stress_test => [4, qr/--backing memfd: \d+K in a file needed/] }],
	['files of 4K at first', { @pipes, limit => ['--fsize=4096:'] }, [], 1,
		qr/--json .*: File too large: the results are lost: raise the limit of file sizes: (ulimit -f unlimited)/,
		json => 0, but => { tlb_stress_test => [4, qr/in a file needed, the limit is 4K: ulimit -f unlimited/] },
		cure => sub { ({ @pipes, limit => ['--fsize=4096:'], shell => "$_[0]; exec \"\$@\"" }) },
		of => [grep { $_ ne 'tlb_stress_test' } @benches]],
);

# ---- threads, signals and the rest ----

benchmarks(
	['no queued signals, locks, messages', { limit => [qw(--sigpending=0:0 --locks=0:0 --msgqueue=0:0)] },
		[], 0],
	['a second of CPU time', { limit => ['--cpu=1:20'] }, [qw(-R 100000 -b 1M)], 152,
		qr/interrupted by signal 24 \(CPU time limit exceeded\)/, @one],
);
SKIP: {
	skip 'users need root and namespaces', 1 unless is_root();
	my $threads = qr/thread for vCPU 0 of \d+: Resource temporarily unavailable: raise the limit of processes and threads \(ulimit -u, or pids\.max/;

	benchmarks(
		['no locked memory, an ordinary user', { @user, limit => ['--memlock=0:0'] }, [], 0, undef,
			@as_user],
		['one thread of a user', { @user, limit => ['--nproc=1:1'] }, [], 1, $threads, @as_user,
			cure => sub { ({ @user, limit => ['--nproc=64:64'] }) }],
	);
	my $pids = "/sys/fs/cgroup/pids/kvmeter-$$";
	skip 'no control groups of version 1 with pids', 1 unless -d '/sys/fs/cgroup/pids' && mkdir $pids;
	write_file("$pids/pids.max", 1);
	benchmarks(['one thread in a control group', { group => $pids }, [], 1, $threads,
		cure => sub { write_file("$pids/pids.max", 64); ({ group => $pids }) }, @one]);
	ok(rmdir $pids, 'the group is empty');
}

# ---- the tool ----

my $kept = qr/what a program says is to be kept: 1M in a file needed, the limit is 0/;
$ENV{KVMETER_TESTS} = binary('tests/page_table_test') =~ s{/[^/]*\z}{}r;
tool(
	['files of 0 bytes', { @pipes, limit => ['--fsize=0:'] }, ['list'], 2, qr/$kept: (ulimit -f unlimited)/,
		cure => sub { ({ @pipes, limit => ['--fsize=0:'], shell => "$_[0]; exec \"\$@\"" }) }],
	['files of 0 bytes', { @pipes, limit => ['--fsize=0:0'] }, ['run', '-o', scratch('R')], 2, $kept],
	['4 files', { limit => ['--nofile=4:4'] }, ['list'], 1, qr/Too many open files: raise the limit of open files: ulimit -n/],
	['16 files', { limit => ['--nofile=16:16'] }, ['list'], 0],
	['a stack of 64K', { limit => ['--stack=65536:65536'] }, ['list'], 0],
	['a stack of 64K', { limit => ['--stack=65536:65536'] }, ['doctor'], 0],
);
report_tried();
done_testing();
