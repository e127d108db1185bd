#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# The benchmarks under x86_64's KVM with nested paging and its TDP MMU.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Machine;

sub has_npt
{
	my ($results) = @_;
	my $parameters = $results->{host}{kvm}{parameters};

	return $parameters->{'kvm_amd.npt'} =~ /^[Y1]/ &&
		$parameters->{'kvm.tdp_mmu'} eq 'Y';
}

check_machine('x86_64-npt',
	results => \&has_npt,
	also => [ 'stale' ],
	judge => sub {
		judge_stale($_[0], map { ("no-invalidate-$_", "no-shootdown-$_") }
			qw(page switch broadcast));
	});
