#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# dirty_log_perf_test on this machine: the log against what the guest wrote, in
# lockstep and with vCPUs that run free.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
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
done_testing();
