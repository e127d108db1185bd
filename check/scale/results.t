#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# Many results: files, points, runs, samples of 1024 vCPUs. The tools take a
# time that grows with them, not with their square, and no memory or output
# that is out of proportion.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../kvmeter";
use MadeUp;
use Soak qw(is_square);
use Test::More;

my $long = $ENV{KVMETER_LONG};
my $gnuplot = !system('command -v gnuplot >/dev/null 2>&1');
my @phases = qw(create log_on update log_off adjust);

use constant RUSAGE_CHILDREN => -1;

# Of this machine, since perl has none.
sub getrusage_number
{
	my $machine = (POSIX::uname())[4];

	return $machine eq 'x86_64' ? 98 : 165;
}

# CPU seconds in user mode and KiB at most of what has run since the last call:
# of a child's child, since the peak is that of all children of a process.
sub measured
{
	my ($action) = @_;
	pipe(my $in, my $out) or die "pipe: $!\n";
	my $pid = fork() // die "fork: $!\n";

	if (!$pid) {
		my @result = $action->();
		my (undef, undef, $user) = times;
		# struct rusage: two timevals, then ru_maxrss
		my $usage = "\0" x 144;
		syscall(getrusage_number(), RUSAGE_CHILDREN, $usage);
		my $peak = unpack('q', substr($usage, 32, 8));
		print $out join(' ', $user, $peak, $result[2]), "\n", $result[1];
		close $out;
		POSIX::_exit(0);
	}
	close $out;
	my ($first, @rest) = <$in>;
	waitpid($pid, 0);
	my ($user, $peak, $code) = split ' ', $first;
	return { user => $user, peak => $peak, code => $code, err => join('', @rest) };
}

# ---- made-up results, of which @$n is the size ----

sub metrics
{
	my ($nr, $shift) = @_;

	return [ map { metric($_, runs(1_000_000 + $shift, 2, $nr)) } @phases ];
}

sub make_files
{
	my ($side, $n) = @_;

	results(sprintf('%s/%05d.json', "files-$n-$side", $_), metrics(9, $_),
		started => sprintf('2026-11-30T%02d:%02d:%02dZ', $side eq 'a' ? 1 : 9, $_ / 60 % 60, $_ % 60))
		for 1 .. $n;
	return "files-$n-$side";
}

sub make_points
{
	my ($side, $n) = @_;

	results("points-$n-$side.json", metrics(9, $side eq 'a' ? 0 : 1), vcpus => [ 1 .. $n ]);
	return "points-$n-$side.json";
}

# As many in a file as --runs takes at most.
use constant RUNS_MAX => 100_000;

sub make_runs
{
	my ($side, $n) = @_;

	for (my $left = $n; $left > 0; $left -= RUNS_MAX) {
		my $here = $left < RUNS_MAX ? $left : RUNS_MAX;

		results(sprintf("runs-$n-$side/%08d.json", $left),
			[ metric('create', runs(1_000_000, 2, $here)) ]);
	}
	return "runs-$n-$side";
}

sub make_vcpus
{
	my ($side, $n) = @_;

	results("vcpus-$n-$side.json", [ map {
		metric($_, runs(1_000_000, 2, 9), vcpu_samples => [ map { runs(900_000, 5, $n) } 1 .. 9 ])
	} @phases ], vcpus => [ $n ]);
	return "vcpus-$n-$side.json";
}

# In a process of its own, which is as large as what it makes.
sub make
{
	my ($how, @what) = @_;
	my $pid = open(my $pipe, '-|') // die "fork: $!\n";

	if (!$pid) {
		print $how->(@what);
		close STDOUT;
		POSIX::_exit(0);
	}
	my $name = <$pipe>;
	close $pipe;
	return $name;
}

sub bytes
{
	my $sum = 0;

	$sum += -s $_ for map { -d $_ ? glob("$_/*") : $_ } @_;
	return $sum;
}

# What of it, how many in CI and at length, bytes of a page for each of them at
# most, and besides.
my @table = (
	[ 'files',  \&make_files,  $long ? 4000 : 1000, 4096 ],
	[ 'points', \&make_points, $long ? 1000 : 80, 40_000 ],
	[ 'runs',   \&make_runs,   $long ? 1_000_000 : 200_000, 4 ],
	[ 'vcpus',  \&make_vcpus,  1024, 100 ],
);

# Memory for each KiB of the files, bytes of a page without figures.
use constant { KIB_PER_KIB => 60, PAGE => 1_000_000 };

ok(is_square(0.5, 8) && !is_square(0.5, 2) && !is_square(0.001, 0.016),
	'a square is noticed, where there is time enough to tell');

for (@table) {
	my ($what, $make, $n, $page) = @$_;
	my $few = int($n / 4);
	my @all = map { my $side = $_; map { make($make, $side, $_) } $few, $n } qw(a b);
	my ($few_a, $a, $few_b, $b) = @all;

	for my $command ([ 'compare' ], $gnuplot ? [ 'report', '-o', 'page.html' ] : ()) {
		my $name = "kvmeter $command->[0], $n $what a side";
		my $before = measured(sub { kvmeter(@$command, $few_a, $few_b) });
		my $after = measured(sub { kvmeter(@$command, $a, $b) });
		my $kib = bytes($a, $b) / 1024;

		is("$before->{code} $after->{code}", '0 0', "$name: exit 0")
			or diag($before->{err}, $after->{err});
		ok(!is_square($before->{user}, $after->{user}),
			"$name: no square of what $few take");
		cmp_ok($after->{peak}, '<', 30_000 + KIB_PER_KIB * $kib, "$name: memory");
		note(sprintf('%s: %.2f s, %.2f s for %d; %d KiB at most for files of %d KiB',
			$name, $after->{user}, $before->{user}, $few, $after->{peak}, $kib));
		next if $command->[0] ne 'report';
		cmp_ok(-s 'page.html', '<', PAGE + $page * $n, "$name: size of the page");
		note(sprintf('%s: %d bytes', $name, -s 'page.html'));
	}
	system('rm', '-rf', @all);
}
SKIP: {
	skip('the figures of kvmeter report: gnuplot is not here (gnuplot-nox)', 1) if !$gnuplot;
}

done_testing();
