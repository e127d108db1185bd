#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# Verdicts, outputs and early ends: exit code, KTAP and JSON agree; a signal,
# a crash, a full disk and a closed pipe leave nothing half done.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Harness;
use Test::More;
use Time::HiRes qw(time sleep);

host_lacks();
my $fault_test = binary('check/harness/fault_test');
my $page_table_test = binary('tests/page_table_test');
my $dir = scratch('results');
my $results = "$dir/r.json";
mkdir $dir;

sub fault { my ($name, @rest) = @_; return [$fault_test, '--fault', $name, @rest] }

# ---- verdicts ----

my @verdicts = (
	# fault, options, exit, verdict, result in JSON, KTAP
	['none', [], 0, 'pass', 'ok', qr/^ok 1 - work: done # 1 of 1 vCPUs$/m],
	['wrong-check', [], 1, 'fail', 'not ok', qr/^not ok 1 - work: done # 41 found, expected 42$/m],
	['wrong-check', ['-q'], 1, 'fail', 'not ok', qr/^not ok 1 - /m],
	['unchecked', [], 1, 'fail', 'not verified', qr/^not ok 1 - work: done # no run came so far$/m],
	['unverified', [], 0, 'pass', 'not verified', qr/^ok 1 - work: done # SKIP not verified: /m],
	['unverified', ['--strict'], 1, 'fail', 'not verified', qr/this host does not tell/],
	['odd-detail', [], 0, 'pass', 'ok',
		qr/^ok 1 - work: done # - TODO: page fault \(\\#PF\) \\# SKIP C:\\\\ ok 2 - x$/m],
	['not-applicable', ['--strict'], 0, 'pass', undef, qr/^ok 1 - work: done # SKIP not applicable/m],
);

for my $row (@verdicts) {
	my ($name, $options, $code, $verdict, $result, $tap) = @$row;
	my $what = join ' ', $name, @$options;

	run_ok("$what: exit $code", run(fault($name, @$options, '-J', $results)),
		code => $code, out => [ $tap ]);
	my $json = read_json($results) // {};
	is($json->{verdict}, $verdict, "$what: verdict $verdict");
	is($json->{points}[0]{checks}[0]{result}, $result, "$what: result in JSON");
	unlink $results;
}
# Names stay, whatever was found.
my %names = map { join(' ', run(fault($_))->{out} =~ /^(?:not )?ok \d+ - (.*?) # /mg) => $_ }
	qw(none wrong-check unchecked unverified not-applicable odd-detail);
is(join('|', keys %names), 'work: done', 'the same names whatever the result');

run_ok('unverified, KVMETER_STRICT=1: exit 1',
	run(fault('unverified'), env => { KVMETER_STRICT => 1 }), code => 1);
run_ok('unverified, KVMETER_STRICT=0: exit 0',
	run(fault('unverified'), env => { KVMETER_STRICT => 0 }));

# A metric that is lost, in a warm-up already, or there though it is left out.
my $lost = "metric 'work': run\\(\\) has not sampled it, nor called it not applicable";
for my $warmup (0, 1) {
	run_ok("unsampled, --warmup $warmup: exit 1",
		run(fault('unsampled', '-J', $results, '--warmup', $warmup)), code => 1,
		out => [ qr/^Bail out! $lost$/m ], err => [ qr/^fault_test: $lost$/m ]);
	is((read_json($results) // {})->{verdict}, 'fail', 'unsampled: verdict');
	unlink $results;
}
run_ok('sampled-left-out: exit 1', run(fault('sampled-left-out')), code => 1,
	out => [ qr/^Bail out! metric 'work': sampled, although not applicable$/m ]);

# A sweep that dies keeps what it has.
my $r = run(fault('second-point', '-v', '1,2,3', '-R', 3, '--warmup', 1, '-J', $results));
run_ok('second-point: first table, partial second, bail out', $r, code => 1, out => [
	qr/^1\.\.3$/m, qr/^# vcpus=1 .*\n.*\n# work .*\nok 1 - vcpus=1 /m,
	qr/^# vcpus=2 .*\n.*\n# work .*\nBail out! vCPU [01]: guest assertion/m ]);
unlike($r->{out}, qr/vcpus=3/, 'second-point: nothing of the third');
my $json = read_json($results) // {};
is($json->{verdict}, 'fail', 'second-point: verdict');
is(join(' ', map { scalar @{ $_->{metrics}[0]{samples} } } @{ $json->{points} }), '3 1',
	'second-point: samples of both points');
unlink $results;

# ---- results on standard output ----

for my $name ('none', 'wrong-check', 'wild-pointer') {
	$r = run(fault($name, '-J', '-'));
	$json = eval { JSON::PP->new->utf8->decode($r->{out}) };
	is(ref $json, 'HASH', "$name -J -: stdout is one JSON object and nothing else");
	is($json->{verdict}, $name eq 'none' ? 'pass' : 'fail', "$name -J -: verdict");
	judge_tap("$name -J -: KTAP is on stderr", $r->{err} =~ s/^fault_test: .*//smr);
}

# ---- the file is there whole, or as it was ----

sub untouched
{
	my ($what, $r, %want) = @_;

	run_ok($what, $r, %want);
	is(read_file($results), "old\n", "$what: file as it was");
	is(join(' ', leftovers($dir)), 'r.json', "$what: no temporary file");
}

write_file($results, "old\n");
untouched('SIGKILL', run(fault('endless-loop', '-J', $results, '--timeout', 60),
	meanwhile => sub { $_[1] > 0.5 && kill 'KILL', $_[0] }),
	signal => 9, tap => 0);
untouched('host-crash', run(fault('host-crash', '-J', $results)),
	signal => 11, tap => 0);
untouched('host-hang', run(fault('host-hang', '-J', $results),
	meanwhile => sub { $_[1] > 0.5 && kill 'KILL', $_[0] }),
	signal => 9, tap => 0);
$r = run(fault('host-hang'), timeout => 1);
ok($r->{hung}, 'host-hang: a runner sees a hang');

run_ok('/dev/full: exit 1', run(fault('none', '-J', '/dev/full')), code => 1,
	err => [ qr/\/dev\/full: No space left/ ]);
ok(-c '/dev/full', '/dev/full is still a device');

SKIP: {
	skip 'a full disk needs root and unshare', 3 if $> || system('unshare -m true');
	# pages of a tmpfs that are filled, what is said
	for my $row ([3, 'full', 2, 0, qr/--json .*: No space left on device: make room there/],
		     [2, 'filled by the results', 1, 1, qr/No space left.*: the results are lost: make/]) {
		my ($fill, $how, $code, $tap, $err) = @$row;
		my $script = "mount -t tmpfs -o size=16k none $dir && echo old > $results &&
			dd if=/dev/zero of=$dir/fill bs=4k count=$fill >/dev/null 2>&1;
			'$fault_test' -R 500 -J $results; code=\$?;
			echo \"# file: \$(cat $results), \$(ls $dir | tr '\\n' ' ')\"; exit \$code";

		run_ok("disk $how: exit $code, file as it was, no temporary file",
			run(['unshare', '-m', 'sh', '-c', $script]), code => $code, tap => $tap,
			out => [ qr/^# file: old, fill r\.json $/m ], err => [ $err ]);
	}
}

# A link is not followed, whoever made it; check/security has what else there is.
write_file("$dir/target", "old\n");
unlink $results;
symlink 'target', $results;
run_ok('-J LINK', run(fault('none', '-J', $results)), code => 2, tap => 0,
	err => [ qr{r\.json': a symbolic link, which is not followed: name the file} ]);
ok(-l $results, '-J LINK: is still a link');
is(read_file("$dir/target"), "old\n", '-J LINK: what it names is as it was');
unlink $results, "$dir/target";

# ---- signals ----

sub interrupt
{
	my ($what, $signal, $after, $cmd, %want) = @_;
	my $number = { INT => 2, TERM => 15 }->{$signal};
	my $sent;
	my $r = run($cmd, meanwhile => sub {
		my ($pid, $seconds) = @_;
		return if $seconds < $after;
		$sent = $seconds;
		kill $signal, $pid;
	});

	run_ok("SIG$signal $what: exit " . (128 + $number), $r, code => 128 + $number,
		within => $after + 2.5, err => [ qr/interrupted by signal $number/ ],
		out => [ qr/^Bail out! interrupted by signal $number/m, @{ $want{out} // [] } ]);
	my $json = read_json($results) // {};
	is($json->{verdict}, 'fail', "SIG$signal $what: verdict");
	is(join(' ', leftovers($dir)), 'r.json', "SIG$signal $what: no temporary file");
	unlink $results;
}

my @page_table = ($page_table_test, '-b', '64M', '-J', $results);
for my $signal ('INT', 'TERM') {
	interrupt('in a silent phase', $signal, 0.5,
		fault('endless-loop', '--timeout', 60, '-J', $results));
	interrupt('in the second point', $signal, 1,
		fault('slow', '--seconds', 1, '-b', '4K,8K,12K', '-J', $results),
		out => [ qr/bytes=4K|bytes=8K/ ]);
	interrupt('in a warm-up', $signal, 0.5, [@page_table, '--warmup', 1000]);
	interrupt('in the runs', $signal, 1.5,
		[@page_table, '--warmup', 0, '-R', 10000, '-b', '1M'],
		out => [ qr/^# create /m ]);
	interrupt('with four vCPUs', $signal, 0.5,
		[@page_table, '-v', 4, '--warmup', 0, '-R', 10000, '-b', '1M']);
}
run_ok('a second signal kills', run(fault('host-hang', '--timeout', 60), meanwhile => sub {
		my ($pid, $seconds) = @_;
		kill 'INT', $pid if $seconds > 0.5;
		return $seconds > 1;
	}), signal => 2, within => 3, tap => 0);
run_ok('a single one, too, after a while', run(fault('host-hang', '--timeout', 60),
	meanwhile => sub {
		my ($pid, $seconds) = @_;
		return $seconds > 0.5 && kill('TERM', $pid);
	}), signal => 14, at_least => 10, within => 15, tap => 0);

# ---- a reader that goes away ----

for my $n (1, 3) {
	my $start = time;
	my $line = `'$page_table_test' -b 1M -R 3 2>/dev/null | head -$n`;
	ok($line =~ /^KTAP version 1\n/ && time - $start < 5, "| head -$n does not hang");
}
run_ok('closed stdout', run(['/bin/sh', '-c', "exec '$fault_test' >&-"]), code => 1,
	tap => 0, err => [ qr/output/ ], within => 5);
run_ok('closed stdout and -J FILE',
	run(['/bin/sh', '-c', "exec '$fault_test' -J '$results' >&-"]), code => 1,
	tap => 0, within => 5);
is((read_json($results) // {})->{verdict}, 'pass', 'closed stdout: the results are in the file');
unlink $results;
run_ok('full stdout', run(fault('none'), stdout => '/dev/full'), code => 1, tap => 0,
	err => [ qr/output/ ], within => 5);
system("'$fault_test' --fault slow --seconds 1 -J '$results' 2>/dev/null | head -1 >/dev/null");
is((read_json($results) // {})->{verdict}, 'pass', '| head -1: the results are in the file');

done_testing();
