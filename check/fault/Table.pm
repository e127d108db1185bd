# SPDX-License-Identifier: GPL-2.0-only
#
# doc/faults.md: what was tried, and how it was taken.
package Table;
use strict;
use warnings;
use Exporter 'import';

our @EXPORT = qw(outcomes write_table);

my @columns = (
	[failed => 'exit 1: what failed, why and what helps is said'],
	[refused => 'exit 2: so is the option whose value cannot be used'],
	[skipped => 'exit 4: a feature is missing'],
	[tolerated => 'goes on: repeated, done otherwise, or a fact that is then unknown'],
	[unreached => 'the call was not made this time'],
);

sub count
{
	my %count;

	$count{ $_->{outcome} }++ for @_;
	return \%count;
}

sub outcomes
{
	my $count = count(@_);

	return join(', ', map { "$count->{$_} $_" } sort keys %$count);
}

sub row
{
	my ($name, @tried) = @_;
	my $count = count(@tried);
	my $bad = grep { @{ $_->{wrong} } } @tried;

	return "| $name | " . join(' | ', scalar @tried, (map { $count->{ $_->[0] } // 0 } @columns),
				   $bad) . " |\n";
}

sub write_table
{
	my ($path, $tried, $scenes, $all) = @_;
	my (%of, %sites);

	push @{ $of{ $_->{kind} } }, $_ for @$tried;
	$sites{"$_->{kind} $_->{symbols}"} = 1 for @$tried;
	open(my $to, '>', $path) or die "$path: $!\n";
	print $to <<"END";
# Faults

What the benchmarks and `kvmeter` make of system calls that fail. Written by
`KVMETER_LONG=1 check/fault/faults.t --table doc/faults.md`; \`make check\` tries one
fault of each kind from each path through the code.

A program runs under a seccomp filter whose supervisor (`check/fault/inject.c`) lets
calls go on, or answers one with an errno in the kernel's place. $scenes invocations are
first recorded, with all calls of all their threads and children, each with the path
through the code that it comes from. Then they run once for each fault: the first, second,
middle and last call of a kind from each path, with each errno that it may have, and
every call of a kind from the first on. Of $all faults in all, @{[ scalar @$tried ]} were
tried in this run, a mixture of all kinds and paths.

Whatever happens, no signal ends a program, none takes longer than its deadlines, and
none leaves a process or a file that is not whole results. A message names the call or
its file, the errno and what helps. The last column counts where that does not hold.

END
	print $to "- $_->[0]: $_->[1]\n" for @columns;
	print $to "\n| call | tried | ", join(' | ', map { $_->[0] } @columns), " | badly |\n",
		'| --- |', ' ---: |' x (2 + @columns), "\n";
	print $to row("`$_`", @{ $of{$_} }) for sort keys %of;
	print $to row('all, ' . keys(%sites) . ' paths', @$tried);
	close $to or die "$path: $!\n";
}

1;
