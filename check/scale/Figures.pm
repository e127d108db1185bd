# SPDX-License-Identifier: GPL-2.0-only
#
# What a process, a control group and the host have: memory, descriptors,
# threads, VMs. A figure that this host does not tell is undef.
package Figures;
use strict;
use warnings;
use Exporter 'import';
use FindBin;
use lib "$FindBin::Bin/../harness";
use Groups;
use Harness qw(in_control_group);
use POSIX ();

our @EXPORT_OK = qw(process host group_create group_kernel group_figures group_remove group_kill
		    group_command kvm_directory available);

sub text_of
{
	my ($path) = @_;

	open my $in, '<', $path or return '';
	local $/;
	my $text = <$in>;
	return $text // '';
}

sub entries
{
	my ($dir) = @_;

	opendir my $d, $dir or return;
	return grep { !/^\.\.?$/ } readdir $d;
}

sub number
{
	my ($text, $name) = @_;

	return $text =~ /^\Q$name\E:?\s+(\d+)/m ? $1 : undef;
}

# Of a process, KiB where it is memory; empty once it has ended.
sub process
{
	my ($pid) = @_;
	my $status = text_of("/proc/$pid/status");
	my $rollup = text_of("/proc/$pid/smaps_rollup");
	my @fds = entries("/proc/$pid/fd");
	my %figure = (
		rss => number($status, 'VmRSS'), pss => number($rollup, 'Pss'),
		anon => number($rollup, 'Pss_Anon'), threads => number($status, 'Threads'),
		fds => scalar @fds,
	);

	return defined $figure{rss} && @fds ? \%figure : undef;
}

# Whether a VM of this process is there under its PID: in a PID namespace it has
# another one for KVM.
sub shows_own_vm
{
	my ($kvm) = @_;
	my $create_vm = 0xae01;    # linux/kvm.h

	open my $dev, '+<', '/dev/kvm' or return 0;
	my $vm = ioctl($dev, $create_vm, 0) or return 0;
	my $seen = () = glob("$kvm/$$-*");
	POSIX::close($vm);
	return $seen > 0;
}

# Where KVM has a directory PID-FD for each VM, if debugfs can be seen and has those
# of processes as we know them. To mount it is for a caller that is in a mount
# namespace of its own.
sub kvm_directory
{
	my ($kvm, %how) = ('/sys/kernel/debug/kvm', @_);
	our %shows;

	system('mount -t debugfs none /sys/kernel/debug 2>/dev/null')
		if $how{mount} && !-d $kvm;
	return unless -d $kvm;
	return ($shows{$kvm} //= shows_own_vm($kvm)) ? $kvm : undef;
}

# VMs in $kvm that belong to the processes of @$pids, or if undef, to none that
# is alive.
sub vms
{
	my ($kvm, $pids) = @_;
	my %ours = map { $_ => 1 } @{ $pids // [] };

	return unless defined $kvm;
	return scalar grep {
		/^(\d+)-\d+$/ && ($pids ? $ours{$1} : !-d "/proc/$1")
	} entries($kvm);
}

sub host
{
	my ($kvm) = @_;
	my $memory = text_of('/proc/meminfo');

	return {
		available => number($memory, 'MemAvailable'),
		slab => number($memory, 'SUnreclaim'),
		huge_pages => number($memory, 'HugePages_Total'),
		orphan_vms => vms($kvm),
	};
}

# KiB
sub available
{
	return number(text_of('/proc/meminfo'), 'MemAvailable') // 0;
}

# A control group that counts memory, the kernel's for these processes as well,
# or undef where none can be made.
sub group_create
{
	return Groups::make(@_);
}

sub group_remove
{
	my ($dir) = @_;

	rmdir $dir if defined $dir;
}

# Ends the processes in it.
sub group_kill
{
	my ($dir) = @_;

	return unless defined $dir;
	for (1 .. 50) {
		my @pids = text_of("$dir/cgroup.procs") =~ /\d+/g or last;
		kill 'KILL', @pids;
		select(undef, undef, undef, 0.1);
	}
}

# A command in the group.
sub group_command
{
	my ($dir, @command) = @_;

	return @command unless defined $dir;
	return ('/bin/sh', '-ec', "echo \$\$ > $dir/cgroup.procs; exec \"\$@\"", 'sh', @command);
}

# The file that tells how many bytes the kernel has for it, and what stands
# before the number there.
sub group_kernel
{
	my ($dir) = @_;

	return unless defined $dir;
	return -e "$dir/memory.current" ? ("$dir/memory.stat", "\nkernel ")
					: ("$dir/memory.kmem.usage_in_bytes", '');
}

# KiB; what the page cache holds of files is left out.
sub group_figures
{
	my ($dir) = @_;

	return {} unless defined $dir;
	my ($file, $key) = group_kernel($dir);
	my $kernel = text_of($file) =~ /$key(\d+)/ ? $1 : undef;
	my $user = number(text_of("$dir/memory.stat"), -e "$dir/memory.current" ? 'anon' : 'rss');

	return {
		group_kernel => defined $kernel ? $kernel / 1024 : undef,
		group_user => defined $user ? $user / 1024 : undef,
		group_processes => scalar(() = text_of("$dir/cgroup.procs") =~ /\d+/g),
	};
}

1;
