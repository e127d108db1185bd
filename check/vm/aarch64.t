#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# arm64's KVM with VHE: the benchmarks, in every guest mode, with and without eager
# splits, and guests that break.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Arm64;
use Machine;

# Dirty rings came with Linux 6.2, eager splits with 6.6, 52 bits without 64K pages in the host with 6.8.
my $splits = kernel() ne '6.1';

check_machine('aarch64',
	says => qr/kvm \[1\]: VHE mode initialized successfully/,
	not_verified => { 'each not-present has one ready' =>
			  'KVM has no asynchronous page faults on arm64' },
	also => [ 'modes', ('splits') x $splits, ('rings') x $splits, 'faults', 'stale',
		  'device' ],
	judge => sub {
		my ($dir) = @_;

		judge_modes($dir, kernel() eq '6.1' ? qw(0 1 2) : ());
		judge_splits($dir) if $splits;
		judge_rings($dir) if $splits;
		judge_faults($dir);
		# the hypervisor makes invalidations by TLBI reach all (HCR_EL2.FB)
		judge_stale($dir, 'no-shootdown-switch',
			map { "no-invalidate-$_" } qw(page switch broadcast));
		judge_run(['device', 'tlb_stress_test', '-v 2 --device resource2'], $dir, {});
	});
