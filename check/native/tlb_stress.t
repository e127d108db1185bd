#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# tlb_stress_test on this machine: processes of every kind of page, with each way to
# drop translations, and what it must notice.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Native;
use Test::More;

needs_kvm();
my $processes = full() ? 100 : 5;
my @size = ('--processes', $processes, '--runs', full() ? 5 : 2, '--warmup', 0);

# In the last run every vCPU has run one process more, for those that watch it.
sub expected {
	my ($vcpus, $pages, $cow, $device, $mmio) = @_;
	my $done = ($processes + 1) * $vcpus;
	my ($all, $copies, $exits) = map { $_ * $done } $pages, $cow, $mmio;
	my $watched = 16 * ($vcpus - 1);
	my $moved = $done - $vcpus + 16;

	return (
		'processes: pages are their own' => qr/^$all of $all in $done processes$/,
		'copy on write: faults' => qr/^$copies of $copies, originals unchanged$/,
		'mmio: exits' => qr/^$exits reads and $exits writes of $exits, 0 registers wrong$/,
		'device: memory' => qr/^(\d+) of \1 pages hold what was written last$/,
		'invalidation: no stale translation' =>
			qr/^$moved of $moved pages moved, $watched of $watched seen /,
	);
}

bench(['tlb_stress_test', @size], expected(1, 16, 3, 3, 1));
bench(['tlb_stress_test', @size, '-v', 2], expected(2, 16, 3, 3, 1));
bench(['tlb_stress_test', @size, '--pages', 3]);
bench(['tlb_stress_test', @size, '--pages', 103, '--cow-percent', 50, '--device-percent', 40,
	'--mmio-percent', 10], expected(1, 103, 50, 40, 10));
bench(['tlb_stress_test', @size, '-s', 'anonymous_thp', '--device', 'shmem', '-x', 4, '-i', 2]);
bench(['tlb_stress_test', @size, '--device', '/dev/zero', '--guest-page', '4K']);

# It notices. A vCPU that is not told of an invalidation cannot be noticed where KVM
# shadows tables: check/vm does that.
sub notices {
	my ($fault, $said) = @_;
	my ($text, undef, $status) = Native::run('tlb_stress_test', @size, '--invalidate', 'page',
		'--inject', $fault);

	like($text, $said, "--inject $fault: it says what is wrong");
	is($status, 1 << 8, "--inject $fault: exit 1");
}

notices('no-invalidate', qr/^Bail out! vCPU 0: guest assertion failed: process \d+, shared page: expected 0x1\w+, seen 0x1/m);
notices('wrong-signature', qr/^Bail out! vCPU 0: guest assertion failed: process 1, page 1: expected 0x1\w+, seen 0x1/m);
notices('wrong-count', qr/^not ok 1 .*^not ok 2 .*^not ok 3 .*^ok 4 .*^not ok 5 /ms);
notices('wrong-content', qr/^ok 1 .*^ok 2 .*^not ok 3 .*^not ok 4 .*^ok 5 /ms);
done_testing();
