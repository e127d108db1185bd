#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# Options at their limits do what they say: addresses, slots, backing sources,
# files, pinning, sweeps, resource limits.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Harness;
use Host;
use Test::More;
use Time::HiRes qw(sleep);

host_lacks();
my $page_table_test = binary('tests/page_table_test');
my $dirty_log_perf_test = binary('tests/dirty_log_perf_test');
my $async_pf_test = binary('tests/async_pf_test');
my $fault_test = binary('check/harness/fault_test');
my $dir = scratch('limits');
my $results = scratch('limits.json');
mkdir $dir;

sub works
{
	my ($args, %want) = @_;
	my ($program, @options) = ref $args->[0] ? ($args->[0][0], @$args[1 .. $#$args])
						 : ($page_table_test, @$args);

	run_ok("@options", run([$program, qw(-R 1 --warmup 0), @options, '-J', $results]), %want);
	return read_json($results) // {};
}

# ---- good input, as people write it ----

my @good = (
	[['-b', '4K'], [4096]], [['-b', '0x1000'], [4096]], [['-b', '4096'], [4096]],
	[['-b', '4k'], [4096]], [['-b', '4KiB'], [4096]], [['-b4K,1M,8K'], [4096, 1 << 20, 8192]],
	[['--bytes=64K'], [65536]],
);
for my $row (@good) {
	my $json = works($row->[0], out => [ qr/^1\.\.@{[ 5 * @{ $row->[1] } ]}$/m ]);
	is(join(' ', map { $_->{config}{bytes} } @{ $json->{points} }), "@{ $row->[1] }",
		"@{ $row->[0] }: points");
}
for my $row ([['-v1-3', '-b64K'], '1 2 3'], [['--vcpus', '4,1', '-b', '64K'], '4 1'],
	     [['-v', '0x2', '-b', '64K'], '2'], [['-v', '1-2,5', '-b', '64K'], '1 2 5'],
	     [['-v', '32', '-b', '1M', '--access', 'split'], '32']) {
	my $json = works($row->[0]);
	is(join(' ', map { $_->{config}{vcpus} } @{ $json->{points} }), $row->[1],
		"@{ $row->[0] }: points");
}
my $json = works(['-v', '1,2', '-b', '4K,8K', '-i', 3, '-R', 2], out => [ qr/^1\.\.20$/m ]);
is(join(' ', map { "$_->{config}{vcpus}x$_->{config}{bytes}" } @{ $json->{points} }),
	'1x4096 1x8192 2x4096 2x8192', 'a sweep of both: points');
is(join(' ', map { scalar @{ $_->{metrics}[1]{samples} } } @{ $json->{points} }), '6 6 6 6',
	'-i 3 -R 2: samples');

# ---- addresses and slots ----

my $beyond = run([$page_table_test, '-p', '0xffffffffff000', '-b', '8K']);
run_ok('-p beyond the guest: exit 2', $beyond, code => 2, tap => 0, silent => 1,
	err => [ qr/--gpa 0xffffffffff000: .*the (\d+) physical address bits/ ]);
# from 36 bits to 52, by what the CPU has; the end itself may be the CPU's own
my ($bits) = $beyond->{err} =~ /the (\d+) physical/;
works(['-p', $_, '-b', '4M']) for '0', '8G', '0x800000000', sprintf('%#x', 1 << ($bits // 36) - 1);
works(['-x', $_, '-b', '4M']) for 2, 7, 32, 1000, 1024;
works([[$dirty_log_perf_test], '-x', 32, '-b', '4M', '-v', 2]);

SKIP: {
	my $enabled = read_file('/sys/kernel/mm/transparent_hugepage/enabled') // '[never]';

	skip 'transparent huge pages are off', 5 if $enabled =~ /\[never\]/;
	my @thp = ('-s', 'anonymous_thp', '-b', '8M');
	my $updated = splits_when_logged() ? qr/^ok 2 .*kept 2048 x 4K$/m
					   : qr/^ok 2 .*split 4 x 2M to 2048 x 4K$/m;
	works(['-x', 32, '-b', '64M', '-s', 'anonymous_thp'], out => [ qr/created 32 x 2M$/m ]);
	works([@thp], out => [ qr/^ok 1 .*created 4 x 2M$/m, $updated ]);
	works([@thp, '-u'], out => [ qr/^ok 1 .*created 2048 x 4K$/m ]);
	works([@thp, '--guest-page', '4K'], out => [ qr/^ok 1 .*created /m ]);
	works([@thp, '--inject', 'wrong-count'], code => 1, out => [ qr/^not ok 1 - .*expected/m ]);
}
works(['-b', '64K', '--inject', 'wrong-count'], code => 1, out => [ qr/^not ok 1 - .*expected/m ]);
works(['-b', '64K', '--inject', 'lost-page'], code => 1,
	out => [ qr/^not ok 3 - .*of 16 pages expected 1 are missing/m ]);
works([[$dirty_log_perf_test], '-b', '64K', '-w', 50, '--inject', $_], code => 1,
	out => [ qr/^not ok /m ]) for qw(lost-page extra-page uncleared-page);
works([[$dirty_log_perf_test], '-b', '64K', '--inject', 'extra-page'], code => 1,
	out => [ qr/^not ok .*no page is fit for it/m ]);
works([[$async_pf_test], '-b', '64K', '--inject', $_->[0]], code => 1, out => [ $_->[1] ]) for
	['lost-token', qr/^not ok 4 - .* 16 not-present, 15 ready; 1 of /m],
	['wrong-blocks', qr/^not ok 3 - /m],
	['wrong-content', qr/^not ok 2 - .* 1 of 16 pages wrong in the end/m];
works(['--no-prefault', '-b', '4M']);

# ---- backing sources: each that this host has ----

my $list = run([$page_table_test, '-s', 'help']);
is($list->{code}, 0, '-s help: exit 0');
my @backings = $list->{out} =~ /^  (\w+)\s+\S+ pages$/mg;
cmp_ok(scalar @backings, '>=', 3, "-s help: @backings");
for (grep { !/hugetlb/ } @backings) {
	works(['-s', $_, '-b', '4M']);
	works([[$dirty_log_perf_test], '-s', $_, '-b', '4M']);
}
is(run([$page_table_test, '-m', 'help'])->{code}, 0, '-m help: exit 0');

# ---- quirks: all that this KVM has, each that it has not ----

my $quirks = run([$page_table_test, '--disable-quirks', 'help']);
is($quirks->{code}, 0, '--disable-quirks help: exit 0');
my @can = $quirks->{out} =~ /^([\w-]+) +can be disabled$/mg;
my @cannot = $quirks->{out} =~ /^([\w-]+) +this KVM cannot do without$/mg;
if (@can) {
	works(['--disable-quirks', join(',', @can), '-b', '4M']);
	run_ok('--disable-quirks: a name that is none',
		run([$page_table_test, '--disable-quirks', "$can[0],none"]),
		code => 2, tap => 0, err => [ qr/ --disable-quirks \S+,none: no such quirk: / ]);
} else {
	push @cannot, 'any-name';
}
run_ok("--disable-quirks $_: a skip", run([$page_table_test, '--disable-quirks', $_]),
	code => 4, out => [ qr/^ok 1 .* # SKIP --disable-quirks \Q$_\E: /m ]) for @cannot;

# ---- files ----

sub maps_file
{
	my ($pid, $file) = @_;

	return (read_file("/proc/$pid/maps") // '') =~ / \Q$file\E(?: |$)/m;
}

my @places = ($dir, grep { -w } '/dev/shm', '/var/tmp');
for my $place (@places) {
	my $file = "$place/kvmeter-harness-$$";

	works(['-s', $file, '-b', '4M', '-R', 3]);
	ok(!-e $file, "-s $place/FILE: the file is not left behind");
	run([$fault_test, '--fault', 'wild-pointer', '-s', $file]);
	ok(!-e $file, "-s $place/FILE: nor by a test that fails");
	my $killed = run([$fault_test, '--fault', 'host-hang', '-s', $file], meanwhile => sub {
		maps_file($_[0], $file) && kill 'KILL', $_[0];
	});
	ok($killed->{signal} == 9 && !$killed->{hung} && !-e $file,
		"-s $place/FILE: nor by one that is killed");
	unlink $file;
}
write_file("$dir/full", "precious\n");
for my $name (qw(full empty)) {
	write_file("$dir/empty", '') if $name eq 'empty';
	run_ok("a file that exists is refused: $name",
		run([$page_table_test, '-s', "$dir/$name", '-b', '4K']),
		code => 2, tap => 0, silent => 1, err => [ qr{-s .*/$name.*exists} ]);
}
is(read_file("$dir/full"), "precious\n", 'and not touched');
is(-s "$dir/empty", 0, 'nor grown');
is(join(' ', leftovers($dir)), 'empty full', 'no other file is there');

# ---- pinning ----

# Threads of a process: CPUs that each may use, the main thread first. KVM adds
# a worker with a name of its own.
sub affinities
{
	my ($pid) = @_;
	my $name = read_file("/proc/$pid/comm");

	return map {
		(read_file("/proc/$pid/task/$_/status") // '') =~ /^Cpus_allowed_list:\s*(\S+)/m
			? $1 : '?'
	} grep {
		(read_file("/proc/$pid/task/$_/comm") // '') eq $name
	} sort { $a <=> $b } leftovers("/proc/$pid/task");
}

my ($allowed) = read_file('/proc/self/status') =~ /^Cpus_allowed_list:\s*(\S+)/m;
my @cpus = map { /(\d+)-(\d+)/ ? $1 .. $2 : $_ } split /,/, $allowed;
SKIP: {
	skip 'needs two CPUs', 4 if @cpus < 2;
	my ($p, $q) = @cpus;

	# CPUs of the main thread, then of the vCPUs
	for my $row (['none', 2, undef, "$allowed $allowed $allowed"],
		     ['vCPUs', 2, "$q,$p", "$allowed $q $p"],
		     ['vCPUs and main', 1, "$q,$p", "$p $q"],
		     ['all on one', 3, "$p,$p,$p,$p", "$p $p $p $p"]) {
		my ($what, $vcpus, $pin, $want) = @$row;
		my $seen;
		# threads come one by one, and each pins itself
		my $r = run([$fault_test, '--fault', 'slow', '--seconds', 1, '-v', $vcpus,
			defined $pin ? ('-c', $pin) : ()],
			meanwhile => sub {
				my $now = join ' ', affinities($_[0]);

				$seen = $now if $now;
				return $now eq $want;
			});
		run_ok("--pin, $what", $r);
		is($seen, $want, "--pin, $what: CPUs of main thread and vCPUs");
	}
	for my $vcpus (1, 2) {
		works(['-v', $vcpus, '-c', "$p,$q", '-b', '1M', '-R', 3]);
	}
	works(['-v', '1,2', '-c', "$p,$q", '-b', '1M', '-R', 3]);
}

# ---- limits of the process ----

sub limited
{
	my ($limit, @options) = @_;

	return run(['/bin/sh', '-c', "$limit && exec \"\$@\"", 'sh', $page_table_test,
		qw(-R 1 --warmup 0), @options]);
}

run_ok('soft limit of 64 files, 100 vCPUs: raised', limited('ulimit -S -n 64', qw(-v 100 -b 4M)));
SKIP: {
	my @drop = qw(setpriv --bounding-set -sys_resource --inh-caps -sys_resource);

	skip 'setpriv (util-linux) cannot drop CAP_SYS_RESOURCE', 1
		if system("@drop true 2>/dev/null");
	my $r = run([@drop, '/bin/sh', '-c', 'ulimit -n 64 && exec "$@"', 'sh', $page_table_test,
		qw(-v 100 -b 4M)]);
	run_ok('hard limit of 64 files, 100 vCPUs: exit 4 with the remedy', $r, code => 4,
		err => [ qr/--vcpus 100: \d+ open files needed, the limit is 64: .*--nofile=\d+/ ]);
}
for my $mib (100, 1000, 20000) {
	my $r = limited("ulimit -v " . 1024 * $mib, '-b', '64M');
	run_ok("address space of $mib MiB: says so, or works", $r, code => $r->{code} ? 4 : 0,
		tap => 0, err => [ $r->{code} ? qr/memory|address space/ : qr// ]);
}

done_testing();
