#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# Benchmarks with 1024 vCPUs and with 32,000 memslots: every check is ok, what
# is printed fits a screen, results and the process itself have a size in
# proportion, and the work of our own does not grow with the square. With
# KVMETER_LONG all benchmarks, and 16 GiB.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../harness";
use Figures;
use Harness;
use Soak qw(is_square long);
use Test::More;

host_lacks();

# Of KVM, and of the host: 0 as its limit means that it does not tell.
use constant { VCPUS => 1024, SLOTS => 32_000, LINES => 45, GIB => 1 << 20 };

my $results = scratch('results.json');

# The peak of a process's memory, seen now and then, in KiB.
sub peak_of
{
	my ($pid, $peak) = @_;
	my ($rss) = (read_file("/proc/$pid/status") // '') =~ /^VmRSS:\s+(\d+)/m;

	$$peak = $rss if defined $rss && $rss > $$peak;
	return;
}

# User time of all children so far; that of guests is in it.
sub user_seconds
{
	return (times)[2];
}

# Pages that the host has moved so far, to make room for huge ones: each takes a
# mapping away from a guest.
sub pages_moved
{
	my ($moved) = (read_file('/proc/vmstat') // '') =~ /^pgmigrate_success (\d+)/m;

	return $moved // 0;
}

# Why a program is not to be judged by its exit code, or nothing: the host has
# moved pages, and no check has failed but those that count mappings.
sub disturbed
{
	my ($r, $moved) = @_;
	my @failed = $r->{out} =~ /^not ok (.*)/mg;

	return unless $r->{code} == 1 && @failed && $moved > 0;
	return if grep { !/ mappings # (?:created|changed|kept) .* expected / } @failed;
	return "the host moved $moved pages meanwhile: $failed[0]";
}

ok(is_square(0.5, 8) && !is_square(0.5, 2), 'a square is noticed');
for ([ 'not ok 1 - create: mappings # created 9 x 4K, expected 10 x 4K', 5, 1 ],
     [ 'not ok 1 - create: mappings # created 9 x 4K, expected 10 x 4K', 0, 0 ],
     [ 'not ok 3 - update: dirty log # of 10 pages expected 1 are missing', 5, 0 ]) {
	my ($line, $moved, $excused) = @$_;

	is(defined disturbed({ code => 1, out => "$line\n" }, $moved) ? 1 : 0, $excused,
		"$line: with $moved pages moved");
}

# at_scale([program, option...], results_kib => k, rss_kib => k, moves => 1)
# "moves": it takes most of the memory, so that the host may have to make room.
sub at_scale
{
	my ($command, %want) = @_;
	my ($program, @options) = @$command;
	my $name = "$program @options";
	my ($before, $peak, $moved) = (user_seconds(), 0, pages_moved());

	unlink $results;
	my $r = run([ binary("tests/$program"), qw(-R 1 --warmup 0), @options, '-J', $results ],
		timeout => long() ? 1800 : 200, meanwhile => sub { peak_of($_[0], \$peak) });
	my $user = user_seconds() - $before;

	SKIP: {
		# fewer vCPUs or slots than that
		skip("$name: $1", 1) if $r->{code} == 4 && $r->{out} =~ /# SKIP (.*)/;
		my $why = $want{moves} ? disturbed($r, pages_moved() - $moved) : undef;

		SKIP: {
			skip("$name: passes: $why", 1) if defined $why;
			run_ok("$name: passes", $r);
		}
		my @lines = split /\n/, $r->{out};
		my $points = @{ (read_json($results) // {})->{points} // [] };

		cmp_ok(scalar @lines, '<=', LINES * ($points || 1), "$name: lines");
		cmp_ok(length((sort { length $b <=> length $a } @lines)[0]), '<=', 300,
			"$name: length of a line");
		cmp_ok((-s $results) / 1024, '<=', $want{results_kib} * ($points || 1),
			"$name: size of results");
		cmp_ok($peak, '<=', $want{rss_kib}, "$name: memory of the process");
		note(sprintf('%s: %.1f s, %.2f s in user mode; %d lines, results %d KiB, '
			. 'RSS %d KiB at most', $name, $r->{seconds}, $user, scalar @lines,
			(-s $results) / 1024, $peak));
	}
	return $r->{code} == 0 ? $user : undef;
}

# A number of ours for each vCPU and sample is what may be large.
my %sizes = (results_kib => 700, rss_kib => 400_000);

sub no_square
{
	my ($what, $few, $all) = @_;

	SKIP: {
		skip("$what: no square of a quarter's: it was skipped", 1)
			if grep { !defined } $few, $all;
		ok(!is_square($few, $all), "$what: no square of a quarter's user time")
			or diag("$few s, $all s");
	}
}

# Program, which number, options; always, or only at length.
my @table = (
	[ 'page_table_test', '-v', VCPUS, [ qw(-b 4M) ], 1 ],
	[ 'dirty_log_perf_test', '-v', VCPUS, [ qw(-b 4K -i 1) ], 0 ],
	[ 'memslot_zap_test', '-v', VCPUS, [ qw(-b 4M --op toggle --passes 1) ], 0 ],
	[ 'dirty_log_perf_test', '-x', SLOTS, [ qw(-b 128M -i 1) ], 1 ],
	[ 'page_table_test', '-x', SLOTS, [ qw(-b 128M) ], 0 ],
	[ 'dirty_log_test', '-x', SLOTS, [ qw(-b 128M -i 2) ], 0 ],
	[ 'memslot_zap_test', '-x', SLOTS, [ qw(-b 128M --op toggle --passes 1) ], 0 ],
	[ 'tlb_stress_test', '-x', SLOTS, [ qw(-b 128M --processes 2) ], 0 ],
);

for (@table) {
	my ($program, $option, $n, $options, $always) = @$_;

	next unless $always || long();
	my $few = at_scale([ $program, $option, $n / 4, @$options ], %sizes);
	my $all = at_scale([ $program, $option, $n, @$options ], %sizes);

	no_square("$program $option $n", $few, $all);
}

# ---- 16 GiB in all ----

my @large = (
	[ qw(page_table_test -v 1024 -b 16G -s anonymous_thp --access split --update sparse --timeout 120) ],
	[ qw(dirty_log_perf_test -v 1024 -b 16M -s anonymous_thp -w 1 -i 1 --timeout 120) ],
);

for (long() ? @large : ()) {
	SKIP: {
		my $available = int(Figures::available() / GIB);

		skip("@$_: needs 18 GiB of memory, $available GiB are available", 1) if $available < 18;
		at_scale($_, results_kib => 700, rss_kib => 18 * GIB, moves => 1);
	}
}

done_testing();
