#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# kvmeter compare on real results, where the truth is known: the same thing
# twice is no change, and blocks are faster to create than pages.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use MadeUp;
use Test::More;
use Time::HiRes qw(sleep time);

my $bench = $tool =~ s{/tools/kvmeter/kvmeter\z}{/tests/page_table_test}r;

plan(skip_all => "/dev/kvm cannot be opened: $!") if !open(my $kvm, '+<', '/dev/kvm');

# Five files of three runs for each of two sides, in turn: A B B A A B B A A B.
sub measure {
	my ($dir, @options) = @_;

	mkdir($dir);
	my $nr = () = glob("$dir/*.json");
	my $file = "$dir/" . ($nr + 1) . '.json';
	my $output = `$bench -b 4M --runs 3 --quiet @options --json $file 2>&1`;

	return $? ? "$bench @options: wait status $?\n$output" : '';
}

# A side of each pair in every second, since times of start are in whole ones. What
# went wrong with each pair.
sub measure_in_turn {
	my (@pairs) = @_;
	my @faults = map { '' } @pairs;

	for my $turn (0, 1, 1, 0, 0, 1, 1, 0, 0, 1) {
		my $start = time;

		for my $i (0 .. $#pairs) {
			$faults[$i] .= measure(@{ $pairs[$i][$turn] }) if !$faults[$i];
		}
		my $left = $start + 1.1 - time;

		sleep($left) if $left > 0;
	}
	return @faults;
}

# Verdicts by metric.
sub verdicts {
	my ($text) = @_;

	return { $text =~ /^(\w+) .*  (faster|slower|same|can't tell)$/mg };
}

my $refused = measure('thp-try', '-s', 'anonymous_thp');
my @faults = measure_in_turn([['same-a'], ['same-b']],
	$refused ? () : [['pages'], ['thp', '-s', 'anonymous_thp']]);
is($faults[0], '', 'the same, in turn');
my ($text, $err, $code) = kvmeter('compare', 'same-a', 'same-b');
my $same = verdicts($text);
is(scalar(keys %$same), 5, 'five metrics');
is_deeply([grep { $same->{$_} !~ /^(?:same|can't tell)$/ } sort keys %$same], [],
	'none is faster or slower') or diag($text, $err);
is("$code$err", '0', 'exit 0');
unlike($text, qr{^differs:|measured before}m, 'nothing differs, and they were in turn');
like($text, qr/15 runs, 1 boot/, 'merged');

SKIP: {
	skip("no transparent huge pages: $refused", 4) if $refused;
	is($faults[1], '', 'pages and blocks, in turn');
	($text, $err, $code) = kvmeter('compare', '--metric', 'create', 'pages', 'thp');
	is(verdicts($text)->{create}, 'faster', 'blocks are faster to create')
		or diag($text, $err);
	like($text, qr/^create .* -9\d\.\d% /m, 'by far');
	like($text, qr/^differs: backing: anonymous in A, anonymous_thp in B$/m, 'and why');
}
done_testing();
