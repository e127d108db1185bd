#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# Does judge() keep what doc/statistics.md promises? Few trials, judged with
# room for chance; KVMETER_STATS_FULL=1 takes the 2,000 of the document, whose
# tables must then be what the program prints.
#
# KVMETER_OUT names the directory of the build.
use strict;
use warnings;
use Test::More;

my $out = $ENV{KVMETER_OUT} // 'build/' . (split ' ', `uname -m`)[0];
my $trials = $ENV{KVMETER_STATS_FULL} ? 2000 : 80;
my $block = qr/one after the other/;

# { title => { row => [values in percent, by runs a side] } }; of a coverage the
# two figures of a cell are one list after the other.
sub tables {
	my ($text) = @_;
	my ($title, %tables);

	for (split /\n/, $text) {
		$title = $1 if /^### (.*)/;
		next if !/^\| (.+?) \|(.* %.*)\|$/ || !defined $title;
		my ($row, $cells) = ($1, $2);
		my @cells = split /\|/, $cells;

		$tables{$title}{$row} = [map { /([\d.]+) %/ ? $1 : 0 } @cells];
		$tables{"$title, second"}{$row} = [map { /\(([\d.]+) %/ ? $1 : 0 } @cells];
	}
	return \%tables;
}

# Mean of all rows but those that $except matches, and of how many cells.
sub mean_of {
	my ($table, $except) = @_;
	my ($sum, $nr) = (0, 0);

	for my $row (grep { !/$except/ } keys %$table) {
		my @values = @{ $table->{$row} };

		for my $value (@values) {
			$sum += $value;
			$nr++;
		}
	}
	return $nr ? ($sum / $nr, $nr) : (undef, 0);
}

# Four standard deviations of a share of $percent in so many trials.
sub chance {
	my ($percent, $nr) = @_;

	return 4 * sqrt($percent * (100 - $percent) / $nr);
}

sub alarm_faults {
	my ($tables) = @_;
	my $each = 5 * $trials;
	my @faults;

	for my $title (grep { /^False alarms.*s?$/ && !/second/ } keys %$tables) {
		my ($mean, $nr) = mean_of($tables->{$title}, $block);

		push @faults, "$title: none" if !$nr;
		push @faults, "$title: $mean %" if $nr && $mean > 1 + chance(1, $nr * $each);
		for my $row (grep { !/$block/ } keys %{ $tables->{$title} }) {
			push @faults, map { "$title: $row: $_ %" }
				grep { $_ > 1 + chance(1, $each) }
				@{ $tables->{$title}{$row} };
		}
	}
	return @faults;
}

sub coverage_faults {
	my ($tables) = @_;
	my $title = 'Intervals that hold the truth: percentile (basic)';
	my ($mean, $nr) = mean_of($tables->{$title}, $block);

	return 'no coverage' if !$nr;
	return $mean < 95 - chance(95, $nr * $trials) ? ("coverage: $mean %") : ();
}

# What must be found, more often than not or nearly always.
sub power_faults {
	my ($tables) = @_;
	my %wanted = (
		'normal, 2 %: +10 %' => [50, 90, 90, 90],
		'normal, 2 %: +5 %' => [0, 65, 90, 90],
		'normal, 2 %: +2 %' => [0, 0, 15, 60],
	);
	my $table = $tables->{'Found, 1 of 5 metrics slower'};

	return map {
		my $row = $_;
		map { "$row: column $_: " . ($table->{$row}[$_] // 'none') }
			grep { ($table->{$row}[$_] // -1) < $wanted{$row}[$_] } 0 .. 3;
	} sort keys %wanted;
}

# Drift is what makes false alarms of runs that were not made in turn.
sub drift_faults {
	my ($tables) = @_;
	my $table = $tables->{'False alarms, 5 metrics'};
	my ($row) = grep { /$block/ } keys %$table;

	return defined $row && $table->{$row}[3] > 20 ? () : 'drift is not seen';
}

plan(skip_all => "$out/check/stats/simulate: not built") if !-x "$out/check/stats/simulate";
my $text = `$out/check/stats/simulate $trials`;
my $tables = tables($text);

is($?, 0, "$trials trials");
is(join("\n", alarm_faults($tables)), '', 'false alarms: 1 % at most, in turn');
is(join("\n", drift_faults($tables)), '', 'and more than that one after the other');
is(join("\n", power_faults($tables)), '', 'what should be found is found');
is(join("\n", coverage_faults($tables)), '', 'intervals hold the truth');

# The same judgements of what is wrong: the basic interval, runs one after the
# other taken for others, and nothing found.
my %basic = (%$tables, 'Intervals that hold the truth: percentile (basic)' =>
	$tables->{'Intervals that hold the truth: percentile (basic), second'});
my $renamed = tables($text =~ s/$block/some other way/gr);
my $lost = tables($text =~ s/(\+10 % \|) [\d.]+ %/$1 0.0 %/gr);

isnt(join("\n", coverage_faults(\%basic)), '', 'the basic interval is refused');
isnt(join("\n", alarm_faults($renamed)), '', 'drift without turns is refused');
isnt(join("\n", power_faults($lost)), '', 'a test that finds nothing is refused');

if ($trials == 2000) {
	open(my $in, '<', 'doc/statistics.md') or die "doc/statistics.md: $!\n";
	local $/;
	my $document = <$in>;

	ok(index($document, $text =~ s/\s+\z//r) >= 0, 'doc/statistics.md has these tables');
}
done_testing();
