#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# Every one of these surroundings with every benchmark and every kind of memory, and
# with two vCPUs as well: whatever it is, it ends by an exit code that means something,
# says why, and leaves whole results or none. The exact words are in the checks
# beside this one. In CI each surroundings are tried once, with another benchmark
# and memory each. matrix.t NAME... tries these surroundings alone.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../harness";
use Harness;
use Resource;
use Test::More;

host_lacks();
my ($group, $limit) = memory_group();
END { rmdir $group if $group }
$SIG{$_} = sub { exit 1 } for qw(INT TERM HUP);
write_file("$group/$limit", 24 << 20) if $group;

# name => [surroundings, exit codes that may be]
my %around = (
	'nothing lacks' => [{}, 0],
	'8 files' => [{ limit => ['--nofile=8:8'] }, 4],
	'36 files' => [{ limit => ['--nofile=36:36'] }, 0, 4],
	'address space' => [{ limit => ['--as=1073741824:1073741824'] }, 4],
	'private memory' => [{ limit => ['--data=2097152:2097152'] }, 4],
	'private memory, a little more' => [{ limit => ['--data=6291456:6291456'] }, 0, 4],
	'no locked memory' => [{ limit => ['--memlock=0:0'] }, 0],
	'files of 8K' => [{ limit => ['--fsize=8192:8192'], pipes => 1 }, 0, 1, 4],
	'a stack of 64K' => [{ limit => ['--stack=65536:65536'] }, 0],
	'no THP' => [{ without => ['thp'] }, 0, 4],
	'no userfaultfd' => [{ without => ['userfaultfd'] }, 0, 4],
	'no perf events' => [{ without => ['perf'] }, 0],
	'no mbind' => [{ without => ['mbind'] }, 0],
	'no MADV_POPULATE_WRITE' => [{ without => ['populate'] }, 0],
	'no memfd' => [{ without => ['memfd'] }, 0, 1, 4],
	'no statistics' => [{ without => ['statistics'] }, 0],
	'an old KVM' => [{ without => [map { "cap:$_" } 59, 121, 168, 183, 192, 203, 213, 223] }, 0, 4],
	'an empty environment' => [{ env => ['-i'] }, 0],
	'one CPU' => [{ shell => 'exec taskset -c 0 "$@"' }, 0],
	'all streams closed' => [{ shell => 'exec "$@" <&- >&- 2>&-' }, 1],
	'a full output' => [{ shell => 'exec "$@" >/dev/full' }, 1],
	$group ? ('24M in a control group' => [{ group => $group }, 0, 4]) : (),
	is_root() ? (
		'no /proc' => [{ mount => "umount -l /proc\n" }, 0],
		'no /sys' => [{ mount => "umount -l /sys\n" }, 0, 4],
		'no tracefs' => [{ mount => "umount -l /sys/kernel/debug 2>/dev/null || true
			umount -l /sys/kernel/tracing 2>/dev/null || true\n" }, 0],
		'an ordinary user' => [{ user => 1, mount => kvm_node(666) }, 0, 4],
		'an ordinary user without KVM' => [{ user => 1, mount => kvm_node(600) }, 4],
		'another device' => [{ mount => "mount --bind /dev/null /dev/kvm\n" }, 4],
		'a full /dev/shm' => [{ mount => "mount -t tmpfs -o size=64K none /dev/shm
			head -c 60K /dev/zero >/dev/shm/filled\n" }, 0, 4],
	) : (),
);
my @memory = (['anonymous'], ['anonymous_thp', '-b', '4M'], ['shmem'], ['memfd'],
	['anonymous_hugetlb_2mb', '-b', '4M'], ['/dev/shm/kvmeter-resource-' . $$]);
my (%codes, $turn, $quiet);

sub judge
{
	my ($what, $bench, $memory, $vcpus) = @_;
	my ($in, @may) = @{ $around{$what} };
	my @options = ('-s', @$memory, '-v', $vcpus);
	my $file = results();

	push @may, 4 if $memory->[0] =~ /hugetlb|_thp|shm\// && !grep { $_ == 1 } @may;
	push @may, 2 if $bench eq 'async_pf_test' && $memory->[0] !~ /^anonymous(?:_thp)?$/;
	push @options, '-b', '512K' if $vcpus > 1 && @$memory == 1;
	unlink $file;
	my $r = bench_run($in, $bench, \@options, 90);
	my ($code) = grep { $_ == $r->{code} } @may;
	# without a place for messages or a file as large as that, what is there is whole
	my $silent = $what =~ /closed|full output/;
	my $json = $silent || $what eq 'files of 8K' ? -e $file : $r->{code} != 2;
	my @wrong = faults_of($r, code => $code // $may[0], json => $json, silent => $silent,
		tap => !$silent, $silent || $json && !$r->{code} ? (verdict => (read_json($file) // {})->{verdict} // '') : (),
		says => $r->{code} && !$silent ? qr/^\S+: \S.*: \S/m : undef);

	$codes{ $r->{code} }++;
	ok(!@wrong, "$what: $bench @options: exit $r->{code}")
		or diag(join("\n", @wrong, $r->{command}, substr($r->{out}, 0, 1500), substr($r->{err}, 0, 1500)));
}

my @all = map { my $bench = $_; map { [$bench, $_] } @memory } @benches;
for my $what (@ARGV ? @ARGV : sort keys %around) {
	# steps of 7: coprime with the number of combinations
	my @of = $long ? @all : $all[7 * $turn++ % @all];

	for my $pair (@of) {
		judge($what, @$pair, 1);
		judge($what, @$pair, 2) if $long && $pair->[1][0] eq 'anonymous';
	}
}
is(join(' ', grep { !/^[0124]$/ } keys %codes), '', 'no other exit code');
note("$_: exit code of $codes{$_}") for sort keys %codes;
ok(!-e $memory[-1][0], 'no file of memory is left');
if ($group) {
	my $events = read_file($limit eq 'memory.max' ? "$group/memory.events" : "$group/memory.oom_control");
	like($events, qr/^oom_kill 0$/m, 'the kernel has killed none for memory');
	ok(rmdir $group, 'the group is empty') and undef $group;
}
done_testing();
