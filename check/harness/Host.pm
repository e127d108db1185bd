# SPDX-License-Identifier: GPL-2.0-only
#
# What checks have to know of this host to know what to expect on it.
package Host;
use strict;
use warnings;
use Exporter 'import';
use POSIX qw(uname);

our @EXPORT = qw(splits_when_logged faults_exclude_each_other can_collapse children_of);

sub text_of
{
	my ($path) = @_;

	open my $in, '<', $path or return '';
	local $/;
	return <$in> // '';
}

# ---- KVM ----

sub is_on
{
	my ($module, $name) = @_;

	return text_of("/sys/module/$module/parameters/$name") =~ /^[Y1]/;
}

sub has_two_dimensional_paging
{
	return is_on('kvm_intel', 'ept') || is_on('kvm_amd', 'npt');
}

# Where tables are shadowed the parameter may say Y all the same.
sub has_tdp_mmu
{
	return has_two_dimensional_paging() && is_on('kvm', 'tdp_mmu');
}

# Blocks are split when dirty logging comes, and not by who writes: x86 since
# Linux 5.18.
sub splits_when_logged
{
	return has_tdp_mmu() && is_on('kvm', 'eager_page_split');
}

# Others take the MMU lock of a VM for reading when a vCPU faults.
sub faults_exclude_each_other
{
	return (uname())[4] eq 'x86_64' && !has_tdp_mmu();
}

# ---- memory ----

my %madvise = (x86_64 => 28, aarch64 => 233);    # numbers of the system call
use constant MADV_COLLAPSE => 25;

# Of no bytes at all: whether the kernel knows what is wanted.
sub can_collapse
{
	my $number = $madvise{ (uname())[4] } // return 0;

	return syscall($number, 0, 0, MADV_COLLAPSE) == 0;
}

# ---- processes ----

# /proc/PID/task/TID/children is an option of the kernel.
sub children_of
{
	my ($pid) = @_;

	return grep { text_of("/proc/$_/stat") =~ /\) \S (\d+) / && $1 == $pid }
		map { m{^/proc/(\d+)$} } glob('/proc/[0-9]*');
}

1;
