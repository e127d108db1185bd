#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# Does a waiting thread use no CPU?
#
# page_table_test with more vCPUs than CPUs. The time that counts is what the
# process has used, user and system, in the phases in which vCPUs run (create,
# update, adjust) less what its vCPU threads have used within KVM_RUN:
#
#   outside = sum(user_ns + sys_ns - in_run_ns) / sum(wall time of the phases)
#
# It holds futex calls, thread switches, clocks and the main thread's looking
# after stuck vCPUs, and must stay below 2 % of the phases' time. A thread that
# spins while it waits would make it 100 % and more.
#
# log_on and log_off are one ioctl each of the main thread: they are what is
# measured, not waiting, and stand apart. So does the rest of the process: host
# memory populated and freed, VMs built and torn down, results written.
#
# The sum of rusage's two times is the scheduler's own count of nanoseconds;
# only their split comes from the timer tick (proc(5); kernel/sched/cputime.c).
#
# KVMETER_LIMIT_FULL=1   256M and 5 runs, else 64M and 2
# KVMETER_LIMIT_BYTES, KVMETER_LIMIT_RUNS    other numbers
# KVMETER_OUT            build directory of the architecture
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Limit qw(setting bench programs_missing ms);
use List::Util qw(max sum0);
use Test::More;

my $share = 0.02;
my $wake_up_ns = 20_000;    # of a thread that begins and ends a phase, at most
my $attempts = 2;
my @vcpus = (1, 20, 40);
my @running = qw(create update adjust);
my @host = qw(log_on log_off);

my $huge_bytes = 2 << 20;
my $huge_file = '/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages';
my $huge_free = '/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages';
my $huge_added = 0;

sub number_in {
	my ($file) = @_;
	open(my $in, '<', $file) or return;
	my $text = <$in>;
	return $text + 0;
}

sub set_huge_pages {
	my ($nr) = @_;
	open(my $file, '>', $huge_file) or return 0;
	print $file "$nr\n";
	return close $file;
}

# Adds what is missing to have @bytes free. Why that is impossible, or nothing.
sub reserve_huge_pages {
	my ($bytes) = @_;
	my ($had, $free) = (number_in($huge_file), number_in($huge_free));
	return 'this kernel has no huge pages of 2M' if !defined $free;
	my $missing = $bytes / $huge_bytes - $free;

	return if $missing <= 0;
	set_huge_pages($had + $missing)
		or return "$huge_file cannot be written: reserve "
		. ($had + $missing) . ' pages';
	$huge_added = number_in($huge_file) - $had;
	return if $huge_added >= $missing;
	return "only $huge_added of $missing huge pages could be reserved";
}

sub restore_huge_pages {
	my $added = $huge_added;
	$huge_added = 0;
	set_huge_pages(number_in($huge_file) - $added) if $added > 0;
	return;
}

END { restore_huge_pages(); }
$SIG{$_} = sub { exit 1; }
	for qw(INT TERM HUP);

# By phase and in all: wall time, and CPU time outside and within KVM_RUN.
sub account {
	my ($point, $vcpus) = @_;
	my %sum = (wall => 0, outside => 0, in_run => 0, host => 0, wake_ups => 0,
		phase => []);

	for my $stage (@running) {
		my $usage = $point->{usage}{$stage};
		my $wall = sum0(@{ $point->{samples}{$stage} });
		my $outside = $usage->{user_ns} + $usage->{sys_ns} -
			$usage->{in_run_ns};
		$sum{wall} += $wall;
		$sum{wake_ups} += $vcpus * @{ $point->{samples}{$stage} };
		$sum{outside} += $outside;
		$sum{in_run} += $usage->{in_run_ns};
		push @{ $sum{phase} }, sprintf '%s %s of %s', $stage,
			ms($outside), ms($wall);
	}
	for my $stage (@host) {
		my $usage = $point->{usage}{$stage};
		$sum{host} += $usage->{user_ns} + $usage->{sys_ns};
	}
	return \%sum;
}

# Where KVM is quick to map, to wake up so many threads is more than a share of it.
sub accepted {
	my ($sum) = @_;
	return $sum->{outside} < max($share * $sum->{wall},
		$wake_up_ns * $sum->{wake_ups});
}

# It must be able to refuse: a phase of 100 ms whose 40 threads have used 2.5 ms
# outside KVM_RUN, and one whose main thread has spun.
sub self_test {
	my %spent = ('1.5 ms' => 1.5e6, '2.5 ms' => 2.5e6, 'all of it' => 1e8);

	for my $what (sort keys %spent) {
		my %usage = map {
			$_ => { user_ns => 19e7 + $spent{$what}, sys_ns => 1e7,
				in_run_ns => 2e8 }
		} @running, @host;
		my %samples = map { $_ => [1e8] } @running, @host;
		my $sum = account({ usage => \%usage, samples => \%samples }, 40);
		my $expected = $what eq '1.5 ms';
		ok(accepted($sum) == $expected,
			"self-test: $what of 100 ms outside KVM_RUN is "
				. ($expected ? 'accepted' : 'refused'));
	}
	return;
}

sub report {
	my ($what, $point, $sum) = @_;
	my $rest = $point->{cpu_ns} - $sum->{outside} - $sum->{in_run} -
		$sum->{host};

	note("$what: " . join ', ', @{ $sum->{phase} });
	note(sprintf '%s: %.3f %% outside KVM_RUN; CPU time in KVM_RUN %s, '
			. 'log_on and log_off %s, set-up and the rest %s; '
			. 'whole process %s',
		$what, 100 * $sum->{outside} / $sum->{wall},
		ms($sum->{in_run}), ms($sum->{host}), ms($rest),
		ms($point->{wall_ns}));
	return;
}

sub check_idle {
	my ($backing, $vcpus, $bytes, $runs) = @_;
	my $what = "$backing, $vcpus vCPUs";
	my ($point, $sum);

	for (1 .. $attempts) {
		$point = bench('-s', $backing, '-v', $vcpus, '-b', $bytes,
			'--runs', $runs, '--warmup', 0);
		last if !$point;
		$sum = account($point, $vcpus);
		last if accepted($sum);
	}
SKIP: {
		skip "$what: page_table_test skips", 1 if !$point;
		report($what, $point, $sum);
		ok(accepted($sum), "$what: less than 2 % outside KVM_RUN")
			or diag(sprintf '%s: %s of %s', $what,
				ms($sum->{outside}), ms($sum->{wall}));
	}
	return;
}

sub check_backing {
	my ($backing, $missing) = @_;
	my $bytes = setting('BYTES', 64 << 20, 256 << 20);

	$missing //= reserve_huge_pages($bytes) if $backing =~ /hugetlb/;
SKIP: {
		skip "$backing: $missing", scalar @vcpus if $missing;
		check_idle($backing, $_, $bytes, setting('RUNS', 2, 5))
			for @vcpus;
	}
	return;
}

self_test();
my $missing = programs_missing(Limit::bench_path());
check_backing($_, $missing) for qw(anonymous anonymous_hugetlb_2mb);
done_testing();
