#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# Does threshold_judge() keep what doc/statistics.md promises of bisections? Few
# trials, judged with room for chance; KVMETER_STATS_FULL=1 takes the 2,000 of the
# document, whose tables must then be what the program prints.
#
# KVMETER_OUT names the directory of the build.
use strict;
use warnings;
use Test::More;

my $out = $ENV{KVMETER_OUT} // 'build/' . (split ' ', `uname -m`)[0];
my $trials = $ENV{KVMETER_STATS_FULL} ? 2000 : 40;

plan(skip_all => "$out/check/stats/bisect: not built") if !-x "$out/check/stats/bisect";

sub simulate {
	my (@arguments) = @_;
	my $text = `$out/check/stats/bisect @arguments`;

	return $? ? '' : $text;
}

# { title => [[cells of a row] ...] }, a number in percent as a number.
sub tables {
	my ($text) = @_;
	my ($title, %tables);

	for (split /\n/, $text) {
		$title = $1 if /^### (.*)/;
		next if !/^\| (.*) \|$/ || /^\| (?:noise|---)/;
		push @{ $tables{$title} }, [map { s/ %$//r } split / \| /, $1];
	}
	return \%tables;
}

# The mean of a column over the rows that @$rows has, and of how many there are.
sub mean {
	my ($rows, $column) = @_;
	my $sum = 0;

	$sum += $_->[$column] for @$rows;
	return @$rows ? $sum / @$rows : 100;
}

# Four standard deviations of a share of $percent in so many trials.
sub chance {
	my ($percent, $nr) = @_;

	return 4 * sqrt($percent * (100 - $percent) / $nr);
}

sub wrong_faults {
	my ($tables) = @_;
	my $rows = $tables->{'Bisection, commits at the threshold'} // [];
	my @faults;

	push @faults, scalar(@$rows) . ' rows' if @$rows < 10;
	for my $column (2, 3) {
		my $mean = mean($rows, $column);

		push @faults, "column $column: $mean %"
			if $mean > 1 + chance(1, $trials * (@$rows || 1));
		push @faults, map { "@$_" }
			grep { $_->[$column] > 1 + chance(1, $trials) } @$rows;
	}
	return @faults;
}

# Files of one boot: by boots alpha holds, and by files it does not.
sub one_boot_faults {
	my ($tables) = @_;
	my $rows = $tables->{'Bisection, commits at the threshold, each booted once'} // [];
	my @faults;

	push @faults, scalar(@$rows) . ' rows' if @$rows < 2;
	push @faults, map { "@$_" } grep { $_->[3] + $_->[4] > 1 + chance(1, $trials) } @$rows;
	push @faults, 'files do no harm'
		if mean($rows, 1) + mean($rows, 2) < 1 + chance(1, $trials * (@$rows || 1));
	return @faults;
}

# Where boots do not differ by more than a fifth of the threshold.
sub right_faults {
	my ($tables) = @_;
	my @rows = grep { $_->[0] =~ /^runs: normal|^boots: normal, 1 %/ }
			@{ $tables->{'Bisection, right verdicts where bad is 10 % slower'} // [] };

	return 'no rows' if @rows < 5;
	return map { "@$_" } grep { $_->[2] < 75 || $_->[4] < 75 } @rows;
}

my $text = simulate($trials);
my $tables = tables($text);
is(join("\n", wrong_faults($tables)), '', 'wrong verdicts: 1 % at most');
is(join("\n", right_faults($tables)), '', 'right verdicts where they can be expected');
is(join("\n", one_boot_faults($tables)), '', 'files of one boot count as one');

# The same judgements of what is wrong.
isnt(join("\n", wrong_faults(tables(simulate(10, 0.5)))), '', 'a larger alpha is noticed');
isnt(join("\n", one_boot_faults(tables($text =~ s/(\| boots: [^|]*)(\|[^|]*\|[^|]*)\|.*/$1$2$2|/gr))),
	'', 'what they show if they count as several is refused');
isnt(join("\n", right_faults(tables(simulate(10, 0.0000001)))), '',
	'a smaller one, which never tells, too');

if ($trials == 2000) {
	open(my $in, '<', 'doc/statistics.md') or die "doc/statistics.md: $!\n";
	local $/;

	ok(index(<$in>, $text =~ s/\s+\z//r) >= 0, 'doc/statistics.md has these tables');
}
done_testing();
