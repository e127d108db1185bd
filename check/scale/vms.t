#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# 64 VMs in one process one after the other, 8 at once: what they hold is given
# back, descriptors, threads, mappings and KVM's VMs to the last one. A leak of
# each kind is found by the same judgement.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../harness";
use Harness;
use Sampled qw(own_namespace sampled);
use Soak qw(long);
use Test::More;

own_namespace();
host_lacks();
my $program = binary('check/scale/many_vms_test');

# For each VM, or for each turn of several. What is counted must not grow at
# all; pages may be touched late, and the kernel gives back in batches, where a
# VM has some hundred KiB.
sub rows
{
	my ($vms) = @_;

	return [
		[ 'heap', 'bytes', 0 ], [ 'anon', 'KiB', 4 ], [ 'fds', 'fds', 0 ],
		[ 'threads', 'threads', 0 ], [ 'mappings', 'mappings', 0 ], [ 'vms', 'VMs', 0 ],
		[ 'group', 'KiB', $vms * (long() && $vms == 1 ? 4 : 32) ],
	];
}
my @columns = ('n', map { $_->[0] } @{ rows(1) });

# KVM's directory of a VM has the number of its descriptor, which the next one
# gets as well: of two that are left it shows one.
sub left
{
	my (@series) = @_;

	return $series[-1]{vms};
}

for ([ 'in-turn', long() ? 1000 : 64, 'VM' ], [ 'at-once', 8, 'turn' ],
     long() ? [ 'at-once', 64, 'turn' ] : ()) {
	my ($how, $nr, $per) = @$_;
	my ($r, @series) = sampled([ $program, $how, $nr ], timeout => long() ? 1200 : 120);

	run_ok("$nr VMs $how: each holds what its own guest wrote", $r, tap => 0,
		out => [ qr/^ok 1 - (\d+) of \1 VMs/m ]);
	cmp_ok(scalar @series, '>=', 12, "$nr VMs $how: figures");
	Soak::table(\@columns, @series);
	Soak::judge_growth("$nr VMs $how", $per, rows($how eq 'in-turn' ? 1 : $nr), @series);
	SKIP: {
		skip("$nr VMs $how: debugfs cannot be seen, or has other PIDs", 1) unless defined left(@series);
		is(left(@series), 0, "$nr VMs $how: KVM has none of them in the end");
	}
}

# Which figures tell of it; those that this host does not tell are left out.
my %found = (memory => [ 'heap' ], fd => [ 'fds' ], vm => [ qw(heap anon fds threads mappings vms group) ],
	     mapping => [ 'mappings' ], nothing => []);
for my $leak (sort keys %found) {
	my ($r, @series) = sampled([ $program, 'in-turn', 16, $leak ]);
	my %told = map { $_ => 1 } grep { my $n = $_; grep { defined $_->{$n} } @series } @columns;
	my @grows = map { $_->[0] } grep { $_->[1] eq 'grows' } Soak::growth(rows(1), @series);
	my %grows = map { $_ => 1 } @grows;

	is(join(' ', grep { $grows{$_} || !$told{$_} } @{ $found{$leak} }), "@{ $found{$leak} }",
		"a leak of $leak is found");
	is("@grows", '', 'nothing else grows') if $leak eq 'nothing';
	isnt(left(@series), 0, "a leak of $leak: KVM still has a VM")
		if $leak eq 'mapping' && defined left(@series);
}

done_testing();
