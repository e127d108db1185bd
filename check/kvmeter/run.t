#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# kvmeter run: whatever a benchmark does, the others run, the verdict is right,
# every skip is named, and what is printed is KTAP and XML. Benchmarks are made up
# here; check/kselftest/merged.t has the parsers of others judge the KTAP.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use MadeUp;
use Suites;
use Test::More;
use FakeTest;

# ---- what it says ----

my @table = (
	['pass', 'pass', '1 of 1', ''],
	['fail', 'fail', '0 of 1', 'not ok: create: mappings: none'],
	['skip', 'skip', '-', 'no huge pages'],
	['crash', 'fail', '1 of 1', 'killed by signal 11 (Segmentation fault)'],
	['hang', 'fail', '-', 'ended at the time limit of 1 s'],
	['unproven', 'pass', '1 of 1', ''],
	['free', 'pass', '1 of 1', ''],
	['gone', 'fail', '-', "no such benchmark in $here/tests"],
	['last', 'pass', '1 of 1', ''],
);
my $suite = "# what benchmarks do\n\n" . join('', map { "$_: ${_}_test -b 4M\n" }
	qw(pass fail skip crash)) . "hang timeout=1: hang_test\n" . join('', map { "$_: ${_}_test\n" }
	qw(unproven free gone)) . "last: pass_test --name 'two words'\n";

my ($out, $err, $code) = run_suite($suite, qw(--results all --junit all.xml), '--', '-R', '3');
is($code, 1, 'some fail: exit 1');
is($err, '', 'nothing on standard error');
is(ktap_faults($out), '', 'KTAP') or diag($out);
is(slurp('all/results.ktap'), $out, 'results.ktap is what was printed');
for my $row (@table) {
	my ($name, @wanted) = @$row;

	is_deeply([row($out, $name)], \@wanted, "$name: $wanted[0]");
	like($out, $wanted[0] eq 'pass' ? qr/^ok \d - $name$/m
		: $wanted[0] eq 'skip' ? qr/^ok \d - $name # SKIP no huge pages reserve some$/m
		: qr/^not ok \d - $name$/m, '... and so says its result');
}
like($out, qr/^# 4 passed, 4 failed, 1 skipped, 0 not run in [\d.]+ s: all$/m, 'how many');
like($out, qr/^#\n# skipped: skip: no huge pages\n# reserve some\n# not verified: unproven: create: mappings: no statistics\n# not applicable: free: create: mappings: not asked for\n\z/m,
	'skips with reasons close the output');
like($out, qr/^    # Subtest: crash\n    1\.\.2\n    ok 1 - create: mappings # 1 x 2M\n    not ok 2 - run # killed by signal 11/m,
	'a crash is a result beside those before it');
like($out, qr/^# about to break$/m, '... and its standard error is seen');
is(slurp('last.ran') . slurp('pass.ran'), "-b 4M -R 3\n--name two words -R 3\n",
	'options in words, those behind -- last');
is(join(' ', sort map { m{/(.*)} } glob('all/*')), join(' ', sort 'index', 'results.ktap',
	(map { ("$_.ktap", "$_.stderr") } qw(pass fail skip crash hang unproven free last)),
	(map { ("$_.json") } qw(pass fail skip unproven free last))), 'files');
is(slurp('all/pass.ktap'), $ok, "a benchmark's own KTAP");
is(slurp('all/crash.stderr'), "about to break\n", '... and standard error');
is(slurp('all/pass.json'), slurp('results/pass.json'), '... and results');

ok(is_gone(slurp('hang.child')), 'what hung left nothing behind');

# ---- quiet, strict, all skipped ----

($out, $err, $code) = run_suite("pass: pass_test\nunproven: unproven_test\n", qw(-o quiet --quiet));
is("$code$err", '0', 'all pass: exit 0');
is(ktap_faults($out), '', 'quiet: KTAP');
is_deeply([grep { /^ *#/ } split /\n/, $out], ['    # Subtest: pass', '    # Subtest: unproven',
	'# not verified: unproven: create: mappings: no statistics'], 'quiet: skips are told all the same');
like(slurp('quiet/results.ktap'), qr/^    # a table$/m, 'quiet: files have all');
($out) = run_suite("pass: pass_test\n", qw(-o none));
like($out, qr/^# nothing was skipped\n\z/m, 'no skip: so it says');

my @strict = (
	['unproven', '"not verified" fails by --strict: create: mappings: no statistics',
	 qr/^    not ok 1 - create: mappings # not verified: no statistics$/m],
	['skip', 'a skip fails by --strict: no huge pages', qr/^    not ok 1 - run # a skip fails by --strict: no huge/m],
);
for my $row (@strict) {
	my ($name, $why, $result) = @$row;

	($out, $err, $code) = run_suite("pass: pass_test\n$name: ${name}_test\n", '-o', "strict-$name", '--strict');
	is($code, 1, "$name --strict: exit 1");
	is(ktap_faults($out), '', "$name --strict: KTAP");
	like((row($out, $name))[2], qr/^\Q$why\E/, "$name --strict: why");
	like($out, $result, "$name --strict: a result");
	like($out, qr/^# (?:skipped|not verified): $name: /m, "$name --strict: listed");
	local $ENV{KVMETER_STRICT} = '1';
	(undef, undef, $code) = run_suite("$name: ${name}_test\n", '-o', "variable-$name");
	is($code, 1, "$name KVMETER_STRICT=1: exit 1");
}
($out, $err, $code) = run_suite("free: free_test\n", qw(-o strict-free --strict));
is($code, 0, 'what is not applicable passes --strict');
($out, $err, $code) = run_suite("skip: skip_test\nagain: skip_test\n", qw(-o skipped));
is($code, 4, 'all skipped: exit 4');
($out, $err, $code) = run_suite("skip: skip_test\npass: pass_test\n", qw(-o not-all));
is($code, 0, 'not all skipped: exit 0');

# ---- programs whose words and deeds differ ----

fake('liar', "KTAP version 1\n1..1\nnot ok 1 - create: mappings # none\n", result_file('liar', $checks[0]));
fake('mute', '', result_file('mute', $checks[0]));
fake('short', "KTAP version 1\n1..3\nok 1 - create: mappings # 32 x 2M\n", result_file('short', $checks[0]));
fake('long', "$ok$ok", result_file('long', $checks[0]));
fake('lost', $ok, '');
fake('torn', $ok, "echo '{ \"schema\"' >\$json");
fake('shy', "KTAP version 1\n1..1\nok 1 - create: mappings # 32 x 2M\n", result_file('shy', $checks[0]) . "\nexit 1");
fake('odd', $ok, result_file('odd', $checks[0]) . "\necho out of luck >&2; exit 7");
fake('leaver', "KTAP version 1\n1..2\nok 1 - create: mappings # 32 x 2M\nBail out! the guest is dead\n# rip 0\n",
	result_file('leaver', $checks[0], verdict => 'fail', reason => "the guest is dead\nrip 0") . "\nexit 1");
fake_program('tests/script_test', "#!/nowhere/sh\n# kvmeter-describe/1\n");
my %wrong = (
	liar => 'exit code 0, though not all is ok',
	mute => 'no results on its standard output',
	short => '1 results, where 3 were planned',
	long => '2 results, where 1 were planned',
	lost => 'no results file, or one that is no JSON',
	torn => 'no results file, or one that is no JSON',
	shy => 'exit code 1',
	odd => 'exit code 7: out of luck',
	leaver => 'exit code 1: the guest is dead',
);
(undef, $err, $code) = run_suite("script: script_test\n", qw(-o script));
is($code, 2, 'a program that cannot run: exit 2');
like($err, qr{tests/script_test --describe: cannot be started: No such file or directory}, '... and named');
unlink('tests/script_test');
($out, $err, $code) = run_suite(join('', map { "$_: ${_}_test\n" } sort keys %wrong), qw(-o wrong));
is("$code", 1, 'words and deeds: exit 1');
is(ktap_faults($out), '', '... KTAP') or diag($out);
for my $name (sort keys %wrong) {
	is_deeply([(row($out, $name))[0, 2]], ['fail', $wrong{$name}], "$name: $wrong{$name}");
	like($out, qr/^not ok \d - $name$/m, "... its result");
}

# ---- XML ----

sub xml_of {
	my ($path) = @_;

	return join("\n", map { s/^ +//r } split /\n/, slurp($path));
}

sub suite_of {
	my ($xml, $name) = @_;

	return $xml =~ m{(<testsuite name="\Q$name\E".*?</testsuite>)}s ? $1 : '';
}

my $xml = xml_of('all.xml');
my $have_xmllint = grep { -x "$_/xmllint" } split /:/, $ENV{PATH};
SKIP: {
	skip('no xmllint: apt-get install libxml2-utils', 1) if !$have_xmllint;
	is(`xmllint --noout all.xml 2>&1`, '', 'XML is well-formed');
}
like($xml, qr/^<testsuites name="a\.suite" tests="10" failures="1" errors="3" skipped="3" /m, 'XML: counts');
like(suite_of($xml, 'pass'), qr{<testcase classname="pass\.bytes=64M vcpus=1" name="create: mappings" .*\n<system-out>32 x 2M<},
	'XML: a case has the name of the check, without its figures');
like(suite_of($xml, 'pass'), qr{<property name="command" value="pass_test -b 4M -R 3"/>\n<property name="kernel" value="6\.18\.1"/>},
	'XML: command and kernel');
like(suite_of($xml, 'fail'), qr{name="create: mappings" .*\n<failure message="none"/>}, 'XML: a failure');
like(suite_of($xml, 'skip'), qr{name="run" .*\n<skipped message="no huge pages&#10;reserve some"/>}, 'XML: a skip');
like(suite_of($xml, 'unproven'), qr{<skipped message="no statistics"/>}, 'XML: not verified');
like(suite_of($xml, 'crash'), qr{<error type="signal 11" message="killed by signal 11 \(Seg.*\)">about to break</error>},
	'XML: a crash, with the end of its standard error');
like(suite_of($xml, 'hang'), qr{<error type="time limit" }, 'XML: a hang');
like(suite_of($xml, 'gone'), qr{<error type="not started" }, 'XML: a benchmark that is not there');

# ---- text that means something to KTAP or XML ----

my $evil = "a # SKIP no\x01\x1b[31m <b>&\"' ]]> \xff \xef\xbf\xbf";
fake('evil', "KTAP version 1\n1..3\n# $evil\nok 1 - $evil\nnot ok 2 - fault (#PF) <&> # \\# SKIP \\\\ #x\nok 3 - evil # skipped: none\n\0zero\n1..9\n",
	"printf '\\001<&>\\377\\n' >&2; exit 1");
($out, $err, $code) = run_suite("evil: evil_test -b '<&\"#\x01>'\n", qw(-o evil --junit evil.xml));
is(ktap_faults($out), '', 'odd text: KTAP') or diag($out);
unlike($out, qr/[\x00-\x09\x0b-\x1f]/, '... without control characters');
like($out, qr/^    ok 1 - a # SKIP no\?\?\[31m <b>&/m, '... the skip that it is');
like($out, qr/^    not ok 2 - fault \(\xef\xbc\x83PF\) <&> # \\# SKIP \\\\ \\#x$/m, '... and no other');
like($out, qr/^    ok 3 - evil: result # SKIP none$/m, '... a result named as its entry');
SKIP: {
	skip('no xmllint: apt-get install libxml2-utils', 1) if !$have_xmllint;
	is(`xmllint --noout evil.xml 2>&1`, '', 'odd text: XML is well-formed');
}

# ---- the judgement of KTAP above can fail ----

for my $case (['1..2', "KTAP version 1\n1..2\nok 1 - a\n"], ['a line', "KTAP version 1\n1..1\nwhat\nok 1 - a\n"],
	      ['a number', "KTAP version 1\n1..1\nok 2 - a\n"], ['a #', "KTAP version 1\n1..1\nok 1 - a #PF\n"],
	      ['a subtest', "KTAP version 1\n1..1\n    KTAP version 1\n    1..2\n    ok 1 - b\nok 1 - a\n"]) {
	isnt(ktap_faults($case->[1]), '', "wrong KTAP is noticed: $case->[0]");
}
done_testing();
