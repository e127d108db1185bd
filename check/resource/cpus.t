#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# Few CPUs: one for everything, fewer than --pin names, one that goes away. Slow is
# fine; hanging, or claiming to be where it is not, is not.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../harness";
use Harness;
use Resource;
use Test::More;

host_lacks();
my ($allowed) = read_file('/proc/self/status') =~ /^Cpus_allowed_list:\s*(\S+)/m;
my @cpus = map { /(\d+)-(\d+)/ ? $1 .. $2 : $_ } split /,/, $allowed;
my $first = $cpus[0];
my @one_cpu = (shell => "exec taskset -c $first \"\$@\"");
my $pin = sub { "--pin " . ($_[0] // '') };
my $not_there = qr/-c [\d,]+: a CPU in it is not there, or not for this process/;
# so many threads on one CPU that each waits for all others
my @many = $long ? (-v => 8, -b => '8M') : (-v => 3, -b => '1M');

plan(skip_all => 'no taskset (util-linux)') if system("taskset -c $first true");
benchmarks(
	['one CPU', { @one_cpu }, [], 0],
	['one CPU, more vCPUs', { @one_cpu }, \@many, 0, undef, timeout => 300, all => $long,
		of => [grep { $long || !/^(?:tlb|async)/ } @benches]],
	['one CPU, pinned to it', { @one_cpu }, ['-v', 1, '-c', $first], 0],
	['one CPU, pinned to it thrice', { @one_cpu }, ['-v', 2, '-b', '512K', '-c', "$first,$first,$first"], 0,
		undef, timeout => 120, of => [grep { $long || !/^tlb/ } @benches]],
	['one CPU, pinned to none', { @one_cpu }, ['-v', 1, '-c', '1023'], 2, $not_there],
	['sched_setaffinity forbidden, --pin', { without => ['affinity'] }, ['-v', 1, '-c', $first], 1,
		qr/--pin: CPU $first: sched_setaffinity: Operation not permitted: is it still online/],
	['sched_setaffinity forbidden, --pin with the main thread', { without => ['affinity'] },
		['-v', 1, '-c', "$first,$first"], 1, qr/--pin: CPU $first: sched_setaffinity: Operation not permitted/],
);
SKIP: {
	skip 'needs two CPUs', 1 if @cpus < 2;
	benchmarks(['one CPU, pinned to another', { @one_cpu }, ['-v', 1, '-c', $cpus[1]], 2, $not_there],
		   ['one CPU of two that are named', { @one_cpu }, ['-v', 2, '-b', '512K', '-c', "$first,$cpus[1]"], 2,
			$not_there]);
	my $set = "/sys/fs/cgroup/cpuset/kvmeter-$$";
	skip 'no control groups of version 1 with CPUs', 1 unless -d '/sys/fs/cgroup/cpuset' && mkdir $set;
	END { rmdir $set if $set }
	write_file("$set/cpuset.mems", read_file('/sys/fs/cgroup/cpuset/cpuset.mems'));
	write_file("$set/cpuset.cpus", $first);
	benchmarks(['a set of one CPU', { group => $set }, [], 0],
		   ['a set of one CPU, pinned to another', { group => $set }, ['-v', 1, '-c', $cpus[1]], 2, $not_there]);

	# as if the CPU had gone offline between the options and the threads
	write_file("$set/cpuset.cpus", "$first,$cpus[1]");
	my $moved = 0;
	my $r = run([surround({ group => $set }, placed('tests/page_table_test'), '-v', 1, '-c', $cpus[1],
		qw(-b 256K -R 100000 -q -J), results())], timeout => 30, meanwhile => sub {
			my @threads = leftovers("/proc/$_[0]/task");

			# options have been read, and runs have begun
			return if @threads < 2;
			write_file("$set/cpuset.cpus", $first);
			return ++$moved;
		});
	my @wrong = faults_of($r, code => 1, json => 1,
		says => qr/--pin: CPU $cpus[1]: sched_setaffinity: Invalid argument: is it still online/);
	ok(!@wrong, 'a CPU that goes away in mid-run: exit 1') or diag(join "\n", @wrong, $r->{out}, $r->{err});
	ok(rmdir $set, 'the group is empty') and undef $set;
}

# ---- a quota: threads that are stopped for most of the time ----

my $quota = (grep { -e "$_/cpu.cfs_quota_us" } '/sys/fs/cgroup/cpu', '/sys/fs/cgroup/cpu,cpuacct')[0];
SKIP: {
	skip 'no control groups of version 1 with quotas', 1 unless $quota && mkdir "$quota/kvmeter-$$";
	$quota .= "/kvmeter-$$";
	END { rmdir $quota if $quota }
	write_file("$quota/cpu.cfs_quota_us", 10000);
	benchmarks(['a tenth of a CPU', { group => $quota }, ['-v', 2, '-b', '512K'], 0, undef, timeout => 300,
		of => $long ? \@benches : [qw(page_table_test)]]);
	ok(rmdir $quota, 'the group is empty') and undef $quota;
}
report_tried();
done_testing();
