#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# dirty_log_perf_test on this machine: the log against what the guest wrote, in
# lockstep and with vCPUs that run free.
use strict;
use warnings;
use File::Temp qw(tempfile);
use FindBin;
use JSON::PP;
use lib $FindBin::Bin, "$FindBin::Bin/../harness";
use Host;
use Native;
use Test::More;

needs_kvm();
my $mib = full() ? 64 : 8;
my @size = ('-b', "${mib}M", '--runs', full() ? 5 : 2);

# All pages of $vcpus vCPUs, in lockstep.
sub exactly {
	my ($vcpus) = @_;
	my $pages = $mib * 256 * $vcpus;
	my $all = qr/^logged exactly the $pages pages expected$/;

	return ('first round: dirty log' => $all, 'later rounds: dirty log' => $all);
}

for my $options ([], ['-x', 32], ['-g'], ['-e'], ['-s', 'anonymous_thp'],
		 ['-s', 'memfd', '-i', 5]) {
	bench(['dirty_log_perf_test', @size, @$options], exactly(1));
}
bench(['dirty_log_perf_test', @size, '-v', 4], exactly(4));
bench(['dirty_log_perf_test', @size, '-v', 2, '-o']);

# Some pages, in a random order that the host knows: every writes the same
# number, give or take.
bench(['dirty_log_perf_test', @size, '-a', '-w', 30],
	'later rounds: dirty log' => qr/^logged exactly the \d+ pages expected$/);

# Reads that find a split block unmapped may be logged as well, but no others.
bench(['dirty_log_perf_test', @size, '-s', 'anonymous_thp', '-a', '-w', 30],
	'later rounds: dirty log' =>
		qr/^logged (exactly )?the \d+ pages expected(, and \d+ that were read and mapped writable for it)?$/);

# vCPUs that run free.
my $free = qr/^\d+ pages written after the last clear, 0 of them not logged$/;
bench(['dirty_log_perf_test', @size, '-v', 4, '-j', '-k', '4M', '-l', 1, '-i', 10],
	'later rounds: dirty log' => $free);
bench(['dirty_log_perf_test', @size, '-v', 2, '-j', '-a', '-w', 50, '-x', 7, '-k', '1M'],
	'later rounds: dirty log' => $free);

# Rings, one of which is full several times a pass.
bench(['dirty_log_perf_test', @size, '-v', 2, '-M', 'ring', '--ring-entries', 1024], exactly(2),
	'clear_log: log is empty' => qr/^\d+ ring entries harvested, 0 of them not reset$/,
	'log_off: logging is off' => qr/^0 ring entries for a pass of writes$/);
bench(['dirty_log_perf_test', @size, '-v', 3, '-M', 'ring', '-j', '-a', '-i', 5],
	'later rounds: dirty log' => $free);
bench(['dirty_log_perf_test', @size, '-v', 2, '-j', '-k', '256K', '--clearers', 3, '--stalls', 1],
	'later rounds: dirty log' => $free);

# Metrics of all points whose results tell of locks, and all that one can wait in.
sub with_locks {
	my ($file) = @_;
	my $json = eval { decode_json(scalar `cat $file`) } // {};
	my @metrics = grep { $_->{name} !~ /_p99/ } map { @{ $_->{metrics} } } @{ $json->{points} };

	return (scalar(grep { $_->{locks} } @metrics), scalar(@metrics));
}

# Waits for locks: vCPUs that fault at the same time meet at KVM's MMU lock.
my $bin = program('dirty_log_perf_test');
my @lock_wait = ('-b', '8M', '--runs', 2, '-v', 4, '-o', '-i', 4, '--lock-wait');
my (undef, $results) = tempfile(UNLINK => 1);
SKIP: {
	my $text = `$bin @lock_wait -J $results`;

	skip('--lock-wait: not root, or Linux before 5.19', 6) if $? >> 8 == 4;
	is($?, 0, 'with --lock-wait') or diag($text);
	like($text, qr/^# lock wait +side +lock +in all +longest +waits$/m, 'a table of waits');
	my ($told, $all) = with_locks($results);
	ok($told && $told == $all, "each of $all metrics has its waits: $told");
	SKIP: {
		skip('vCPUs that fault share the lock, or there is one CPU', 1)
			if !faults_exclude_each_other() || `nproc` < 2;
		my $wait = qr/^# (?:populate|first_dirty|dirty) +vcpus +rwlock_write +\d.* +\d.* +\d/m;

		# on a busy machine they may run one after the other
		for (1 .. 20) {
			last if $text =~ $wait;
			$text = `$bin @lock_wait`;
		}
		like($text, $wait, 'vCPUs wait for a rwlock while they fault');
	}
	$text = `setpriv --bounding-set=-perfmon,-sys_admin $bin @lock_wait 2>&1`;
	like($text, qr/SKIP --lock-wait: perf_event_open\(\) refuses the tracepoint: run as root/,
		'without the capability: skipped, with the remedy');
	$text = `ulimit -n 150; setpriv --bounding-set=-sys_resource $bin -b 64K -v 30 --runs 1 --lock-wait 2>&1`;
	like($text, qr/SKIP --vcpus 30: \d+ open files needed, the limit is 150: /,
		'with too few open files: skipped before anything is measured');
}

# All side by side, and each fault is seen in each.
my $side_by_side = `$bin -b 2M --runs 2 -v 2 -M all`;
is($?, 0, 'all ways of tracking');
my ($names) = $side_by_side =~ /^# log_mode +(get-log +\S.*?) *$/m;
my @modes = split(' ', $names // '');
cmp_ok(scalar(@modes), '>', 1, 'side by side');
like($side_by_side, qr/^# stall +\d.* x\d+\.\d\d/m, 'with their ratios');
like($side_by_side, qr/^# tail +p50 +p90 +p99 +p99.9 +max/m, 'with tails');
my @missing = $side_by_side =~ /^# without log_mode=(\S+): \S/mg;
is(scalar(@modes) + @missing, 4, 'what is missing is named');
for my $fault (['lost-page'], ['lost-page', '-j'], ['extra-page'], ['uncleared-page']) {
	my ($inject, @free) = @$fault;
	my $text = `$bin -b 2M --runs 1 -v 2 -M all --inject $inject @free`;
	my @caught = $text =~ /^not ok \d+ - .*log_mode=(\S+) (?:later|clear)/mg;

	is($? >> 8, 1, "$inject @free: exit 1");
	is(join(' ', @caught), join(' ', grep { $_ ne 'get-log' || $inject ne 'uncleared-page' } @modes),
		"$inject @free: seen in every mode");
}
# Rounds that follow each other at once do not sleep a millisecond each: of several runs
# some other work on the machine leaves one alone.
{
	my $rounds = 200;
	my ($text) = Native::run(qw(dirty_log_perf_test -b 1M -v 1 -j -w 0 -M get-log --runs 9
		--warmup 0 --quiet --json - -i), $rounds);
	my %samples = map { ($_->{name} => $_->{samples}) }
		@{ decode_json($text)->{points}[0]{metrics} };
	my @ms = sort { $a <=> $b } map {
		1e3 * ($samples{reads}[$_] + $samples{writes}[$_]) / $samples{pages_per_s}[$_]
	} 0 .. $#{ $samples{reads} };

	cmp_ok($ms[0], '<', $rounds - 1, "$rounds rounds of $ms[0] ms and more");
}
done_testing();
