#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# dirty_log_test on this machine: nothing is lost in any way of tracking; and each
# fault that is injected is noticed in each.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../harness";
use Host;
use Native;
use Test::More;

needs_kvm();
my $bin = program('dirty_log_test');
my @time = full() ? ('-t', 60) : ('-i', 60);
my $none = qr/^each write was in the next collection$/;

for my $options ([], ['-v', 4, '-s', 'anonymous_thp', '--force-exits'], ['-v', 3, '-s', 'memfd', '-x', 5],
		 ['--guest-mode', 'kernel']) {
	my $text = `$bin -b 4M -M all @time @$options`;
	my @modes = $text =~ /^ok \d+ - .*log_mode=(\S+) no dirty page is lost # each write/mg;
	my @missing = $text =~ /^# without log_mode=(\S+): \S/mg;

	is($?, 0, "@$options: passes") or diag($text);
	is(@modes + @missing, 4, "@$options: @modes");
}
bench(['dirty_log_test', @time, '-b', '4M', '--clearers', 2, '-k', '1M'],
	'no dirty page is lost' => $none);
bench(['dirty_log_test', @time, '-b', '4M', '-M', 'ring', '--ring-entries', 1024, '--pace', 20000, '-v', 1],
	'no dirty page is lost' => $none);

# What changed meanwhile did change.
my $note = `$bin -b 4M -i 60 -s anonymous_thp`;
SKIP: {
	skip('no transparent huge pages here', 2) if $? >> 8 == 4;
	my @did = $note =~ /^# note: meanwhile: (\d+) slots .*? (\d+) moved, (\d+) mappings dropped, (\d+) huge pages split, (\d+) coll/m;
	my $collapses = pop @did;

	is(scalar(grep { $_ > 0 } @did), 4, 'all disturbances happened') or diag($note);
	skip('pages cannot be collapsed: Linux before 6.1', 1) if !can_collapse();
	cmp_ok($collapses // 0, '>', 0, '... and pages were collapsed') or diag($note);
}

my %seen_by = ('lose-bit' => 'lost', 'late-bit' => 'lost', 'extra-bit' => 'unwritten',
	       'skip-reset' => '(lost|unwritten)');
for my $fault (sort keys %seen_by) {
	my $text = `$bin -b 4M -M all -i 2000 --inject $fault --one-in 50`;
	my @all = $text =~ /^# vcpus=\S+ bytes=\S+ log_mode=(\S+)$/mg;
	my %caught = map { $_ => 1 }
		$text =~ /^not ok \d+ - .*log_mode=(\S+) [^#]*$seen_by{$fault} #/mg;
	my @late = grep { $_ > 400 } $text =~ /^# collections +(\d+) /mg;

	is($? >> 8, 1, "$fault: exit 1");
	is(join(' ', grep { $caught{$_} } @all), "@all", "$fault: noticed in each way") or diag($text);
	is("@late", '', "$fault: within 400 collections");
}
done_testing();
