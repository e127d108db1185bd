#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# check/fault/faults.t [--table FILE] [--only PATTERN] [--seconds N]
#
# Every system call that the benchmarks and the tool make is made to fail in turn
# (inject.c). Each time they must say what failed and what helps, end with the
# right code, neither hang nor crash, and leave nothing behind: no process, no
# file but whole results.
#
# In CI so many are tried, one of each kind from each path through the code; with
# KVMETER_LONG=1 all of them, with --table written to a table of doc/faults.md. --only
# is for scenes whose name matches. Where the seconds end before the faults, those
# tried are a mixture.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Temp qw(tempdir);
use FindBin;
use Getopt::Long;
use POSIX qw(uname);
use Test::More;
use Time::HiRes qw(time);
use lib $FindBin::Bin;
use Fault;
use Kinds qw(kind_of);
use Scenes;
use Share;
use Table;

use constant CI_FAULTS => 180;
use constant CI_SECONDS => 200;    # takes half a minute, but of a slow machine
use constant LONG_SECONDS => 6600;
use constant WORKERS => 2;
use constant SHOWN => 20;    # of what is wrong in a scene

my ($table, $only, $seconds) = (undef, '');
my $out = abs_path($ENV{KVMETER_OUT} // 'build/' . (uname())[4]);
my $long = $ENV{KVMETER_LONG};
my $begin = time;

Test::More->builder->failure_output(Test::More->builder->output);
GetOptions('table=s' => \$table, 'only=s' => \$only, 'seconds=i' => \$seconds) or exit 2;
plan(skip_all => "/dev/kvm cannot be opened: $!") if !open(my $kvm, '+<', '/dev/kvm');
BAIL_OUT("$out/check/fault/inject is not built: make fault") if !-x "$out/check/fault/inject";

# Settings that kvmeter changes, the record of them in /run, and /dev/shm, are those
# of namespaces. What is a mount can't be removed by who is misled about it.
if ($> == 0 && !$ENV{KVMETER_FAULT_NAMESPACE} && !system('unshare -m -n true 2>/dev/null')) {
	$ENV{KVMETER_FAULT_NAMESPACE} = 1;
	exec('unshare', '-m', '-n', 'sh', '-c',
		'mount --bind /dev/null /dev/null && mount -t tmpfs tmpfs /run && exec "$@"', 'sh', $^X, abs_path($0), $table ? ('--table', $table) : (),
		$only ? ('--only', $only) : (), $seconds ? ('--seconds', $seconds) : ()) or die "unshare: $!\n";
}
my $probe = qx($out/check/fault/inject --record /dev/null -- true 2>&1);
plan(skip_all => "this kernel does not let system calls fail: $probe") if $? >> 8 == 120;

my $scratch = tempdir('kvmeter-fault-XXXXXX', TMPDIR => 1, CLEANUP => 1);
my %env = (out => $out, dir => "$scratch/run", made => "$scratch/made", scratch => $scratch);

# What a scene calls; a host may lack what it needs, which is still a scene.
my (@scenes, @faults, %unknown);
# Swapping takes its time, and a host may have swap space or not.
for my $scene (grep { $_->{name} =~ /$only/ && ($long || $_->{name} !~ /swap/) }
	       scenes($out, $env{made})) {
	my ($calls, $base) = record(\%env, $scene);

	if ($base->{hung}) {
		fail("$scene->{name}: without a fault");
		diag($base->{hung});
		next;
	}
	$scene->{base} = $base;
	$unknown{$_} = 1 for grep { !kind_of($_) } map { $_->{kind} } @$calls;
	push @scenes, $scene;
	push @faults, all_faults($scene, $calls);
}
is(join(' ', sort keys %unknown), '', 'each kind of call has errnos, or a reason to have none');

my @chosen = $long ? in_mixed_order(@faults) : fair_share(@faults);

$#chosen = CI_FAULTS - 1 if !$long && @chosen > CI_FAULTS;
$seconds //= $long ? LONG_SECONDS : CI_SECONDS;
my @tried = try_all(\%env, \@chosen, $seconds - (time - $begin), WORKERS);

sub show
{
	my ($try) = @_;
	my $said = join("\n", map { ; "      $_" } grep { defined } (split /\n/, $try->{said})[0 .. 2]);

	diag("$try->{kind} $try->{errno}, occurrence $try->{nth}"
		. ($try->{on} ? ' and later' : '') . " from $try->{symbols}: $try->{outcome}: "
		. join('; ', @{ $try->{wrong} }) . "\n$said");
}

for my $scene (@scenes) {
	my @of = grep { $_->{scene} == $scene } @tried;
	my @bad = grep { @{ $_->{wrong} } } @of;

	next if !@of;
	ok(!@bad, "$scene->{name}: " . @of . ' faults, ' . @bad . ' taken badly');
	show($_) for @bad[0 .. ($#bad < SHOWN ? $#bad : SHOWN - 1)];
}
my $reached = grep { $_->{outcome} ne 'unreached' } @tried;
cmp_ok($reached, '>', 0.9 * @tried, 'nearly all of the faults happened') or
	diag("$reached of " . @tried);
cmp_ok(scalar @tried, '>', $only ? 0 : $long ? 2000 : 100, 'many were tried: ' . @tried);
diag(@tried . ' of ' . @faults . ' faults in ' . sprintf('%.0f s', time - $begin) . ': '
	. outcomes(@tried));
write_table($table, \@tried, scalar @scenes, scalar @faults) if $table;
done_testing();
