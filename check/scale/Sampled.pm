# SPDX-License-Identifier: GPL-2.0-only
#
# Runs a program that takes figures of itself (sampler.h) and returns them.
package Sampled;
use strict;
use warnings;
use Exporter 'import';
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../harness";
use Figures;
use Harness;
use Test::More;

our @EXPORT_OK = qw(sampled own_namespace);

# A mount of debugfs that nobody else sees, and that ends with this process,
# tells how many VMs KVM has.
sub own_namespace
{
	if (!$ENV{KVMETER_SCALE_INSIDE} && $> == 0 && !system('unshare -m true 2>/dev/null')) {
		$ENV{KVMETER_SCALE_INSIDE} = 1;
		exec 'unshare', '-m', $0, @ARGV;
	}
	return Figures::kvm_directory(mount => $ENV{KVMETER_SCALE_INSIDE});
}

# sampled([command], timeout => s, every => n): the run, and a list of figures.
# Memory in KiB, but for "heap", which is in bytes and exact: without
# malloc()'s caches.
sub sampled
{
	my ($command, %opt) = @_;
	my $path = scratch('figures');
	my $group = Figures::group_create("kvmeter-scale-$$");
	my ($file, $key) = Figures::group_kernel($group);
	unlink $path;
	my $r = run([ Figures::group_command($group, @$command) ], timeout => $opt{timeout} // 120,
		env => { KVMETER_FIGURES => $path, KVMETER_FIGURES_EVERY => $opt{every} // 1,
			 KVMETER_FIGURES_GROUP => $file // '', KVMETER_FIGURES_GROUP_KEY => $key // '',
			 KVMETER_FIGURES_KVM => Figures::kvm_directory() // '/nowhere',
			 GLIBC_TUNABLES => 'glibc.malloc.tcache_count=0' });
	my @series;

	Figures::group_remove($group);
	for (split /\n/, read_file($path) // '') {
		my %figure = map { /(\w+)=(\d+)/ ? ($1 => $2) : () } split;
		$figure{group} = $figure{group} / 1024 if defined $figure{group};
		push @series, \%figure;
	}
	return ($r, @series);
}

1;
