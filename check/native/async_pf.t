#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# async_pf_test on this machine: both legs, with one vCPU and several, each load; what
# is seen of events against KVM's own counts.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Native;
use Test::More;

needs_kvm();
my $kib = full() ? 1024 : 128;
my $pages = $kib / 4;
my @size = ('-b', "${kib}K", '--runs', full() ? 5 : 2, '--warmup', 0);

# A fault for each page, and as many events as KVM has told; one of those that are
# ready is for all that wait, when a vCPU begins.
sub exactly {
	my ($vcpus) = @_;
	my $ready = $pages + $vcpus;

	return ('pages were slow' => qr/^$pages of $pages pages were given/,
		'memory holds what was written' =>
			qr/^0 wrong words read, 0 of $pages pages wrong in the end$/,
		'each not-present has one ready' => qr/^$pages not-present, $pages ready; 0 .* 0 /,
		'KVM has told no more and no less' =>
			qr/^KVM counts $pages and $ready, the guest $pages and $ready$/);
}

for my $options ([], ['--slow', 'uffd:50'], ['--slow', 'uffd:2000,4'], ['--load', 'chase'],
		 ['--load', 'sort'], ['-i', 3, '--quantum', 100], ['-x', 7, '--guest-page', '4K']) {
	bench(['async_pf_test', @size, @$options], exactly(1));
}
bench(['async_pf_test', @size, '-v', 3], exactly(3));

# What counts KVM's events is not in what is timed, unless there is no other run.
for my $warmup (0, 1) {
	my ($text) = bench(['async_pf_test', @size, '--warmup', $warmup], exactly(1));

	SKIP: {
		skip("--warmup $warmup: $1", 1)
			if $text =~ /^ok .* KVM has told no more and no less # SKIP (.*)/m;
		is(!!($text =~ /^# note: KVM's tracepoints were live in what was timed/m), !$warmup,
			"--warmup $warmup: the note on tracepoints in what is timed");
	}
}
done_testing();
