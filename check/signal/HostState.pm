# SPDX-License-Identifier: GPL-2.0-only
#
# What a host has that a program may leave changed: settings, mounts, swap,
# tracing, control groups, shared memory, processes. A script that calls
# have_own_world() first sees none but its own processes, shared memory, network
# settings and memory control groups.
package HostState;
use strict;
use warnings;
use Exporter 'import';
use Time::HiRes qw(sleep time);

our @EXPORT = qw(have_own_world own_group host_state host_changes settled_changes text_of);

# Each file's first word line is a setting.
my @settings = qw(
	/sys/module/kvm*/parameters/*
	/proc/sys/vm/nr_hugepages /proc/sys/vm/nr_overcommit_hugepages
	/proc/sys/vm/overcommit_memory /proc/sys/vm/page-cluster /proc/sys/vm/swappiness
	/proc/sys/vm/unprivileged_userfaultfd /proc/sys/vm/max_map_count
	/proc/sys/kernel/numa_balancing /proc/sys/kernel/perf_event_paranoid
	/proc/sys/kernel/core_pattern /proc/sys/kernel/hostname
	/proc/sys/net/ipv4/ip_default_ttl
	/sys/kernel/mm/hugepages/*/*_hugepages
	/sys/kernel/mm/transparent_hugepage/enabled /sys/kernel/mm/transparent_hugepage/defrag
	/sys/kernel/mm/transparent_hugepage/shmem_enabled
	/sys/kernel/mm/transparent_hugepage/hugepages-*/enabled
	/sys/kernel/mm/transparent_hugepage/khugepaged/*
	/sys/kernel/mm/ksm/run
	/sys/devices/system/cpu/online /sys/devices/system/cpu/smt/control
	/sys/devices/system/cpu/cpu*/cpufreq/scaling_governor
	/sys/kernel/tracing/tracing_on /sys/kernel/tracing/current_tracer
	/sys/kernel/tracing/kprobe_events /sys/kernel/tracing/events/enable
	/sys/kernel/tracing/events/kvm/enable /sys/kernel/tracing/events/lock/enable
);
# How far khugepaged has come.
my $not_settings = qr{/(?:pages_collapsed|full_scans)\z};

sub text_of {
	my ($path) = @_;

	open(my $in, '<', $path) or return '';
	local $/;
	my $text = <$in> // '';
	return $text =~ s/\s+\z//r;
}

# Set, and 1 where it is so.
my $mine = 'KVMETER_CHECK_OWN_WORLD';

# Re-runs this script where what it sees is its own. True: it is so.
sub have_own_world {
	my @unshare = ('unshare', '-m', '-n', '-u', '-p', '-f', '--mount-proc');

	if (!defined $ENV{$mine}) {
		$ENV{$mine} = $> || system("@unshare true 2>/dev/null") ? 0 : 1;
		exec(@unshare, $^X, $0, @ARGV) if $ENV{$mine};
	}
	system('mount -t tmpfs none /dev/shm') if $ENV{$mine};
	enter_group() if $ENV{$mine};
	return $ENV{$mine};
}

# ---- control groups ----

my $group;    # directory of our own, if we have one

# Two levels: in version 2 a benchmark makes its group beside the one it is in.
sub enter_group {
	my ($v1) = text_of('/proc/self/cgroup') =~ m{^\d+:(?:\S+,)?memory(?:,\S+)?:(\S+)$}m;
	my ($v2) = text_of('/proc/self/cgroup') =~ m{^0::(\S+)$}m;
	my $top = defined $v1 ? "/sys/fs/cgroup/memory$v1" : '/sys/fs/cgroup' . ($v2 // '');

	$top = '/sys/fs/cgroup/memory' if defined $v1 && !-d $top;
	# of checks that were killed; one that is in use does not go
	rmdir("$_/home") && rmdir($_) for glob("$top/check-signal-*");
	$group = "$top/check-signal-" . time;
	if (!mkdir($group) || !mkdir("$group/home")) {
		undef $group;
		return;
	}
	open(my $procs, '>', "$group/home/cgroup.procs") or return;
	print $procs $$;
	close $procs;
}

sub own_group { return $group }

sub leave_group {
	return if !$group;
	open(my $procs, '>', "$group/../cgroup.procs") or return;
	print $procs $$;
	close $procs;
	rmdir("$group/home");
	rmdir($group);
}

my $maker = $$;
END { leave_group() if $$ == $maker }

# ---- all of it ----

sub processes {
	my @others;

	for my $dir (glob('/proc/[0-9]*')) {
		my $name = text_of("$dir/comm");

		# ours and those that have ended, which their parent is to reap
		next if $dir eq "/proc/$$" || text_of("$dir/stat") =~ /\) Z /;
		push @others, $name if $name ne '';
	}
	return join(' ', sort @others);
}

sub files_below {
	my ($dir) = @_;

	return join(' ', sort split /\n/, `find $dir -mindepth 1 2>/dev/null`);
}

# Name => value.
sub host_state {
	my %state;

	for my $path (grep { $_ !~ $not_settings } glob("@settings")) {
		$state{$path} = text_of($path);
	}
	$state{mounts} = join("\n", sort map { s/^\d+ \d+ //r }
			       split /\n/, text_of('/proc/self/mountinfo'));
	$state{swap} = text_of('/proc/swaps') =~ s/\t\d+\t+(-?\d+)$/ $1/mgr;
	# of others there are many, who come and go
	$state{processes} = $ENV{$mine} ? processes() : '';
	$state{'/dev/shm'} = $ENV{$mine} ? files_below('/dev/shm') : '';
	$state{'control groups'} = $group ? join(' ', map { s{.*/}{}r } sort grep { -d }
		glob("$group/* $group/home/*")) : '';
	return \%state;
}

# What differs, in words.
sub host_changes {
	my ($before, $after) = @_;
	my %names = (%$before, %$after);

	return map { sprintf("%s: '%s', was '%s'", $_, $after->{$_} // '-', $before->{$_} // '-') }
		grep { ($after->{$_} // '-') ne ($before->{$_} // '-') } sort keys %names;
}

# The same, of now, once what takes a moment has had it: huge pages come back, and
# a guardian puts back, after their process is gone.
sub settled_changes {
	my ($before, $seconds) = @_;
	my $end = time + $seconds;
	my @changes;

	do {
		@changes = host_changes($before, host_state());
	} while (@changes && time < $end && sleep(0.02));
	return @changes;
}

1;
