#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# How often do boots that differ look like a change? Few trials, judged with room
# for chance; KVMETER_STATS_FULL=1 takes the 2,000 of doc/statistics.md, whose
# table must then be what the program prints.
#
# KVMETER_OUT names the directory of the build.
use strict;
use warnings;
use Test::More;

my $out = $ENV{KVMETER_OUT} // 'build/' . (split ' ', `uname -m`)[0];
my $trials = $ENV{KVMETER_STATS_FULL} ? 2000 : 60;

plan(skip_all => "$out/check/stats/boots: not built") if !-x "$out/check/stats/boots";

# Four standard deviations of a share of $percent in so many trials.
sub chance {
	my ($percent) = @_;

	return 4 * sqrt($percent * (100 - $percent) / $trials);
}

# Where five boots a side or common ones promise alpha, and what three or four do.
sub faults {
	my ($text) = @_;
	my (@faults, $rows);

	while ($text =~ /^\| ((\d+) boots?, (?:.*?)) \| ([\d.]+) % \| ([\d.]+) % \|$/mg) {
		my ($row, $boots, $files, $chosen) = ($1, $2, $3, $4);
		my $most = $row =~ /the same/ || $boots >= 3 ? 1 : 100;

		$rows++;
		push @faults, "$row: $chosen %" if $chosen > $most + chance(1);
		push @faults, "$row: files alone, $files %"
			if $row !~ /the same/ && $boots < 5 && $files < 5;
	}
	push @faults, 'no rows' if ($rows // 0) < 8;
	return @faults;
}

my $text = `$out/check/stats/boots $trials`;

is($?, 0, "$trials trials");
is(join("\n", faults($text)), '', 'boots are seen, where there are enough of them');

# The same judgement if files counted, and if nothing differed.
isnt(join("\n", faults($text =~ s/(\| [\d.]+ % )\| [\d.]+ % \|$/$1$1|/gmr)), '',
	'files as if they were independent are refused');
isnt(join("\n", faults($text =~ s/[\d.]+ % (?=\|.*%)/0.1 % /gr)), '',
	'boots that do not differ are refused');
if ($trials == 2000) {
	open(my $in, '<', 'doc/statistics.md') or die "doc/statistics.md: $!\n";
	local $/;

	ok(index(<$in>, $text =~ s/\s+\z//r) >= 0, 'doc/statistics.md has this table');
}
done_testing();
