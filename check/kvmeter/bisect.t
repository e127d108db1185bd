#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# kvmeter bisect on results that nobody has measured: what record refuses, and how
# a step ends for each thing that may happen in it. What git bisect run takes for
# "bad", 1 to 127 without 125, must be nothing but that.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use MadeUp;
use Test::More;
use Time::HiRes qw(sleep time);

my $json = JSON::PP->new;
my $state = '.kvmeter-bisect';

# Both metrics; "update" is noise that says nothing.
sub measured {
	my ($path, $create, %other) = @_;
	my $update = delete $other{update} // 5000000;
	my $spread = delete $other{spread} // 1;

	results($path, [metric('create', runs($create, $spread, 9)),
			metric('update', runs($update, $spread, 9))], %other);
}

sub script {
	my ($path, $text) = @_;

	write_text($path, "#!/bin/sh\n$text\n");
	chmod(0755, $path);
}

# refused(WHAT, PATTERN, ARGUMENTS of record): exit 2, and no state
sub refused {
	my ($what, $pattern, @arguments) = @_;

	unlink($state);
	my ($out, $err, $code) = kvmeter('bisect', 'record', @arguments);
	is($code, 2, "$what: exit 2") or diag($out, $err);
	like($err, $pattern, "$what: named");
	ok(!-e $state, "$what: nothing is recorded");
}

sub record {
	my ($what, @arguments) = @_;
	my ($out, $err, $code) = kvmeter('bisect', 'record', @arguments);

	is("$code$err", '0', "$what: recorded") or diag($out);
	return $out;
}

# step(WHAT, CODE, PATTERN...): of its standard output and error
sub step {
	my ($what, $wanted, @patterns) = @_;
	my ($out, $err, $code) = kvmeter('bisect', 'step');

	is($code, $wanted, "$what: exit $wanted") or diag($out, $err);
	like("$out$err", $_, "$what: said") for @patterns;
	is(join("\n", wide_lines($out)), '', "$what: 72 columns");
	return "$out$err";
}

sub last_step {
	open(my $in, '<', "$state.log") or die "$state.log: $!\n";
	my @lines = <$in>;

	return $json->decode($lines[-1]);
}

mkdir('next');
for my $i (1 .. 3) {
	measured("good/$i.json", 1000000 + 3000 * $i);
	measured("bad/$i.json", 1200000 + 3000 * $i);
	measured("same/$i.json", 1000000 + 2500 * $i);
}
script('run', 'echo $KVMETER_HOOK $KVMETER_INVOCATION >>calls
cp next/$KVMETER_INVOCATION.json $KVMETER_RESULT 2>/dev/null ||
	cp next/1.json $KVMETER_RESULT');
script('boot', 'echo $KVMETER_HOOK $KVMETER_INVOCATION >>calls');
my @both = qw(--good good --bad bad);
my @run = qw(--run ./run);

# ---- record ----

refused('no good', qr/what is good\?/, qw(--bad bad), @run);
refused('no bad', qr/what is bad\?/, qw(--good good), @run);
refused('no way to measure', qr/how is it measured\?/, @both);
refused('a file that is not there', qr/none\.json/, qw(--good none.json --bad bad), @run);
refused('a metric that is not there', qr/--metric creat: no such metric/, @both, @run,
	'--metric', 'update,creat');
refused('bad that is faster', qr/create of page_table_test vcpus=1 bytes=64M: bad is not slower/,
	qw(--good bad --bad good), @run);
refused('bad that is slower', qr/bad is not faster/, @both, @run, qw(--find faster));
refused('bad that is good', qr/not known to be beyond the threshold|bad is not slower/,
	qw(--good good --bad same), @run);
refused('bad below the threshold', qr/not known to be beyond the threshold of \+30\.0%/,
	@both, @run, qw(--threshold 30 --metric create));
refused('an option that differs', qr/results differ in backing: anonymous, memfd/,
	qw(--good good --bad memfd.json), @run)
	if measured('memfd.json', 1200000, config => { backing => 'memfd' });
refused('a hook that is not there', qr{--run: \./walk: No such file}, @both, qw(--run ./walk));
refused('a hook of no words', qr/--build: no program/, @both, @run, '--build', ' ');
refused('a quote that is not closed', qr/--boot: .*not closed/, @both, @run, '--boot', "a 'b");
for my $bad (qw(x 0 -1 nan 1%)) {
	refused("threshold $bad", qr/--threshold \Q$bad\E: not a percentage/, @both, @run,
		"--threshold=$bad");
}
for my $bad (qw(x 0 0.5 nan)) {
	refused("alpha $bad", qr/--alpha \Q$bad\E: not a probability/, @both, @run, "--alpha=$bad");
}
refused('no run', qr/--max-runs 0: not in/, @both, @run, qw(--max-runs 0));
refused('an abbreviation', qr/not abbreviated/, qw(--goo good --bad bad), @run);
measured("wild/$_.json", 1000000 * (1 + $_ / 4)) for 1 .. 3;
refused('good that spreads more than the threshold', qr/record more\s+files of good/,
	qw(--good wild --threshold 5), @run);
measured('zero.json', 0);
refused('a percentage of nothing', qr/0 in good/, qw(--good zero.json --threshold 5
	--metric create), @run);
refused('less by more than all', qr/nothing is less by 100 %/, qw(--good bad --find faster
	--threshold 100 --metric create), @run);
refused('a failed result', qr/--failed takes it/, qw(--good failed.json --bad bad), @run)
	if measured('failed.json', 1000000, verdict => 'fail');

my @neither = (unit => 'count', better => undef);
results('counts.json', [metric('create', runs(1000000, 1, 9)),
			metric('zaps', runs(1000, 1, 9), @neither)]);
refused('a metric of which neither is better', qr/zaps of .*: neither less nor more/,
	qw(--good counts.json --threshold 20 --metric), 'create,zaps', @run);
results('count.json', [metric('zaps', runs(1000, 1, 9), @neither)]);
refused('nothing else', qr/nothing in good of which less or more is better/,
	qw(--good count.json --threshold 20), @run);
unlike(record('besides others', qw(--good counts.json --threshold 20), @run), qr/zaps/,
	'one of which neither is better is left out');
my $out = record('good and bad', @both, @run);
like($out, qr/create of page_table_test vcpus=1 bytes=64M: bad from \+9\.[45]% on, half/,
	'half of the way is the threshold');
unlike($out, qr/update/, 'what does not differ is left out');
like($out, qr/^5 invocations a step at most, alpha 0\.01 \(0\.002 at each look\)/m,
	'alpha is shared by the looks');
is($json->decode(read_file($state))->{schema}, 'kvmeter-bisect/1', 'the state has a schema');
$out = record('one file each', qw(--good=good/1.json --bad bad/1.json), @run);
like($out, qr/^warning: good is from one boot/m, 'one boot is warned of');
$out = record('files one by one', qw(--old good/1.json good/2.json good/3.json --new bad/1.json
	bad/2.json --metric create), @run);
like($out, qr/\(3 files, 27 runs\)/, 'all of them');
like(record('a threshold alone', qw(--good good --threshold 7 --metric), 'create,update', @run),
	qr/create .* bad from \+7\.0% on; .*update .* bad from \+7\.0%/s, 'for each metric');

sub read_file {
	open(my $in, '<', $_[0]) or die "$_[0]: $!\n";
	local $/;
	return scalar(<$in>) // '';
}

# ---- verdicts ----

record('again', @both, @run, qw(--build true --boot ./boot));
measured('next/1.json', 1001000);
step('a good commit', 0, qr/^commit unknown: good$/m,
	qr/create of page_table_test vcpus=1 bytes=64M: /, qr/1 invocation,\s+9 runs/);
is(read_file('calls'), "boot 1\nrun 1\n", 'booted, then run');
is(last_step()->{verdict}, 'good', 'noted');
measured('next/1.json', 1210000);
step('a bad commit', 1, qr/^commit unknown: bad$/m, qr/\+2\d\.\d%\s+\(\+\d+\.\d\.\.\+\d+\.\d%\)/);
my $noted = last_step();
is($noted->{verdict}, 'bad', 'noted');
cmp_ok(abs($noted->{figures}[0]{change} - 0.2), '<', 0.02, 'with its change');
measured('next/1.json', 1001000, update => 50000000);
step('a commit that is bad for another metric', 0);
measured('next/1.json', 800000);
step('a commit that is faster', 0);
measured('next/1.json', 1001000, host => { cpu => 'another' });
step('a commit on another host', 0, qr/differs: host\.cpu: made up in good, another\s+here/);
record('the other way', qw(--find faster --old bad --new good), @run);
measured('next/1.json', 1001000);
step('a commit that is faster', 1);
measured('next/1.json', 1210000);
step('one that is not', 0);
record('by a threshold', qw(--good good --threshold 50 --metric create), @run);
step('a commit below it', 0);
measured('next/1.json', 1210000, points => []);
step('a commit without results', 125, qr/nothing was\s+measured/);
my $rates = sub {
	results($_[0], [metric('pages', runs($_[1], 1, 9), unit => 'pages', better => 'higher')]);
};
$rates->("rate/$_.json", 100000 + 100 * $_) for 1 .. 3;
record('where more is better', qw(--good rate --threshold 20), @run);
$rates->('next/1.json', 70000);
step('a commit that does less', 1);
$rates->('next/1.json', 140000);
step('one that does more', 0);

# ---- more runs ----

record('for more runs', @both, @run, qw(--build ./boot --boot ./boot));
measured('next/1.json', 1060000, spread => 8);
measured("next/$_.json", 1003000 + 1000 * $_) for 2 .. 5;
unlink('calls');
my $text = step('open at first', 0, qr/open after 1 of at\s+most 5/);
my $runs = last_step()->{invocations};
cmp_ok($runs, '>', 1, 'took more runs');
is(read_file('calls'), "build 1\n" . join('', map { "boot $_\nrun $_\n" } 1 .. $runs),
	'built once, booted each time');
measured("next/$_.json", 1095000, spread => 4) for 1 .. 5;
step('open to the end', 125, qr/can't tell/, qr/too near to the threshold/,
	qr/5 invocations,\s+45\s+runs/);
is(last_step()->{reason}, 'too near to the threshold for its noise', 'noted');
unlink(glob('next/*'));

# ---- what can't be told: 125 ----

measured('next/1.json', 1001000);
my %hooks = (
	'exit 1' => qr/hook: exit 1/,
	'exit 4' => qr/hook: exit 4/,
	'exit 125' => qr/hook: exit 125/,
	'echo the last words; exit 2' => qr/  \| the last words/,
	'exit 130' => qr/hook: exit 130/,
	'kill -9 $$' => qr/hook: killed by signal 9/,
	'exec sleep 60' => qr/hook: no end within 1 s/,
);
for my $text (sort keys %hooks) {
	for my $hook (qw(build boot run)) {
		script('broken', $text);
		record($hook, @both, @run, qw(--hook-timeout 1), "--$hook", './broken');
		step("$hook hook: $text", 125, $hooks{$text}, qr/$hook hook/);
	}
}
record('again', @both, @run);
measured('next/1.json', 1001000, verdict => 'fail', reason => 'the guest is dead');
step('a failed benchmark', 125, qr/results: failed: the guest is dead; 1/);
measured('next/1.json', 1001000, verdict => 'fail',
	checks => [{ name => 'create: mappings', result => 'not ok', detail => 'none' }]);
step('a proof that fails', 125, qr/results: not ok: create: mappings; 1/);
results('next/1.json', [], vcpus => [], verdict => 'skip', reason => 'no KVM');
step('a skip', 125, qr/nothing was measured: skip/);
results('next/1.json', [metric('update', runs(1000000, 1, 9))]);
step('another metric', 125, qr/no create of page_table_test/);

# ---- boots: good has three, 1 % apart ----

measured("boots/$_.json", 980000 + 10000 * $_, boot_id => "good-$_") for 1 .. 3;
my $recorded = record('good of three boots', qw(--good boots --threshold 5 --metric create), @run);
unlike($recorded, qr/one boot/, '... no warning');
measured("next/$_.json", 1150000 + 100 * $_, boot_id => 'here') for 1 .. 5;
my $told = step('five invocations of one boot', 125, qr/too near to the threshold/);
like($told =~ s/\s+/ /gr, qr/open after 2 of at most 5 \(from 1 boot, of which good has several: only as many count/,
	'... count as one');
measured("next/$_.json", 1150000 + 100 * $_, boot_id => "here-$_") for 1 .. 5;
unlike(step('invocations of five boots', 1, qr/: bad$/m), qr/from \d boot/, '... count as five');
measured("bad-boot/$_.json", 1120000 + 1000 * $_, boot_id => 'bad') for 1 .. 5;
refused('bad of one boot, no farther than boots may lie', qr/5 files of one boot, 45 runs\) is not\s+known/,
	qw(--good boots --bad bad-boot --threshold 5 --metric create), @run);
# all of it in one boot: what that has of its own is in good as well
measured("boots/$_.json", 980000 + 10000 * $_) for 1 .. 3;
like(record('good of one boot', qw(--good boots --threshold 5 --metric create), @run),
	qr/warning: good is from one boot/, '... is warned of');
measured("next/$_.json", 1150000 + 100 * $_) for 1 .. 5;
step('invocations of that boot', 1, qr/: bad$/m);
unlink("next/$_.json") for 2 .. 5;

# ---- what is not UTF-8 ----

measured("good\xff.json", 1000000);
record('a path', '--good', "good\xff.json", '--threshold', 30, '--metric', 'create', @run);
measured('next/1.json', 1001000);
step('a path', 0, qr/good/);
# recorded without it, something else would be run
my (undef, $refusal, $exit) = kvmeter('bisect', 'record', @both, '--run', "./run hook\xff");
is($exit, 1, 'a word of a hook: exit 1');
like($refusal, qr/hook\S+: a word of a hook is not UTF-8/, '... named');

# ---- what ends the bisection: 128 and more ----

script('broken', 'exit 126');
record('a hook that cannot', @both, '--run', './broken');
step('exit 126 of a hook', 128, qr/it cannot do its work/);
script('broken', 'exec nobody-knows-this');
step('exit 127 of a hook', 128, qr/exit 127/);
script('broken', 'true');
step('no results', 128, qr/run hook: no results in \$KVMETER_RESULT/);
script('broken', 'echo "{" >$KVMETER_RESULT');
step('no JSON', 128, qr/run hook: no results/);
script('broken', 'echo "{}" >$KVMETER_RESULT');
step('JSON of something else', 128, qr/not a results file of kvmeter/);
script('broken', 'cp memfd.json $KVMETER_RESULT');
step('another experiment', 128, qr/backing: anonymous in good, memfd here/);
measured('other-bench.json', 1001000, bench => 'other_test');
script('broken', 'cp other-bench.json $KVMETER_RESULT');
step('another benchmark', 128, qr/results of other_test, which good has none of/);
unlink('broken');
step('a hook that is gone', 128, qr{broken: No such file});
record('a program', @both, '--run', 'nobody-knows-this {}');
step('a program that is not there', 128, qr/nobody-knows-this: not in PATH/);
measured('next/1.json', 1001000);
script('here', 'PATH=/bin:/usr/bin; cp next/1.json $KVMETER_RESULT');
script('git', 'echo 12345');
for my $path ('', ':/nowhere', '/nowhere::/nowhere', '/nowhere:', '/nowhere') {
	my $is_in = $path ne '/nowhere';

	local $ENV{PATH} = $path;
	record("PATH '$path'", @both, '--run', $is_in ? 'here' : './here');
	step("PATH '$path'", 0, $is_in ? qr/^commit 12345: good$/m : qr/^commit unknown: good$/m);
}
unlink('git');
record('again', @both, @run);
mkdir('full.log');
for (['an option that is none', '--threshold', '5'], ['an operand', 'HEAD'],
     ['a state that is not there', '--state', 'none'],
     ['a log that cannot be written', '--log', 'full.log']) {
	my ($what, @arguments) = @$_;
	my ($said, $err, $code) = kvmeter('bisect', 'step', @arguments);

	is($code, 128, "$what: exit 128") or diag($said, $err);
	isnt($err, '', "$what: said");
}
is((kvmeter('bisect', 'stp'))[2], 128, 'an action that is none: exit 128');
is((kvmeter('bisect', '--state', $state, 'step'))[2], 128, 'an option before it: exit 128');
is(system("$tool bisect step >/dev/full 2>/dev/null") >> 8, 128, 'a full disk: exit 128');
for (['no JSON', '{'], ['empty', ''], ['another file', '{"schema": "kvmeter/1"}'],
     ['half of it', '{"schema": "kvmeter-bisect/1", "find": "slower"}'],
     ['no figures', read_file($state) =~ s/"figures": \[.*?\]/"figures": []/sr],
     ['no hook', read_file($state) =~ s/"run": \[.*?\]/"run": null/sr],
     ['an unknown figure', read_file($state) =~ s/"metric": "create"/"metric": "x"/r]) {
	my ($what, $text) = @$_;

	write_text('state', $text);
	is((kvmeter(qw(bisect step --state state)))[2], 128, "a state: $what: exit 128");
}
my ($help, undef, $code) = kvmeter(qw(bisect step --help));
is($code, 0, 'its help is none of this');

# Signals reach step while a hook runs, which must not survive.
for my $signal (qw(INT TERM HUP)) {
	script('slow', "echo \$\$ >pid.part; mv pid.part pid; exec sleep 60");
	record("SIG$signal", @both, qw(--run ./slow));
	unlink('pid');
	my $pid = fork() // die "fork: $!\n";
	if (!$pid) {
		$SIG{$signal} = 'DEFAULT';
		open(STDERR, '>', '.err');
		exec $tool, 'bisect', 'step' or POSIX::_exit(127);
	}
	for (my $end = time + 20; !-e 'pid' && time < $end;) {
		sleep(0.02);
	}
	kill($signal, $pid);
	waitpid($pid, 0);
	my %number = (INT => 2, TERM => 15, HUP => 1);
	is($? >> 8, 128 + $number{$signal}, "SIG$signal: exit " . (128 + $number{$signal}));
	ok(!kill(0, read_file('pid') + 0), 'and the hook has ended');
}

# ---- what hooks get ----

script('show', 'env | grep ^KVMETER_ | sort >shown; cp next/1.json "$1"');
record('{}', @both, '--run', './show {}');
step('a hook with {}', 0);
my $shown = read_file('shown');
like($shown, qr/^KVMETER_$_$/m, "KVMETER_$_") for qw(HOOK=run INVOCATION=1 COMMIT=unknown),
	'RESULT=/.*/\.kvmeter-bisect\.results/unknown-1\.json';
ok(-s "$state.results/unknown-1.json", 'results are kept');

# ---- log ----

($out, my $err, $code) = kvmeter('bisect', 'log');
is("$code$err", '0', 'log');
like($out, qr/^unknown       good        create -\d+\.\d% \(/m, 'has what was good');
like($out, qr/^unknown       can't tell  run hook: exit 1$/m,
	'and why others could not be told');
is(join("\n", wide_lines($out)), '', 'in 72 columns');
is((kvmeter(qw(bisect log --log none)))[2], 2, 'no log: exit 2');
write_text('bad.log', "{}\n{\n");
is((kvmeter(qw(bisect log --log bad.log)))[2], 2, 'no log of ours: exit 2');

# ---- with git ----

SKIP: {
	skip('no git: apt-get install git', 4) if system('git --version >/dev/null 2>&1');
	$ENV{GIT_CONFIG_GLOBAL} = $ENV{GIT_CONFIG_SYSTEM} = '/dev/null';
	$ENV{"GIT_${_}_NAME"} = 'A', $ENV{"GIT_${_}_EMAIL"} = 'a@example.org'
		for qw(AUTHOR COMMITTER);
	mkdir('git');
	script('by-speed', 'read speed <speed && cp ../$speed $KVMETER_RESULT');
	script('git/init', <<'END');
set -e
git init -q .
for i in 1 2 3 4 5 6 7 8; do
	case $i in
	4) speed=none ;;
	[67]) speed=bad/$i.json ;;
	8) speed=bad/1.json ;;
	*) speed=good/1.json ;;
	esac
	echo $speed >speed
	echo $i >>speed
	git add speed
	git commit -q -m "Commit $i, whose subject is longer than any line of a table would take it"
done
END
	measured("bad/$_.json", 1200000 + 3000 * $_) for 6, 7;
	is(system('cd git && ./init >/dev/null && git bisect start HEAD HEAD~7 >/dev/null && ' .
		"$tool bisect record --good ../good --bad ../bad --run ../by-speed >/dev/null"), 0,
		'a repository');
	my $said = `cd git && git bisect run $tool bisect step 2>&1`;
	my ($found) = $said =~ /^([0-9a-f]{40}) is the first bad commit$/m;
	ok(defined $found, 'ends with a commit') or diag($said);
	like(`cd git && git log -1 --format=%s $found`, qr/^Commit 6,/, 'which is the right one');
	my $log = `cd git && $tool bisect log`;
	like($log, qr/^[0-9a-f]{12}  can't tell  run hook: exit 1; Commit 4,/m, 'its log');
	is(join("\n", wide_lines($log)), '', 'in 72 columns');
}
done_testing();
