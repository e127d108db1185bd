#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# The benchmarks under arm64's KVM without VHE.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Machine;

check_machine('aarch64-nvhe',
	says => qr/kvm \[1\]: Hyp (nVHE )?mode initialized successfully/);
