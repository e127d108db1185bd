#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# The benchmarks under arm64's KVM with VHE.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Machine;

check_machine('aarch64',
	says => qr/kvm \[1\]: VHE mode initialized successfully/);
