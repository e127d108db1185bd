#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# kvmeter run: when it is interrupted, killed, or cannot write, what is done is
# kept and nothing stays running; --resume does the rest and no more.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use MadeUp;
use Suites;
use Test::More;
use POSIX ();
use Time::HiRes qw(sleep time);

my ($out, $err, $code);

# ---- resume ----

my $resumed = "pass: pass_test\nfail: fail_test\nskip: skip_test\ncrash: crash_test\n";
run_suite($resumed, qw(-o resume));
my ($again, undef, $again_code) = run_suite($resumed, qw(-o resume --resume --junit resume.xml));
is(join(' ', map { ran($_) } qw(pass fail skip crash)), '0 0 1 1', 'complete results are kept, others run again');
is($again_code, 1, '... a failure stays one');
is_deeply([map { (row($again, $_))[0] } qw(pass fail skip crash)], [qw(pass fail skip fail)], '... verdicts');
like($again, qr/^# pass: pass_test: [\d.]+ s, earlier \(--resume\)$/m, '... and so it says');
is(slurp('resume/results.ktap'), $again, '... in the files as well');
like(slurp('resume.xml'), qr/<testsuite name="pass" tests="1"/, '... and in XML');
run_suite($resumed =~ s/pass_test/pass_test -b 8M/r, qw(-o resume --resume));
is(ran('pass'), 1, 'another command is run');
run_suite($resumed =~ s/pass_test/pass_test -b 8M/r, qw(-o resume --resume));
is(ran('pass'), 0, '... once');
utime(time + 5, time + 5, 'tests/pass_test');
run_suite($resumed =~ s/pass_test/pass_test -b 8M/r, qw(-o resume --resume));
is(ran('pass'), 1, 'a newer program is run');
run_suite($resumed =~ s/pass_test/pass_test -b 8M/r, qw(-o resume --resume));
is(ran('pass'), 0, '... once');
utime(time - 100, time - 100, 'tests/pass_test');
run_suite($resumed =~ s/pass_test/pass_test -b 8M/r, qw(-o resume --resume));
is(ran('pass'), 1, 'an older one as well: the clock may have been set');
unlink('resume/fail.json');
run_suite($resumed, qw(-o resume --resume));
is(ran('fail'), 1, 'results that are lost are made again');
($again) = run_suite($resumed, qw(-o resume --resume --strict));
is(ran('pass'), 0, 'strictness judges what is there');
unlink('resume/fail.json');
mkdir('resume/fail.json');
(undef, $err, $code) = run_suite($resumed, qw(-o resume --resume));
is($code, 1, 'what cannot be removed: exit 1');
like($err, qr{fail\.json, of an earlier run, cannot be removed: Is a directory}, '... named');
rmdir('resume/fail.json');
write_text('resume/index', slurp('resume/index') =~ s/"kernel": "/"kernel": "1/r);
(undef, $err, $code) = run_suite($resumed, qw(-o resume --resume));
is($code, 2, 'results of another kernel: exit 2');
like($err, qr/resume: these are results of Linux 1\d.*choose another/, '... named');
for my $broken ('{', '{}', '[]', '{ "schema": "kvmeter-run/2", "kernel": "", "entries": {} }') {
	write_text('resume/index', $broken);
	(undef, $err, $code) = run_suite($resumed, qw(-o resume --resume));
	is($code, 2, "an index that is $broken: exit 2");
	like($err, qr{resume/index}, '... named');
}

# ---- interrupted ----

# begin(ARGUMENTS...): kvmeter in the background; its number
sub begin {
	my (@arguments) = @_;
	my $pid = fork() // die "fork: $!\n";

	return $pid if $pid;
	open(STDOUT, '>', "$here/live");
	open(STDERR, '>', "$here/live.err");
	exec { $tool } 'kvmeter', @arguments or POSIX::_exit(127);
}

sub wait_for {
	my ($what) = @_;
	my $until = time + 20;

	sleep(0.01) while !$what->() && time < $until;
	return $what->();
}

sub ended {
	my ($pid) = @_;

	waitpid($pid, 0);
	return $? & 127 ? 'signal ' . ($? & 127) : $? >> 8;
}

my $slow = "first: pass_test\nslow: hang_test\nnever: pass_test\n";
write_text('slow.suite', $slow);
for my $case (['INT', 130], ['TERM', 143], ['HUP', 129]) {
	my ($signal, $wanted) = @$case;
	my $dir = "int-$signal";

	unlink(glob('*.ran'), 'hang.child');
	my $pid = begin('run', 'slow.suite', '-o', $dir, '--junit', "$dir.xml");
	ok(wait_for(sub { -s 'hang.child' }), "SIG$signal: running");
	like(slurp('live'), qr/^ok 1 - first$/m, '... what is done was printed at once');
	kill($signal, $pid);
	is(ended($pid), $wanted, "... exit $wanted");
	ok(is_gone(slurp('hang.child')), '... nothing stays running');
	my $text = slurp('live');
	ok($text =~ /^Bail out! interrupted by signal \d+ \([\w ]+\)\n\z/m,
		'... bails out: a part is not taken for all');
	is(ktap_faults($text =~ s/^Bail out! .*\n\z//mr), '', '... KTAP') or diag($text);
	is(slurp("$dir/results.ktap"), $text, '... in the file as well');
	is_deeply([map { (row($text, $_))[0] } qw(first slow never)], ['pass', 'not run', 'not run'], '... verdicts');
	like($text, qr/^# not run: slow: interrupted by signal \d+ .*\n# not run: never: kvmeter was interrupted/m,
		'... and reasons');
	ok(-s "$dir.xml" && slurp("$dir.xml") =~ m{</testsuites>\n\z}, '... XML is whole');
	is_deeply([glob("$dir/*.tmp")], [], '... no temporary files');
	is(ran('pass'), 1, '... nothing was begun any more');
}
fake('hang', $ok, result_file('hang', $checks[0]));
kvmeter('run', '-q', 'slow.suite', '-o', 'int-INT', '--resume');
is(ran('pass') . ran('hang'), '22', 'what was done is not done again');

# a program that does not listen is killed by the second signal
fake('deaf', '', "trap '' TERM; echo \$\$ >$here/deaf.child; while :; do sleep 1; done");
write_text('deaf.suite', "deaf: deaf_test\n");
my $start = time;
my $pid = begin(qw(run deaf.suite -o deaf));
ok(wait_for(sub { -s 'deaf.child' }), 'a program that does not listen');
kill('INT', $pid);
sleep(0.5);
kill('INT', $pid);
is(ended($pid), 130, '... is killed by the second signal');
ok(is_gone(slurp('deaf.child')), '... really');
cmp_ok(time - $start, '<', 8, '... at once');
unlink('deaf.child');
$pid = begin(qw(run deaf.suite -o dead));
ok(wait_for(sub { -s 'deaf.child' }), 'kvmeter is killed itself');
kill('KILL', $pid);
is(ended($pid), 'signal 9', '... at once');
ok(is_gone(slurp('deaf.child')), '... and takes the program along');

# ---- outputs that fail ----

my $status = system("$tool run a.suite -o pipe 2>/dev/null | head -n 1 >/dev/null");
ok(-s 'pipe/results.ktap', 'a reader that goes away: results are there');
system("$tool run a.suite -o full >/dev/full 2>full.err");
is($? >> 8, 1, 'a full disk behind standard output: exit 1');
like(slurp('full.err'), qr/standard output: No space left/, '... named');
ok(-s 'full/results.ktap', '... results are there');
SKIP: {
	skip('a full disk needs root and unshare', 3) if $> || system('unshare -m true 2>/dev/null');
	mkdir('small');
	system('unshare', '-m', 'sh', '-c', "mount -t tmpfs -o size=16k none small &&
		dd if=/dev/zero of=small/fill bs=4k >/dev/null 2>&1
		$tool run a.suite -o small/r >full.out 2>full.err; echo \$? >full.code
		ls small/r >full.ls");
	is(slurp('full.code'), "1\n", 'a full disk: exit 1');
	like(slurp('full.err'), qr{small/r.*No space left}, '... named');
	unlike(slurp('full.ls'), qr/tmp/, '... no temporary files');
}

done_testing();
