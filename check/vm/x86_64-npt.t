#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# The benchmarks under x86_64's KVM with nested paging and its TDP MMU, and
# asynchronous page faults of memory that is swapped to a disk.
use strict;
use warnings;
use File::Temp qw(tempfile);
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../harness";
use Harness;
use Machine;
use Test::More;

sub has_npt
{
	my ($results) = @_;
	my $parameters = $results->{host}{kvm}{parameters};

	return $parameters->{'kvm_amd.npt'} =~ /^[Y1]/ &&
		$parameters->{'kvm.tdp_mmu'} eq 'Y';
}

# A disk that the kernel does not wait for, unlike zram.
my ($disk, $image) = tempfile('kvmeter-swap-XXXXXX', TMPDIR => 1, UNLINK => 1);
truncate($disk, 64 << 20) or die "$image: $!\n";

sub judge_swap
{
	my ($dir) = @_;
	my $results = judge_run(['swap', 'async_pf_test', '--slow swap'], $dir, {}) // {};
	my ($told) = grep { $_->{name} eq 'not_present' } @{ $results->{points}[0]{metrics} };

	cmp_ok($told->{samples}[0] // 0, '>', 0, 'KVM tells of pages that are swapped out');
	my ($zram) = grep { $_->{name} eq 'each not-present has one ready' }
		@{ (read_json("$dir/zram.json") // {})->{points}[0]{checks} };
	is($zram->{result}, 'not verified', '... and not of those in zram');
}

# What each benchmark of the script "offline" has said.
sub judge_offline
{
	my ($dir) = @_;
	my %said = map { my $name = $_; $name => join '', map { read_file("$dir/offline-$name.$_") // '' }
		qw(status tap err) } qw(named under);

	like($said{named}, qr/^2\n.*-c 1: a CPU in it is not there, or not for this process$/ms,
		'a CPU that is offline: --pin is refused');
	like($said{under}, qr/^1\n.*^Bail out! --pin: CPU 1: sched_setaffinity: Invalid argument: is it still online/ms,
		'a CPU that goes offline under a benchmark: it says so');
	judge_run(['offline-other', 'page_table_test', '-v 2'], $dir, {});
}

check_machine('x86_64-npt',
	results => \&has_npt,
	settings => [ "QEMU_ARGS=-drive file=$image,if=none,id=swap,format=raw,cache=unsafe " .
		      '-device virtio-blk-pci,drive=swap' ],
	also => [ 'stale', 'device', 'swap', 'offline' ],
	judge => sub {
		judge_stale($_[0], map { ("no-invalidate-$_", "no-shootdown-$_") }
			qw(page switch broadcast));
		judge_run(['device', 'tlb_stress_test', '-v 2 --device resource2'], $_[0], {});
		judge_swap($_[0]);
		judge_offline($_[0]);
	});
