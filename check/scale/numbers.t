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
use Soak qw(long);
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

# at_scale([program, option...], name => n, results_kib => k, rss_kib => k)
sub at_scale
{
	my ($command, %want) = @_;
	my ($program, @options) = @$command;
	my $name = "$program @options";
	my ($before, $peak) = (user_seconds(), 0);

	unlink $results;
	my $r = run([ binary("tests/$program"), qw(-R 1 --warmup 0), @options, '-J', $results ],
		timeout => long() ? 1800 : 200, meanwhile => sub { peak_of($_[0], \$peak) });
	my $user = user_seconds() - $before;

	SKIP: {
		# fewer vCPUs or slots than that
		skip("$name: $1", 1) if $r->{code} == 4 && $r->{out} =~ /# SKIP (.*)/;
		run_ok("$name: passes", $r);
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

# Four times as many take four times as long; sixteen would be a square. Less
# than this is noise.
use constant { LEAST_SECONDS => 0.5, RATIO => 9 };

sub no_square
{
	my ($what, $few, $all) = @_;

	SKIP: {
		skip("$what: no square of a quarter's: it was skipped", 1)
			if grep { !defined } $few, $all;
		cmp_ok($all, '<', RATIO * ($few > LEAST_SECONDS ? $few : LEAST_SECONDS),
			"$what: no square of a quarter's user time");
	}
}

my %vcpus = (
	async_pf_test => [ qw(-b 4M --slow uffd:0) ],
	dirty_log_perf_test => [ qw(-b 4K -i 1) ],
	dirty_log_test => [ qw(-b 64K -i 2) ],
	memslot_zap_test => [ qw(-b 4M --op toggle --passes 1) ],
	page_table_test => [ qw(-b 4M) ],
	tlb_stress_test => [ qw(--processes 1 --invalidate page) ],
);
my %slots = (
	async_pf_test => [ qw(-b 128M --slow uffd:0 --timeout 600) ],
	dirty_log_perf_test => [ qw(-b 128M -i 1) ],
	dirty_log_test => [ qw(-b 128M -i 2) ],
	memslot_zap_test => [ qw(-b 128M --op toggle --passes 1) ],
	page_table_test => [ qw(-b 128M) ],
	tlb_stress_test => [ qw(-b 128M --processes 2 --invalidate page) ],
);
my @some = long() ? sort keys %vcpus : qw(dirty_log_perf_test page_table_test);

for my $program (@some) {
	my @vcpus = @{ $vcpus{$program} };
	my $few = $program eq 'page_table_test' || long()
		? at_scale([ $program, '-v', VCPUS / 4, @vcpus ], %sizes) : undef;
	my $all = at_scale([ $program, '-v', VCPUS, @vcpus ], %sizes);

	no_square("$program, @{[ VCPUS ]} vCPUs", $few, $all) if defined $few;
}
for my $program (long() ? @some : 'dirty_log_perf_test') {
	my @slots = @{ $slots{$program} };
	my $few = at_scale([ $program, '-x', SLOTS / 4, @slots ], %sizes);
	my $all = at_scale([ $program, '-x', SLOTS, @slots ], %sizes);

	no_square("$program, @{[ SLOTS ]} slots", $few, $all);
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
		at_scale($_, results_kib => 700, rss_kib => 18 * GIB);
	}
}

done_testing();
