# SPDX-License-Identifier: GPL-2.0-only
#
# Does a figure grow with what is done over and over? Judged by the slope of
# Theil and Sen, the median of the slopes between all pairs of points, which a
# few wild points do not move, and by its 95 % confidence interval (Sen 1968,
# from the variance of Kendall's S, corrected for ties).
package Slope;
use strict;
use warnings;
use Exporter 'import';
use List::Util qw(max min sum0);

our @EXPORT_OK = qw(fit judge describe settled);

# All pairs are compared: a longer series is cut into so many blocks, each of
# which counts by its medians.
use constant POINTS => 200;
use constant POINTS_MIN => 8;
use constant NORMAL_975 => 1.959964;

sub median
{
	my @sorted = sort { $a <=> $b } @_;
	my $middle = int(@sorted / 2);

	return @sorted % 2 ? $sorted[$middle]
			   : ($sorted[$middle - 1] + $sorted[$middle]) / 2;
}

# [[x, y]...], shortened to at most POINTS.
sub blocks
{
	my ($points) = @_;
	my $nr = @$points;

	return $points if $nr <= POINTS;
	return [map {
		my @block = @$points[int($nr * $_ / POINTS) .. int($nr * ($_ + 1) / POINTS) - 1];
		[median(map { $_->[0] } @block), median(map { $_->[1] } @block)];
	} 0 .. POINTS - 1];
}

# Standard deviation of Kendall's S if nothing grows.
sub deviation
{
	my ($n, @y) = @_;
	my %ties;

	$ties{$_}++ for @y;
	return sqrt(max(0, $n * ($n - 1) * (2 * $n + 5)
		- sum0(map { $_ * ($_ - 1) * (2 * $_ + 5) } values %ties)) / 18);
}

# Without the first quarter: caches fill and allocators keep what they have had.
sub settled
{
	my ($points) = @_;

	return [@$points[int(@$points / 4) .. $#$points]];
}

# Slope per unit of x with its bounds; undef of fewer points than POINTS_MIN.
sub fit
{
	my $points = blocks(settled(shift));
	my $n = @$points;
	my @slopes;

	return if $n < POINTS_MIN;
	for my $i (0 .. $n - 1) {
		for my $k ($i + 1 .. $n - 1) {
			my $dx = $points->[$k][0] - $points->[$i][0];
			push @slopes, ($points->[$k][1] - $points->[$i][1]) / $dx if $dx > 0;
		}
	}
	return unless @slopes;
	@slopes = sort { $a <=> $b } @slopes;
	my $half = NORMAL_975 * deviation($n, map { $_->[1] } @$points) / 2;
	my $middle = @slopes / 2;
	return { slope => median(@slopes), points => $n,
		 low => $slopes[max(0, int($middle - $half))],
		 high => $slopes[min($#slopes, int($middle + $half))] };
}

# "flat": grows by no more than $bound per unit, beyond doubt. "grows": by more,
# beyond doubt. Else "undecided": more of it would tell.
sub judge
{
	my ($fit, $bound) = @_;

	return 'undecided' unless $fit;
	return 'flat' if $fit->{high} <= $bound;
	return $fit->{low} > $bound ? 'grows' : 'undecided';
}

sub describe
{
	my ($fit, $unit, $per) = @_;

	return 'too few points' unless $fit;
	return sprintf('%.4g %s per %s [%.4g, %.4g], %d points', $fit->{slope}, $unit, $per,
		$fit->{low}, $fit->{high}, $fit->{points});
}

1;
