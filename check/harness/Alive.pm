# SPDX-License-Identifier: GPL-2.0-only
#
# What processes that do not come to their end are waiting for: of a hang that
# cannot be brought about again, this is the only trace.
package Alive;
use strict;
use warnings;
use Exporter 'import';
use IO::Select;
use POSIX ();
use Time::HiRes qw(time);

our @EXPORT_OK = qw(alive);

use constant FRAMES => 5;             # of the kernel's stack, which only root may see
use constant COMMAND_LENGTH => 120;
use constant PATIENCE => 5;           # seconds

sub slurp
{
	open(my $in, '<', $_[0]) or return '';
	local $/;
	return scalar(<$in>) // '';
}

# proc_pid_stat(5): the name may hold anything, and ends with the last ")".
sub processes
{
	my %process;

	for (glob('/proc/[0-9]*/stat')) {
		my ($pid, $state, $parent, $group) = slurp($_) =~ /^(\d+) \(.*\) (\S) (\d+) (\d+) /s or next;

		$process{$pid} = { pid => $pid, state => $state, parent => $parent, group => $group };
	}
	return \%process;
}

# Where the kernel has a thread: "futex_wait_queue < __futex_wait < do_futex".
sub waits_in
{
	my ($thread) = @_;
	my @frames = grep { !/^(?:do|entry)_(?:SYSCALL|syscall)_64|^el0/ }
		slurp("$thread/stack") =~ /^\[<\w+>\] (?!0x)(\w+)/mg;

	@frames = slurp("$thread/wchan") =~ /^([a-z_]\w*)/ if !@frames;
	return @frames ? join(' < ', @frames[0 .. ($#frames < FRAMES ? $#frames : FRAMES - 1)]) : 'user mode';
}

# "2 S in do_wait < kernel_wait4, 1 R in user mode", by threads
sub threads_of
{
	my ($pid) = @_;
	my %count;

	for my $thread (glob("/proc/$pid/task/[0-9]*")) {
		my ($state) = slurp("$thread/stat") =~ /\) (\S) \d/ or next;

		$count{"$state in " . waits_in($thread)}++;
	}
	return join(', ', map { "$count{$_} $_" } sort keys %count);
}

# Of the process, those below it and those of its group a line each.
sub describe
{
	my ($top, $to) = @_;
	my $process = processes();
	my %below = ($top => 1);
	my $nr = 0;

	while ($nr != keys %below) {
		$nr = keys %below;
		$below{ $_->{pid} } = 1 for grep { $below{ $_->{parent} } || $_->{group} == $top } values %$process;
	}
	for (sort { $a <=> $b } grep { $process->{$_} && $process->{$_}{state} ne 'Z' } keys %below) {
		syswrite($to, "process $_, " . (threads_of($_) || 'gone') . ': ');
		# of a process in trouble the kernel may not let go of it
		my $command = slurp("/proc/$_/cmdline") =~ tr/\0\n/  /r;

		syswrite($to, substr($command, 0, COMMAND_LENGTH) . "\n");
	}
}

# alive(PID): those lines, as far as they come within a few seconds.
sub alive
{
	my ($top) = @_;
	my ($text, $deadline) = ('', time + PATIENCE);

	pipe(my $from, my $to) or return "pipe: $!";
	my $pid = fork() // return "fork: $!";
	if (!$pid) {
		$SIG{$_} = 'DEFAULT' for qw(ALRM HUP INT TERM);
		describe($top, $to);
		POSIX::_exit(0);
	}
	close($to);
	my $ready = IO::Select->new($from);

	while (time < $deadline && $ready->can_read($deadline - time)) {
		last if !sysread($from, $text, 65536, length($text));
	}
	kill('KILL', $pid);
	waitpid($pid, 0);
	return grep { !/^process $pid,/ } split /\n/, $text;
}

1;
