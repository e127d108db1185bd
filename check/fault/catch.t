#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# What faults.t would find fault with: a program that takes a call that fails
# badly, in each way that there is (careless.c), and calls that nobody knows.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Temp qw(tempdir);
use FindBin;
use POSIX qw(uname);
use Test::More;
use lib $FindBin::Bin;
use Fault;
use Kinds qw(kind_of);
use Share;

my $out = abs_path($ENV{KVMETER_OUT} // 'build/' . (uname())[4]);

Test::More->builder->failure_output(Test::More->builder->output);
BAIL_OUT("$out/check/fault/careless is not built: make fault") if !-x "$out/check/fault/careless";
my $probe = qx($out/check/fault/inject --record /dev/null -- true 2>&1);
plan(skip_all => "this kernel does not let system calls fail: $probe") if $? >> 8 == 120;

my $scratch = tempdir('kvmeter-fault-XXXXXX', TMPDIR => 1, CLEANUP => 1);
my %env = (out => $out, dir => "$scratch/run", made => $scratch, scratch => $scratch, limit => 2);

sub scene
{
	return { name => $_[0], program => 'careless', copy => [],
		 command => ["$out/check/fault/careless", $_[0], 'RESULTS'] };
}

# What the judge says of a way to take ENOENT for /dev/null.
sub verdict
{
	my ($how, %other) = @_;
	my $scene = scene($how);
	my ($calls, $base) = record(\%env, $scene);
	my ($call) = grep { $_->{subject} eq '/dev/null' } @$calls;
	my $fault = { kind => $call->{kind}, site => $call->{site}, errno => 'ENOENT', %other };

	return join('; ', judge($scene, $fault, attempt(\%env, $scene, $fault), $base));
}

my ($calls, $base) = record(\%env, scene('careful'));
is($base->{code}, 0, 'nothing fails: exit 0');
like(join(' ', map { "$_->{kind}:$_->{subject}" } @$calls), qr{openat:/dev/null.*openat:\S+/results},
	'its calls are seen, with what they are about');
my ($call) = grep { $_->{subject} eq '/dev/null' } @$calls;
is((split / < /, symbols($call->{at}))[0], 'main', 'and where they come from');
is(join(' ', map { $_->{site} } @{ (record(\%env, scene('careful')))[0] }),
	join(' ', map { $_->{site} } @$calls), 'the same ones each time');

# How a shell that runs this hangs.
sub hung
{
	my $scene = { name => 'late', program => 'sh', copy => [], command => ['sh', '-c', $_[0]] };
	my (undef, $r) = record({ %env, record_limit => 2, patience => 3 }, $scene);

	return $r->{hung};
}

like(hung('exec sleep 60'), qr/^hung; .*process \d+, 1 \S in .*: sleep 60/, 'one that does not end');
like(hung('kill -STOP $PPID; sleep 60'), qr/^hung; .*inject\(1\) had to be killed$/,
	'and that even inject(1) does not see the end of');

is(verdict('careful'), 'failed', 'a careful program: nothing is wrong');
is(verdict('careful', nth => 2), 'unreached', 'a call that is not made');
is(verdict('careful', site => '12345678'), 'unreached', 'nor from there');
my %ways = (
	'ignore' => qr/^tolerated; exit 0 without results$/,
	'silent' => qr/^failed; exit 1 without a message$/,
	'vague' => qr/^failed; .*does not say 'No such file.*does not name openat/,
	'no-remedy' => qr/^failed; the message does not say what to do$/,
	'leave-file' => qr/^failed; temporary file left: left$/,
	'leave-process' => qr/^failed(?:; process left: careless)+$/,
	'hang' => qr/^broken; hung; process \d+, .*inject .*; process \d+, 1 \S in .*careless hang/,
	'crash' => qr/^broken; signal 6$/,
	'leak-descriptor' => qr/^tolerated; \d+ files open at the end, else \d+$/,
	'half' => qr/^failed; half a file of results$/,
	'claim-success' => qr/^failed; verdict pass, exit 1$/,
	'invent-code' => qr/^odd; exit 3$/,
);
like(verdict($_), $ways{$_}, $_) for sort keys %ways;

ok(!kind_of('number(9999)') && !kind_of('ioctl(0x1234)'), 'a call without a name is new');
is(kind_of('ioctl(KVM_RUN)')->{errnos}[0], 'EINTR', 'one that is known');
like(kind_of('exit_group')->{never}, qr/\S/, 'one that does not fail');
done_testing();
