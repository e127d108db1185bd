#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# kvmeter run: suites that make no sense are refused before anything is run, and
# those that are built in take all benchmarks that there are.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use MadeUp;
use Suites;
use Test::More;

my ($out, $err, $code);

# ---- suites that make no sense ----

sub refused {
	my ($what, $text, $arguments, @patterns) = @_;
	my ($said, $why, $status) = run_suite($text, '-o', 'never', @$arguments);

	is("$status$said", '2', "$what: exit 2, nothing is printed") or diag($why);
	like($why, $_, "$what: named") for @patterns;
	ok(!ran('pass') && !-e 'never', "$what: nothing is run or made");
}

refused('several faults', "ok: pass_test\nno colon\na b: pass_test\n-x: pass_test\nresults: pass_test\n"
	. "ok: pass_test\nq: pass_test 'a\nempty:\n: pass_test\nt timeout=0: pass_test\nt timeout=x: pass_test\n"
	. "a/b: pass_test\nj: pass_test --json x\nj: pass_test -Jx\nh: pass_test --help\n", [],
	qr/^kvmeter run: a\.suite:2: no colon: no colon/m, qr/^a\.suite:3: b: not timeout=/m,
	qr/^a\.suite:4: -x: a name begins/m, qr/^a\.suite:5: results: .*taken/m,
	qr/^a\.suite:6: ok: this name stands twice/m, qr/^a\.suite:7: .*a ' that is not closed/m,
	qr/^a\.suite:8: .*no benchmark/m, qr/^a\.suite:9: .*no name/m,
	qr/^a\.suite:10: timeout=0: not 1 to 86400/m, qr/^a\.suite:11: timeout=x: not 1 to/m,
	qr{^a\.suite:12: a/b: a name has}m, qr/^a\.suite:13: pass_test --json x: .*--results/m,
	qr/^a\.suite:14: pass_test -Jx: .*--results/m, qr/^a\.suite:15: pass_test --help: not an option/m);
refused('an option that a benchmark refuses', "ok: pass_test\nno: pass_test --never\n", [],
	qr/a\.suite:2: pass_test: --never: unknown option/);
refused('... behind --', "ok: pass_test\n", ['--', '--never'], qr/a\.suite:1: pass_test: --never: unknown/);
refused('results behind --', "ok: pass_test\n", ['--', '--json', 'x'], qr/-- --json x: .*--results/);
refused('an empty suite', "# nothing\n", [], qr/a\.suite: nothing to run in it/);
refused('two suites', "ok: pass_test\n", ['b.suite'], qr/b\.suite: one suite at a time/);
refused('an unknown option', "ok: pass_test\n", ['--never'], qr/--never: unknown option/);
refused('a limit of nothing', "ok: pass_test\n", ['--timeout', '0'], qr/--timeout 0: not in 1\.\./);
refused('no benchmarks', "ok: pass_test\n", ['--tests', 'results'], qr/no benchmarks in results/);
(undef, $err, $code) = kvmeter(qw(run none.suite));
is($code, 2, 'no such suite: exit 2');
like($err, qr/none\.suite: no suite \(quick, full\), and no file: No such file/, '... named');
run_suite("ok: pass_test\n", qw(-o all));
(undef, $err, $code) = run_suite("ok: pass_test\n", qw(-o all));
is($code, 2, 'a directory with results: exit 2');
like($err, qr/--results all: not empty; --resume goes on/, '... named');
(undef, $err, $code) = run_suite("ok: pass_test\n", qw(-o tests --resume));
like($err, qr/--results tests: not empty, and no directory of kvmeter run/, 'a foreign directory');
(undef, $err, $code) = run_suite("ok: pass_test\n", qw(--resume));
like($err, qr/--resume: name the directory/, '--resume of nothing');
(undef, $err, $code) = run_suite("ok: pass_test\n", qw(-o x --junit no/such/dir.xml));
is($code, 2, 'XML that cannot be written: exit 2');
is(ran('pass'), 0, '... before anything is run');

# ---- built-in suites ----

delete $ENV{KVMETER_TESTS};
for my $name (qw(quick full)) {
	my ($text, $why, $status) = kvmeter('run', '--dry-run', $name);
	my %missing = map { m{tests/(\w+)\.c\z} ? ($1 => 1) : () } glob("$top/tests/*_test.c");

	is("$status$why", '0', "$name: every benchmark takes its options");
	delete $missing{$1} while $text =~ /: (\w+)/g;
	is_deeply([sort keys %missing], [], "$name: has every benchmark");
	write_text('again.suite', $text);
	is((kvmeter('run', '-n', 'again.suite'))[0], $text, "$name: what is printed is a suite");
}
$ENV{KVMETER_TESTS} = "$here/tests";
($out) = run_suite("a: pass_test 'b c'\nd timeout=7: skip_test\n", qw(-n --timeout 5), '--', '-R 1');
is($out, "a timeout=5: pass_test 'b c' '-R 1'\nd timeout=7: skip_test '-R 1'\n", 'limits and words');
is(ran('pass'), 0, '... and nothing is run');
kvmeter('run', '-q', 'a.suite');
my @dirs = glob('kvmeter-*');
is(scalar(@dirs), 1, 'a directory is made');
like($dirs[0], qr/^kvmeter-\d{8}T\d{6}Z$/, '... named by time');
ok(-s "$dirs[0]/results.ktap", '... with results');

done_testing();
