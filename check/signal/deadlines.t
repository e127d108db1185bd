#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# What does not come to an end by itself, and a time of day that jumps by hours:
# the verdict names what was waited for, or is that of a run in a quiet world.
# wrong_world.c says how that is done; check/harness/guest_faults.t has the guests
# that spin, halt and exit for ever, and check/source/waits.t all waits there are.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../harness";
use Cwd qw(abs_path);
use Harness;
use POSIX qw(uname);
use Test::More;
use Time::HiRes qw(time);

host_lacks();
my $out = abs_path($ENV{KVMETER_OUT} // 'build/' . (uname())[4]);
my $world = "$out/check/signal/wrong_world.so";
my $results = scratch('r.json');

plan skip_all => "$world is not built: static and sanitized programs preload nothing"
	unless -e $world;

sub in_world {
	my ($wrong, $cmd, %opt) = @_;

	return run($cmd, %opt, env => { %{ $opt{env} // {} }, LD_PRELOAD => $world, WRONG => $wrong });
}

sub verdict { return (read_json($results) // {})->{verdict} // 'none' }

# ---- what does not return ----

# A vCPU is kicked for five seconds after its two of silence.
my $page_table_test = binary('tests/page_table_test');
run_ok('a vCPU that no kick gets out of KVM_RUN: exit 1, and told',
	in_world('deaf', [$page_table_test, qw(-b 64K -v 2 --timeout 2 -J), $results]),
	code => 1, at_least => 2, within => 12,
	out => [ qr/^Bail out! vCPU \d has made no progress for 2 s and does not come out of KVM_RUN/m ]);
is(verdict(), 'fail', '... verdict');
run_ok('... and with one that is only asked to pass',
	in_world('nothing', [$page_table_test, qw(-b 64K -v 2 --timeout 2 -J), $results]));
is(verdict(), 'pass', '... verdict');
if ($ENV{KVMETER_LONG}) {
	run_ok('a call of KVM that does not return: exit 1, and told',
		in_world('kernel', [$page_table_test, qw(-b 64K)], timeout => 200),
		code => 1, at_least => 100, within => 150,
		out => [ qr/^Bail out! the main thread has stood still for 120 s, in system call \d+/m ]);
}

# ---- a clock that jumps ----

# A sample that somebody has measured by the time of day.
sub hours {
	my ($text) = @_;

	return grep { $_ > 1800 * 1e9 } $text =~ /\b(\d{13,18})\b/g;
}

my $seen = in_world('clock', [$^X, '-e', 'print abs(time - time), "\n"'])->{out};
cmp_ok($seen, '>=', 7199, 'the time of day jumps');
cmp_ok(scalar(hours('"samples": [1000, 7200000001000]')), '==', 1, 'a sample of hours is noticed');

for my $words ([qw(page_table_test -b 1M -R 3)], [qw(dirty_log_perf_test -b 1M -R 2)],
	       [qw(dirty_log_test -b 64K)], [qw(memslot_zap_test -b 256K -R 2 --op toggle)],
	       [qw(tlb_stress_test --processes 2 -R 2 --warmup 0)],
	       [qw(async_pf_test -b 64K -R 1 --warmup 0)]) {
	my ($name, @options) = @$words;

	unlink($results);
	run_ok("$name, with a clock that jumps: passes as ever",
		in_world('clock', [binary("tests/$name"), @options, '-J', $results]), within => 20);
	is(verdict(), 'pass', '... verdict');
	is(join(' ', hours(read_file($results) // '')), '', '... no sample of hours');
}

my $tool = "$out/tools/kvmeter/kvmeter";
SKIP: {
	skip "$tool is not built", 3 unless -x $tool;
	my $dir = scratch('tool');
	my %world = (env => { KVMETER_TESTS => "$out/tests" }, tap => 0);

	mkdir($dir);
	write_file("$dir/a.suite", "one timeout=20: page_table_test -b 64K -R 2\n");
	for my $more ([], ['--resume']) {
		my $r = in_world('clock', [$tool, 'run', "$dir/a.suite", '-o', "$dir/out", @$more], %world);

		run_ok("kvmeter run @$more, with a clock that jumps", $r, within => 20, tap => 0,
			out => [ qr/^# one +pass/m ]);
		is($r->{out} =~ /earlier \(--resume\)/ ? 1 : 0, scalar @$more, '... measured once');
	}
	my $r = in_world('clock', [$tool, qw(ab page_table_test --same -n 2 --time-limit 20 -- -b 64K)], %world);
	run_ok('kvmeter ab, with a clock that jumps', $r, within => 20, tap => 0, out => [ qr/^create /m ]);
}

# Another world's monotonic clock began long ago.
SKIP: {
	my @unshare = ('unshare', '-T', '--monotonic', '100000000', '--boottime', '100000000');

	skip "no time namespace: @unshare", 1 if $> || system("@unshare true 2>/dev/null");
	run_ok('a time namespace that is years ahead',
		run([@unshare, $page_table_test, qw(-b 64K -R 2)]), within => 20);
}
done_testing();
