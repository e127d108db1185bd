# SPDX-License-Identifier: GPL-2.0-only
#
# Control groups with which checks limit or count memory, of version 1 or 2.
package Groups;
use strict;
use warnings;

our $v1 = '/sys/fs/cgroup/memory';
our $v2 = '/sys/fs/cgroup';
my $added;    # the controller, to what the root's children have
my $maker = $$;

sub write_to
{
	my ($path, $text) = @_;

	open my $out, '>', $path or return 0;
	my $written = syswrite $out, $text;
	return close($out) && defined $written;
}

# Its directory, to be removed by the caller, or undef: none can be made here.
sub make
{
	my ($name) = @_;
	my ($top, $limit) = -e "$v1/memory.limit_in_bytes" ? ($v1, 'memory.limit_in_bytes')
							    : ($v2, 'memory.max');
	my $dir = "$top/$name";

	mkdir $dir or return;
	# for the children of the root, if nobody has done so
	$added = write_to("$v2/cgroup.subtree_control", '+memory') if $top eq $v2 && !-e "$dir/$limit";
	return $dir if -e "$dir/$limit";
	rmdir $dir;
	return;
}

sub limit_file
{
	my ($dir) = @_;

	return -e "$dir/memory.max" ? 'memory.max' : 'memory.limit_in_bytes';
}

# So many bytes, and none of them may go to swap space instead. False: they may.
sub limit_without_swap
{
	my ($dir, $bytes) = @_;

	write_to("$dir/" . limit_file($dir), $bytes) or return 0;
	return 1 if -e "$dir/memory.max" && write_to("$dir/memory.swap.max", 0);
	return 1 if write_to("$dir/memory.memsw.limit_in_bytes", $bytes);
	open my $in, '<', '/proc/swaps' or return 1;
	my @lines = <$in>;
	return @lines < 2;
}

# After those of who uses this, which remove their groups.
END { write_to("$v2/cgroup.subtree_control", '-memory') if $added && $$ == $maker }

1;
