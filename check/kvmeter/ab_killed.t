#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# kvmeter ab is killed together with its guardian: the record of what settings
# were, what the next one makes of it, and what the doctor says. All of it in
# namespaces of the script's own, with a /run of its own.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Cwd qw(getcwd);
use JSON::PP;
use POSIX ();
use Test::More;
use Time::HiRes qw(sleep);

my @unshare = ('unshare', $> ? '-rnum' : '-num');
if (!defined $ENV{KVMETER_CHECK_UNSHARED}) {
	my $can = system("@unshare mount -t tmpfs tmpfs /run 2>/dev/null") == 0;

	plan(skip_all => "no namespaces of its own: @unshare") if !$can;
	$ENV{KVMETER_CHECK_UNSHARED} = 1;
	exec(@unshare, $^X, $0);
}
system('mount -t tmpfs tmpfs /run') == 0 or die "no /run\n";
require MadeUp;
require FakeTest;
MadeUp->import;
FakeTest->import;
our ($top, $tool);

my $ttl = '/proc/sys/net/ipv4/ip_default_ttl';
my $port = '/proc/sys/net/ipv4/ip_local_port_range';

sub value {
	open(my $in, '<', $_[0] // $ttl) or return 'none';
	return <$in> =~ s/\s+\z//r =~ s/\s+/ /gr;
}

sub set {
	my ($value, $path) = @_;

	open(my $out, '>', $path // $ttl) or die "$ttl: $!\n";
	print $out $value;
	close($out) or die "$ttl: $!\n";
}

sub records {
	my @records = glob('/run/kvmeter-settings.*');

	return @records;
}

# ---- a benchmark that hangs in B, or not ----

results('made.json', [metric('create', runs(100e6, 1, 1))], bench => 'made_test');
fake_test('tests/made_test', description('made_test'), <<'END');
case "$json $*" in *"/B/"*" --hang"*)
	: >hangs
	sleep 60
esac
results made.json
END
$ENV{KVMETER_TESTS} = 'tests';
$ENV{TMPDIR} = 'tmp';
mkdir('tmp');

sub next_ab {
	my ($out, $err, $code) = kvmeter('ab', 'made_test', '--same', '-n', 1, @_);

	is($code, 0, 'the next one: exit 0') or diag($out);
	return $err;
}

sub start_hanging {
	unlink('hangs');
	my $pid = fork() // die "fork: $!\n";

	if (!$pid) {
		open(STDOUT, '>', 'hang.out');
		open(STDERR, '>', 'hang.err');
		exec { $tool } 'kvmeter', 'ab', 'made_test', @_, '--', '--hang'
			or POSIX::_exit(127);
	}
	for (1 .. 1500) {
		last if -e 'hangs';
		sleep 0.02;
	}
	return $pid;
}

sub comm {
	open(my $in, '<', "/proc/$_[0]/comm") or return '';
	return scalar(<$in>) // '';
}

# As a control group is, or a container.
sub kill_both {
	my ($pid) = @_;
	my $guardian;

	# proc(5): while children come and go, the list may lack some
	for (1 .. 500) {
		open(my $in, '<', "/proc/$pid/task/$pid/children") or die "children: $!\n";
		($guardian) = grep { comm($_) eq "kvmeter-guard\n" } split(' ', <$in> // '');
		last if $guardian;
		sleep 0.02;
	}
	ok($guardian, "there is a guardian") or diag(`cat hang.err`) && return;
	# who is stopped sees nothing of the other's end
	kill('STOP', $guardian);
	kill('KILL', $pid);
	kill('KILL', $guardian);
	waitpid($pid, 0);
	for (1 .. 500) {
		last if comm($guardian) ne "kvmeter-guard\n";
		sleep 0.02;
	}
}

sub killed {
	my (@arguments) = @_;

	set(64);
	set('2000 3000', $port);
	kill_both(start_hanging(@arguments ? @arguments : ('--set-b', "$ttl=80")));
	is(scalar(records()), 1, 'both are killed: a record is left');
}

sub settings_found {
	my ($out) = kvmeter('doctor', '-f', 'json');

	return grep { $_->{name} =~ /^settings/ } @{ decode_json($out)->{findings} };
}

# ---- while it runs ----

set(64);
my $pid = start_hanging('--set-b', "$ttl=80");
my ($record) = records();
is(value(), 80, 'in B');
is(sprintf('%o', (stat($record // ''))[2] // 0), '100600', 'a record, for root alone');
is(next_ab('--metric', 'create'), '', '... is left alone');
is(value(), 80, '... and so is the setting');
is((settings_found())[0]{state}, 'ok', '... and the doctor minds neither');
kill('TERM', $pid);
waitpid($pid, 0);
is(value() . ' ' . records(), '64 0', 'a signal: all is as it was, and no record');
$pid = start_hanging('--set-b', "$ttl=80");
kill('KILL', $pid);
waitpid($pid, 0);
for (1 .. 500) {
	last if !records();
	sleep 0.02;
}
is(value() . ' ' . records(), '64 0', 'the guardian removes it as well');

# ---- both are killed ----

killed('--set-b', "$ttl=80,$port=4000 5000");
is(value() . ' ' . value($port), '80 4000 5000', '... and settings are those of B');
my %found = map { $_->{name} => $_ } settings_found();
is(join(' ', sort keys %found), "settings $ttl settings $port", 'the doctor finds both');
is($found{"settings $ttl"}{state}, 'noisy', '... which may disturb');
like($found{"settings $ttl"}{seen}, qr/^80, by a kvmeter ab .*; before it was 64$/, '... says how');
system('sh', '-e', '-c', $_->{remedy}) for values %found;
is(value() . ' ' . value($port), '64 2000 3000', '... and what helps');
is((settings_found())[0]{state}, 'ok', '... after which all is well');
is(next_ab(), '', 'what was put back by hand needs no word');
is(scalar(records()), 0, '... and no record');

killed('--set-b', "$ttl=80,$port=4000 5000");
my $said = next_ab();
like($said, qr/^kvmeter ab: \Q$ttl\E was left at 80 by a kvmeter ab that was killed: it is 64 again$/m,
	'it says what it puts back');
like($said, qr/^kvmeter ab: \Q$port\E was left .*: it is 2000\s3000 again$/m, '... of each');
is(value() . ' ' . value($port) . ' ' . records(), '64 2000 3000 0', '... and does');

killed();
like(next_ab('--threshold', 2), qr/it is 64 again/, 'before it sets its own');
killed();
set(77);
like(next_ab(), qr/\Q$ttl\E was 64 .*, and is 77 now, which is not of its making: it stays/,
	'what somebody else has set meanwhile');
is(value() . ' ' . records(), '77 0', '... stays');

# ---- records that are of no use ----

killed();
($record) = records();
like(join('', `unshare -n $tool ab made_test --same -n 1 2>&1 >/dev/null`), qr/^$/,
	'a setting of another namespace');
is(value() . ' ' . records(), '80 1', '... is left to that one');
sub rewrite {
	open(my $in, '<', $record) or die "$record: $!\n";
	local $/;
	my $text = <$in>;

	$text =~ s/$_[0]/$_[1]/;
	open(my $to, '>', $record) or die "$record: $!\n";
	print $to $text;
}
rewrite(qr/\0end\0\z/, "\0");
is(next_ab(), '', 'half a record: nothing had been changed');
is(value() . ' ' . records(), '80 0', '... it goes');
killed();
($record) = records();
rewrite(qr/\0[0-9a-f-]{36}\0/, "\0another\0");
is(next_ab(), '', 'of another boot');
is(value() . ' ' . records(), '80 0', '... it goes');
killed();
($record) = records();
system("mv $record elsewhere") == 0 or die "$record: not moved\n";
symlink(getcwd() . '/elsewhere', $record);
is(next_ab(), '', 'a link is none');
is(value(), 80, '... and not followed');
unlink($record);
system("cp elsewhere $record; chmod 0666 $record");
next_ab();
is(value(), 80, 'nor what others may write');
unlink($record);
killed();
rewrite(qr/\0\Q$ttl\E\x0064\0/, "\0$ttl\x001000\0") for ($record) = records();
my (undef, $err, $code) = kvmeter('ab', 'made_test', '--same', '-n', 1);
is($code, 1, 'what the kernel does not take: exit 1');
like($err, qr/^kvmeter ab: left behind .*'1000': Invalid argument.* and remove \Q$record\E$/m,
	'... says what to do');
unlink($record);

# ---- no place for one ----

set(64);
system('mount -o remount,ro /run') == 0 or die "/run: still writable\n";
like(next_ab(), qr/^$/, 'a /run that is read-only: nothing to say without settings');
(undef, $err, $code) = kvmeter('ab', 'made_test', '--set-b', "$ttl=80", '-n', 1);
is($code . value(), '064', '... it goes on with some');
like($err, qr{/run/kvmeter-settings.*: Read-only file system: if kvmeter and its guardian},
	'... with a warning');
done_testing();
