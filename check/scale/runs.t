#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# Each benchmark with many runs in one process. It keeps a few numbers of each
# run, to print them; nothing else grows. With KVMETER_LONG thousands of runs.
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

# Options, runs in CI, runs at length, bytes that it may keep of each run: of
# each sample itself, that of each vCPU and the run's median, in buffers that
# double.
my %benchmarks = (
	async_pf_test => [ '--bytes 16K --slow uffd:200', 12, 200, 1024 ],
	dirty_log_perf_test => [ '--bytes 64K --vcpus 2 --rounds 2', 40, 5000, 1536 ],
	dirty_log_test => [ '--bytes 64K --rounds 3 --disturb nothing', 24, 2000, 256 ],
	memslot_zap_test => [ '--bytes 64K --op toggle --passes 1', 24, 1000, 1024 ],
	page_table_test => [ '--bytes 64K --vcpus 2', 60, 10000, 512 ],
	tlb_stress_test => [ '--processes 2 --invalidate page', 16, 500, 1024 ],
);

my @columns = qw(n heap anon fds threads mappings vms group);

sub many_runs
{
	my ($name) = @_;
	my ($options, $few, $many, $bytes) = @{ $benchmarks{$name} // [ '', 12, 100, 1024 ] };
	my $runs = long() ? $many : $few;
	my ($r, @series) = sampled([ binary("check/scale/sampled_$name"), '--quiet', '--runs', $runs,
				     '--warmup', 0, split(' ', $options) ],
				   timeout => long() ? 3600 : 120, every => $runs > 2000 ? 10 : 1);

	run_ok("$name: $runs runs", $r, code => $r->{code} == 1 && $r->{out} =~ /^not ok /m ? 1 : 0);
	Soak::table(\@columns, @series);
	Soak::judge_growth("$name, $runs runs", 'run', [
		[ 'heap', 'bytes', $bytes ], [ 'anon', 'KiB', $runs < 1000 ? 8 : $bytes / 512 ],
		[ 'fds', 'fds', 0 ], [ 'threads', 'threads', 0 ],
		# a buffer that has become large gets a mapping of its own
		[ 'mappings', 'mappings', $runs < 1000 ? 0.5 : 0.02 ],
		[ 'vms', 'VMs', 0 ], [ 'group', 'KiB', $runs < 1000 ? 64 : 4 ],
	], @series);
}

many_runs($_) for map { s{.*/}{}r } glob(binary('tests/page_table_test') =~ s{page_table_test\z}{*_test}r);
done_testing();
