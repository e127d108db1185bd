#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# page_table_test on this machine: what each stage does to the mappings, in each
# situation that decides whether KVM can use blocks.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../harness";
use Host;
use Native;
use Test::More;

needs_kvm();
my $mib = full() ? 256 : 32;
my @size = ('-b', "${mib}M", '--runs', full() ? 5 : 2);
my $pages = $mib * 256;
my $blocks = $mib / 2;
my $logged = qr/^logged exactly the $pages pages expected$/;
my $split = qr/split $blocks x 2M to $pages x 4K/;
my ($log_on, $updated) = splits_when_logged() ? ($split, qr/^kept $pages x 4K$/)
					       : (qr/kept $blocks x 2M/, qr/^$split$/);

# Blocks are split by dirty logging and coalesced afterwards.
my ($text) = bench(['page_table_test', @size, '-s', 'anonymous_thp', '-v', '1,2,4'],
	'create: mappings' => qr/^created $blocks x 2M$/,
	'update: mappings' => $updated,
	'update: dirty log' => $logged,
	'adjust: mappings' => qr/(created|to) $blocks x 2M$/);
SKIP: {
	skip('what logging does to blocks: no huge pages', 1) if $text =~ /^ok 1 - page_table_test # SKIP/m;
	like($text, qr/^# log_on .* $log_on$/m, 'log_on: what it does to blocks');
}

# A second round finds what the first has left behind.
bench(['page_table_test', @size, '-s', 'anonymous_thp', '-i', 3],
	'update: mappings' => $updated,
	'adjust: mappings' => qr/(created|to) $blocks x 2M$/);

# Pages all the way: nothing to split.
my %pages = (
	'create: mappings' => qr/^created $pages x 4K$/,
	'update: mappings' => qr/^kept $pages x 4K$/,
	'update: dirty log' => $logged,
	'adjust: mappings' => qr/^kept $pages x 4K$/,
);
for my $options ([], ['-v', 4, '--access', 'split'], ['-s', 'memfd'], ['-w', 0],
		 ['-x', 32, '--no-prefault'], ['--gpa', '64G']) {
	bench(['page_table_test', @size, @$options], %pages);
}

# Host memory in blocks, but the slot lies where KVM cannot use them.
($text) = bench(['page_table_test', @size, '-u', '-s', 'anonymous_thp'], %pages);
SKIP: {
	skip('why there are no blocks: no huge pages', 1) if $text =~ /^ok 1 - page_table_test # SKIP/m;
	like($text, qr/^# note: host pages of 2M, but not all mapped as blocks: \S/m,
		'... and it says why there are no blocks');
}

# One access for each block, or for some pages of it.
for my $way (['2M', 1], ['64K', 32], ['2M', 1, '-v', 2, '-i', 3]) {
	my ($granule, $each, @options) = @$way;
	my $touched = $blocks * $each;

	bench(['page_table_test', @size, '-s', 'anonymous_thp', '--granule', $granule, @options],
		'create: mappings' => qr/^created $blocks x 2M$/,
		'update: mappings' => splits_when_logged() ? $updated
							   : qr/^split $blocks x 2M to $touched x 4K$/,
		'update: dirty log' => qr/^logged exactly the $touched pages expected$/,
		'adjust: mappings' => qr/(created|to) $blocks x 2M$/);
}
{
	my ($text) = Native::run('page_table_test', @size, '-x', 5, '-s', 'anonymous_thp',
		'--granule', '2M');

	SKIP: {
		skip('--granule, and slots that do not end with a block: no such pages', 1)
			if $text !~ / create: mappings /;
		like($text, qr/^ok .* create: mappings # SKIP not verified: some of it is mapped by less/m,
			'--granule, and slots that do not end with a block: not verified');
	}
	# as every page, where it is one
	bench(['page_table_test', @size, '--granule', '4K'], %pages);
}

# Slots that do not end with a block.
my $most = $blocks - 4;
my $rest = 4 * 512;
bench(['page_table_test', @size, '-x', 5, '-s', 'anonymous_thp'],
	'create: mappings' => qr/^created $most x 2M \+ $rest x 4K$/,
	'update: mappings' => qr/(?:to|kept) $pages x 4K$/,
	'adjust: mappings' => qr/$most x 2M \+ $rest x 4K$/);

# A proof can fail.
for my $fault (['wrong-count'], ['lost-page'],
	       map { [ $_, qw(-s anonymous_thp --granule 2M) ] } 'wrong-count', 'lost-page') {
	my ($text, undef, $status) = Native::run('page_table_test', '-b', '4M',
		'--runs', 1, '--inject', @$fault);

	SKIP: {
		skip("--inject @$fault: no huge pages", 1) if $text =~ /^ok 1 - page_table_test # SKIP/m;
		skip("--inject @$fault: nothing can be proven here", 1)
			if $text !~ /^(not )?ok .*(mappings|log): \d/m &&
			   $text =~ /# SKIP not verified/;
		ok($status == 1 << 8 && $text =~ /^not ok /m, "--inject @$fault: exit 1")
			or diag($text);
	}
}
done_testing();
