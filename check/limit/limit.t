#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# Does the harness add anything to what it measures?
#
# First page_table_test against the bare program, which does the same with raw
# ioctls: interleaved (ABBA), create and update within 3 %. Then what a phase
# costs that has nothing to do.
#
# A pair during which others have used the machine is measured again, at most
# once for each pair wanted. If there are still too few undisturbed ones, wall
# time cannot tell 3 %: the CPU time that the two processes have used in the
# stage is compared instead, and the result says so. A comparison that fails
# gets more pairs before it counts.
#
# KVMETER_LIMIT_FULL=1   256M and 10 pairs, else 64M and 5
# KVMETER_LIMIT_PAIRS, KVMETER_LIMIT_BYTES   other numbers
# KVMETER_LIMIT_FIXED_US=150,400   allowed fixed cost, 1 and 4 vCPUs
# KVMETER_OUT            build directory of the architecture
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Limit qw(setting bench bare programs_missing median quantile within
	foreign_cpu ms us);
use List::Util qw(min);
use Test::More;

my $share = 0.03;
my @compared = qw(create update);
my $attempts = 3;
my $tries_per_pair = 2;
my $noise = 0.05;    # of one CPU, used by others: the pair is disturbed
my $fixed_runs = 50;
my $fixed_attempts = 5;

# The ratio of the programs' medians, and the median of the pairs' ratios. They
# differ where the machine drifts between pairs; both must be within.
sub compare {
	my ($bare, $bench) = @_;
	my $medians = median(@$bench) / median(@$bare);
	my $paired = median(map { $bench->[$_] / $bare->[$_] } 0 .. $#$bare);
	return {
		medians => $medians,
		paired => $paired,
		ok => within($medians, $share) && within($paired, $share),
	};
}

sub spread {
	my @v = @_;
	return sprintf '%s (quartiles %.1f %% apart)', ms(median(@v)),
		100 * (quantile(0.75, @v) - quantile(0.25, @v)) / median(@v);
}

# The comparison must be able to refuse: numbers 5 % apart, with the scatter
# and the drift of a real machine.
sub self_test {
	my @scatter = (0, 0.012, -0.008, 0.004, -0.015, 0.02, -0.003, 0.009);
	my @bare = map { 1e8 * (1 + $scatter[$_] + $_ / 50) } 0 .. 7;
	my @same = map { 1e8 * (1 + $scatter[-$_] + $_ / 50) } 0 .. 7;
	my %by = (slower => 1.05, faster => 0.95);

	ok(compare(\@bare, \@same)->{ok}, 'self-test: equal times are accepted');
	for my $how (sort keys %by) {
		my @other = map { $_ * $by{$how} } @same;
		ok(!compare(\@bare, \@other)->{ok},
			"self-test: 5 % $how is refused");
	}
	return;
}

sub bench_once {
	my ($bytes) = @_;
	return bench('-v', 1, '-b', $bytes, '-w', 100, '--runs', 1,
		'--warmup', 0) // die "page_table_test has skipped\n";
}

sub measure_pair {
	my ($bytes, $bench_first) = @_;
	my %pair;

	$pair{foreign} = foreign_cpu(
		sub {
			$pair{bench} = bench_once($bytes) if $bench_first;
			$pair{bare} = bare($bytes);
			$pair{bench} = bench_once($bytes) if !$bench_first;
		});
	return \%pair;
}

# Whether a pair is disturbed is read from the machine's CPU time, never from
# the result; what page_table_test itself uses counts as its own.
sub undisturbed {
	return grep { $_->{foreign} < $noise } @_;
}

# Adds pairs until $wanted are undisturbed, at most $most in all.
sub collect {
	my ($pairs, $bytes, $wanted, $most) = @_;

	while (undisturbed(@$pairs) < $wanted && @$pairs < $most) {
		push @$pairs, measure_pair($bytes, @$pairs % 2);
	}
	return;
}

sub wall_ns {
	my ($point, $stage) = @_;
	return $point->{samples}{$stage}[0];
}

sub cpu_ns {
	my ($point, $stage) = @_;
	return $point->{usage}{$stage}{user_ns} + $point->{usage}{$stage}{sys_ns};
}

# What is compared: wall time of the undisturbed pairs if there are enough, else
# CPU time of all.
sub basis {
	my ($wanted, @pairs) = @_;
	my @quiet = undisturbed(@pairs);

	return { pairs => \@quiet, time => \&wall_ns, by => '' }
		if @quiet >= $wanted;
	return { pairs => \@pairs, time => \&cpu_ns,
		by => ', by CPU time: the machine is in use' };
}

sub compare_stage {
	my ($stage, $basis) = @_;
	my @pairs = @{ $basis->{pairs} };
	my @bare = map { $basis->{time}->($_->{bare}, $stage) } @pairs;
	my @bench = map { $basis->{time}->($_->{bench}, $stage) } @pairs;
	my $c = compare(\@bare, \@bench);

	$c->{text} = sprintf
		'%-7s bare %s, page_table_test %s; ratio of medians %.4f, median of ratios %.4f%s',
		$stage, spread(@bare), spread(@bench), $c->{medians},
		$c->{paired}, $basis->{by};
	return $c;
}

sub report_stages {
	my ($basis, @pairs) = @_;
	my $wall = { pairs => \@pairs, time => \&wall_ns, by => ', disturbed' };

	for my $stage (qw(create log_on update log_off adjust)) {
		my $c = compare_stage($stage, $basis);
		note($c->{text});
		note(compare_stage($stage, $wall)->{text}) if $basis->{by};
		next if !grep { $_ eq $stage } @compared;
		ok($c->{ok}, "$stage: within 3 % of the bare program$basis->{by}")
			or diag($c->{text});
	}
	return;
}

sub compare_programs {
	my $bytes = setting('BYTES', 64 << 20, 256 << 20);
	my $wanted = setting('PAIRS', 5, 10);
	my (@pairs, $basis);

	for my $attempt (1 .. $attempts) {
		collect(\@pairs, $bytes, $attempt * $wanted,
			$attempt * $wanted * $tries_per_pair);
		$basis = basis($wanted, @pairs);
		last if !grep { !compare_stage($_, $basis)->{ok} } @compared;
		diag("attempt $attempt of $attempts: not within 3 %");
	}
	note(sprintf '%d bytes, 1 vCPU: %d pairs, %d of them undisturbed',
		$bytes, scalar @pairs, scalar undisturbed(@pairs));
	report_stages($basis, @pairs);
	return;
}

# Median by stage of a phase with one page, or the lower quartile if others have
# used the machine meanwhile: they only add.
sub fixed_once {
	my ($vcpus) = @_;
	my $point;
	my $foreign = foreign_cpu(
		sub {
			$point = bench('-v', $vcpus, '-b', '4K', '--runs',
				$fixed_runs) // die "page_table_test has skipped\n";
		});
	my $part = $foreign < $noise ? 0.5 : 0.25;
	return map { $_ => quantile($part, @{ $point->{samples}{$_} }) }
		qw(create update adjust);
}

# The least of some attempts.
sub fixed_cost {
	my ($vcpus, $limit_ns) = @_;
	my %best = fixed_once($vcpus);

	for (2 .. $fixed_attempts) {
		last if !grep { $_ >= $limit_ns } values %best;
		my %again = fixed_once($vcpus);
		%best = map { $_ => min($best{$_}, $again{$_}) } keys %best;
	}
	for my $stage (qw(create update adjust)) {
		my $text = "$stage with 4K and $vcpus vCPUs: ";
		note($text . us($best{$stage}));
		ok($best{$stage} < $limit_ns, $text . 'below ' . us($limit_ns))
			or diag($text . us($best{$stage}));
	}
	return;
}

# What of it is KVM's: the same entry and exit on a thread that never waits.
sub exit_cost {
	my @runs = map { bare(4096) } 1 .. $fixed_runs;

	for my $stage (qw(create update adjust)) {
		note(sprintf '4K, bare program: %s %s', $stage,
			us(median(map { wall_ns($_, $stage) } @runs)));
	}
	return;
}

my $missing = programs_missing(Limit::bare_path(), Limit::bench_path());
self_test();
SKIP: {
	skip $missing, 8 if $missing;
	my ($one, $four) = split /,/, $ENV{KVMETER_LIMIT_FIXED_US} // '150,400';

	compare_programs();
	exit_cost();
	fixed_cost(1, $one * 1000);
	fixed_cost(4, $four * 1000);
}
done_testing();
