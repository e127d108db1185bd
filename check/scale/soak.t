#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# "kvmeter run" in a loop, every benchmark in it: nothing that it leaves behind
# grows, nor does what it holds itself. The loop has a control group and a mount
# namespace of its own. Ten seconds, or an hour with KVMETER_LONG.
#
# KVMETER_SOAK_PAUSE=SECONDS rests between two turns, for others on the machine.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../harness";
use Figures;
use Harness;
use POSIX qw(WNOHANG);
use Sampled qw(own_namespace);
use Soak qw(long);
use Test::More;
use Time::HiRes qw(sleep time);

my $kvm = own_namespace();
host_lacks();
my $kvmeter = binary('tools/kvmeter/kvmeter');
$ENV{KVMETER_TESTS} = $kvmeter =~ s{/tools/kvmeter/kvmeter\z}{/tests}r;
use constant TRIES => 4; # to decide
my $pause = $ENV{KVMETER_SOAK_PAUSE} // 0;

# What fits into a second in all; async_pf_test takes the longest.
my %options = (
	async_pf_test => '--bytes 64K --runs 1 --warmup 0',
	dirty_log_perf_test => '--bytes 256K --vcpus 2 --log-mode all --runs 2 --warmup 0',
	dirty_log_test => '--bytes 64K --rounds 3',
	memslot_zap_test => '--bytes 64K --op toggle --passes 1 --runs 1 --warmup 0',
	page_table_test => '--bytes 4M --vcpus 2 --slots 8 --backing anonymous_thp --runs 2 --warmup 0',
	tlb_stress_test => '--processes 2 --runs 1 --warmup 0',
);
my @benchmarks = map { s{.*/}{}r } glob("$ENV{KVMETER_TESTS}/*_test");

# A suite of @names, which each stand there @times times.
sub suite
{
	my ($path, $times, @names) = @_;

	write_file($path, join('', map {
		my $n = $_;
		map { s/_test\z//r =~ s/_/-/gr . "-$n: $_ " . ($options{$_} // '') . "\n" } @names;
	} 1 .. $times));
	return $path;
}

my $group = Figures::group_create("kvmeter-soak-$$");
END { Figures::group_remove($group) }

# Starts it in the group; $look is called now and then, with the process.
sub run_in_group
{
	my ($look, @command) = @_;
	my $pid = fork // die "fork: $!\n";

	if (!$pid) {
		open STDOUT, '>', scratch('run.out');
		open STDERR, '>&', \*STDOUT;
		exec Figures::group_command($group, @command) or POSIX::_exit(127);
	}
	while (waitpid($pid, WNOHANG) == 0) {
		$look->($pid);
		sleep 0.02;
	}
	return $?;
}

sub clean
{
	my ($dir) = @_;

	unlink glob("$dir/*");
	rmdir $dir;
}

# Is it still the shell that enters the group?
sub is_kvmeter
{
	return (readlink("/proc/$_[0]/exe") // '') =~ m{/kvmeter\z};
}

# ---- one turn after the other ----

my @bad;
my $small = suite(scratch('small.suite'), 1, @benchmarks);
my @kvmeter_run = ($kvmeter, 'run', '--quiet', '--results', scratch('results'), $small);

# Peaks of the runner meanwhile, then what is left when it has ended.
sub turn
{
	my ($n, @command) = @_;
	my %peak;
	my $status = run_in_group(sub {
		return unless is_kvmeter($_[0]);
		my $now = Figures::process($_[0]) or return;
		for (qw(pss fds threads)) {
			$peak{"runner_$_"} = $now->{$_}
				if defined $now->{$_} && $now->{$_} > ($peak{"runner_$_"} // 0);
		}
	}, @command);

	push @bad, "turn $n:\n" . read_file(scratch('run.out')) if $status;
	clean(scratch('results'));
	sleep $pause;
	return { n => $n, %peak, %{ Figures::host($kvm) }, %{ Figures::group_figures($group) },
		 temporary => scalar(() = leftovers($ENV{TMPDIR})) };
}

# For each turn. A byte of memory that is lost in each turn of a day may be
# lost, a page may not: what is allowed for is noise that is fitted, too.
my $long = long();
my @rows = (
	# peaks, which are seen by chance
	[ 'runner_pss', 'KiB', $long ? 0.25 : 64 ], [ 'runner_fds', 'fds', $long ? 0.001 : 1 ],
	[ 'runner_threads', 'threads', 0 ],
	# of the group alone, so that the rest of the machine does not matter
	[ 'group_kernel', 'KiB', $long ? 1 : 128 ], [ 'group_user', 'KiB', $long ? 0.5 : 64 ],
	[ 'group_processes', 'processes', 0 ],
	[ 'orphan_vms', 'VMs', 0 ], [ 'huge_pages', 'pages', 0 ], [ 'temporary', 'files', 0 ],
);
my @columns = ('n', 'seconds', 'available', 'slab', map { $_->[0] } @rows);

$ENV{TMPDIR} = scratch('tmp');
mkdir $ENV{TMPDIR};
my @series;
for (1 .. TRIES) {
	my $n = @series;

	push @series, Soak::repeat(seconds => $long ? 3600 : 6, at_least => 12,
		once => sub { turn($n + $_[0], @kvmeter_run) });
	last if $long || !Soak::undecided(\@rows, @series);
}
# A host that is short of memory moves pages, also from under a benchmark, which
# then tells so: at length it comes to that. A dozen turns all pass, or are run again
# by check/run.
my $may_fail = $long ? int(@series / 200) : 0;
cmp_ok(scalar @bad, '<=', $may_fail,
	scalar(@series) . ' turns of kvmeter run: all pass' . ($may_fail ? ', but one in 200' : ''));
diag($_) for @bad;
Soak::table(\@columns, @series);
Soak::judge_growth('a loop of kvmeter run', 'turn', \@rows, @series);

# The same judgement of what does leave something: a process and a file.
my @leaving = Soak::repeat(seconds => 0, at_least => 12, once => sub {
	turn($_[0], '/bin/sh', '-c', 'sleep 60 >/dev/null 2>&1 & : >$TMPDIR/$$');
});
my %verdict = map { $_->[0] => $_->[1] } Soak::growth(\@rows, @leaving);
for my $figure (qw(group_processes group_user temporary)) {
	SKIP: {
		skip("$figure: this host does not tell it", 1) if $verdict{$figure} eq 'unknown';
		is($verdict{$figure}, 'grows', "what is left behind is noticed: $figure");
	}
}
Figures::group_kill($group);

# ---- one runner that has much to run ----

# Of the runner after each entry. It keeps what each benchmark printed, to have
# it in results.ktap at the end: that is what may grow, by the text and by what
# it takes to find its parts.
sub entries
{
	my ($times) = @_;
	my $suite = suite(scratch('long.suite'), $times, qw(page_table_test dirty_log_perf_test));
	my $dir = scratch('results');
	my %least;

	my $status = run_in_group(sub {
		return unless is_kvmeter($_[0]);
		my $now = Figures::process($_[0]) or return;
		my $n = () = glob("$dir/*.json");
		my $then = $least{$n} //= $now;
		for (qw(pss anon fds threads)) {
			$then->{$_} = $now->{$_} if $now->{$_} < $then->{$_};
		}
	}, $kvmeter, 'run', '--quiet', '--results', $dir, $suite);

	is($status, 0, 2 * $times . ' entries in one run: all pass') or diag(read_file(scratch('run.out')));
	my $kept = (-s "$dir/results.ktap") / 1024 / (2 * $times);
	clean($dir);
	return ($kept, map { { n => $_, %{ $least{$_} } } } sort { $a <=> $b } keys %least);
}

my $times = $long ? 250 : 8;
my ($kept, $rows, @runner);

for (1 .. TRIES) {
	($kept, @runner) = entries($times);
	$rows = [
		(map { [ $_, 'KiB', 3 * $kept + ($long ? 1 : 16) ] } qw(anon pss)),
		[ 'fds', 'fds', 0 ], [ 'threads', 'threads', 0 ],
	];
	last if $long || !Soak::undecided($rows, @runner);
	$times *= 2;
}
Soak::table([qw(n pss anon fds threads)], @runner);
note(sprintf('results.ktap has %.1f KiB for each entry', $kept));
Soak::judge_growth('the runner', 'entry', $rows, @runner);

done_testing();
