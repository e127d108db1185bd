# SPDX-License-Identifier: GPL-2.0-only
#
# What checks have to know of this host to know what to expect on it.
package Host;
use strict;
use warnings;
use Exporter 'import';

our @EXPORT = qw(splits_when_logged);

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

# Blocks are split when dirty logging comes, and not by who writes: x86's TDP MMU
# since Linux 5.18. Where tables are shadowed tdp_mmu may say Y all the same.
sub splits_when_logged
{
	return has_two_dimensional_paging() && is_on('kvm', 'tdp_mmu') && is_on('kvm', 'eager_page_split');
}

1;
