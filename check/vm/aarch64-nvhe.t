#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# arm64's KVM without VHE: the benchmarks, in the modes of that CPU, with and
# without eager splits, and guests that break.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Arm64;
use Machine;

# Dirty rings came with Linux 6.2, eager splits with 6.6.
my $splits = kernel() ne '6.1';

check_machine('aarch64-nvhe',
	says => qr/kvm \[1\]: Hyp (nVHE )?mode initialized successfully/,
	not_verified => { 'each not-present has one ready' =>
			  'KVM has no asynchronous page faults on arm64' },
	also => [ 'modes', ('splits') x $splits, ('rings') x $splits, 'faults' ],
	judge => sub {
		my ($dir) = @_;

		judge_modes($dir, qw(0 1 2 3 4 5 7 13 20 15));
		judge_splits($dir) if $splits;
		judge_rings($dir) if $splits;
		judge_faults($dir);
	});
