# SPDX-License-Identifier: GPL-2.0-only
#
# Runs something over and over, takes figures after each time, and says of each
# whether it grows.
package Soak;
use strict;
use warnings;
use Exporter 'import';
use FindBin;
use lib $FindBin::Bin;
use Slope;
use Test::More;
use Time::HiRes qw(time);

our @EXPORT_OK = qw(long repeat growth judge_growth table is_square);

sub long
{
	return $ENV{KVMETER_LONG} ? 1 : 0;
}

# repeat(seconds => s, at_least => n, at_most => n, once => sub { figures })
# Calls @once until the time is over; returns the list of figures.
sub repeat
{
	my (%o) = @_;
	my ($start, @series) = (time);

	while (1) {
		my $n = @series;
		last if $n >= ($o{at_most} // 1e9);
		last if $n >= ($o{at_least} // 0) && time - $start >= $o{seconds};
		my $figures = $o{once}->($n) // last;
		push @series, { %$figures, seconds => time - $start };
	}
	return @series;
}

# [figure, "flat" | "grows" | "undecided" | "unknown", fit, bound] for each row
# of the table: [figure, unit, bound for each time].
sub growth
{
	my ($rows, @series) = @_;

	return map {
		my ($name, $unit, $bound) = @$_;
		my @points = map { [ $_->{n}, $_->{$name} ] } grep { defined $_->{$name} } @series;
		my $fit = Slope::fit(\@points);
		[ $name, @points ? Slope::judge($fit, $bound) : 'unknown', $fit, $unit, $bound ];
	} @$rows;
}

# On a busy machine peaks are seen by chance, and more has to be seen of them.
sub undecided
{
	return scalar grep { $_->[1] eq 'undecided' } growth(@_);
}

# One result for each row.
sub judge_growth
{
	my ($what, $per, $rows, @series) = @_;

	for (growth($rows, @series)) {
		my ($name, $verdict, $fit, $unit, $bound) = @$_;
		my $text = "$what: $name grows by no more than $bound $unit per $per";

		SKIP: {
			skip("$text: this host does not tell it", 1) if $verdict eq 'unknown';
			is($verdict, 'flat', $text);
			diag(Slope::describe($fit, $unit, $per)) if $verdict ne 'flat';
		}
		note("$name: ", Slope::describe($fit, $unit, $per));
	}
}

# Four times as many should take four times as long; sixteen would be a square.
# Of less than so many seconds nothing can be told.
use constant { LEAST_SECONDS => 0.4, RATIO => 9 };

sub is_square
{
	my ($few_seconds, $seconds) = @_;

	return $seconds >= RATIO * ($few_seconds > LEAST_SECONDS ? $few_seconds : LEAST_SECONDS);
}

# The first and the last, and some between, as columns.
sub table
{
	my ($columns, @series) = @_;
	my %seen;
	my @rows = grep { !$seen{$_}++ } map { int($#series * $_ / 8) } 0 .. 8;

	note(join(' ', map { sprintf '%12s', $_ } @$columns));
	note(join(' ', map { sprintf '%12s', defined $_ ? $_ =~ /\./ ? sprintf('%.1f', $_) : $_
							 : '-' } @{ $series[$_] }{@$columns}))
		for @rows;
}

1;
