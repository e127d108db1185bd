#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# The tool kvmeter under valgrind's memcheck: each command on files that are right
# and on such as are not, no error and nothing definitely lost, also where it ends
# by an error. No suppressions. With KVMETER_LONG its own checks run that way as
# well, every call of it.
use strict;
use warnings;
use Cwd qw(abs_path);
use FindBin;
use lib "$FindBin::Bin/../kvmeter";
use FakeTest;
use MadeUp;
use POSIX ();
use Test::More;

my $fault = 99;    # no exit code of kvmeter
my @memcheck = ('valgrind', '--quiet', "--error-exitcode=$fault", '--leak-check=full',
		'--errors-for-leak-kinds=definite', '--show-leak-kinds=definite', '--track-fds=no',
		'--child-silent-after-fork=yes');
my $here = abs_path('.');

plan(skip_all => 'no valgrind: apt-get install valgrind')
	if !grep { -x "$_/valgrind" } split /:/, $ENV{PATH};
plan(skip_all => 'kvmeter is built with a sanitizer') if `nm $tool` =~ /__(?:asan|tsan)_init/;

# Exit code; what valgrind says is in .err.
sub exit_of {
	my (@command) = @_;
	my $pid = fork() // die "fork: $!\n";

	if (!$pid) {
		open(STDIN, '<', '/dev/null');
		open(STDOUT, '>', '.out');
		open(STDERR, '>', '.err');
		exec { $command[0] } @command or POSIX::_exit(127);
	}
	waitpid($pid, 0);
	return $? & 127 ? 'signal ' . ($? & 127) : $? >> 8;
}

sub clean {
	my ($what, $wanted, @arguments) = @_;
	my $code = exit_of(@memcheck, $tool, @arguments);

	ok($code eq $wanted, "$what: exit $wanted, nothing found") or diag("exit $code\n", `cat .err`);
}

for my $side (qw(a b)) {
	results("$side/$_.json", [
		metric('create', runs($side eq 'a' ? 1000000 : 1300000, 1, 9)),
		metric('update', runs(5000000 + $_, 30, 9), histogram => { max_ns => 100,
			buckets => [[0, 10, 5], [10, 20, 1]] }) ],
		vcpus => [1, 2], host => { kernel => "6.1$_.0" },
		checks => [{ name => 'create: mappings', result => 'ok', detail => '1 x 2M' }]) for 1 .. 3;
}
results('fail.json', [metric('create', [1 .. 5])], verdict => 'fail', reason => 'why',
	checks => [{ name => 'c', result => 'not ok', detail => 'x' }]);
results('skip.json', [], points => [], verdict => 'skip', reason => 'no KVM');
write_text('half.json', '{"schema": "kvmeter/1", "bench": [');
write_text('odd.json', '{"schema": "kvmeter/1", "bench": "b", "started": "1", "host": {}, "config": {},
	"verdict": "pass", "points": [1, {}, {"config": {"vcpus": 1, "bytes": 1, "v": "\u0007"},
	"metrics": []}, {"config": {"vcpus": 1, "bytes": 1}, "metrics": [{}, {"name": "x",
	"unit": "ns", "better": "lower", "samples": [1, "a"], "samples_per_run": 1}]}]}');
results('ok.json', [metric('create', [1 .. 5])], checks =>
	[{ name => 'create: mappings', result => 'ok', detail => '1' }]);
write_text('ok.ktap', "KTAP version 1\n1..1\nok 1 - create: mappings # 1\n");
my $passes = "cat $here/ok.ktap; results $here/ok.json";
fake_test('tests/pass_test', description('pass_test'), $passes);
fake_test('tests/crash_test', description('crash_test'), 'echo about to >&2; kill -SEGV $$');
fake_test('tests/skip_test', description('skip_test'),
	'printf "KTAP version 1\n1..1\nok 1 - skip_test # SKIP no\n"; exit 4');
fake_program('hook', "#!/bin/sh\ncp $here/a/1.json \$KVMETER_RESULT\n");
fake_program('broken', "#!/bin/sh\necho no >&2\nexit 1\n");
write_text('a.suite', "pass: pass_test\ncrash: crash_test\nskip: skip_test\ngone: gone_test\n");
write_text('wrong.suite', "pass: pass_test\npass: \"\nx\n");

clean('compare', 0, qw(compare a a));
clean("compare, $_", 1, qw(compare --format), $_, 'a', 'b') for qw(text markdown json junit);
clean('compare, files of which none can be used', 2,
	qw(compare half.json odd.json skip.json fail.json none.json));
clean('report', 0, qw(report -o page.html a b/1.json));
clean('report, no figures', 0, qw(report --no-figures skip.json a fail.json));
clean('report, what is no results', 2, qw(report half.json odd.json none.json));
clean('list', 0, qw(list --tests tests));
clean('list, nothing there', 2, qw(list --tests a));
clean('run', 1, qw(run a.suite --tests tests -o out --junit out.xml));
clean('run, once more', 1, qw(run a.suite --tests tests -o out --resume));
clean('run, a suite with faults', 2, qw(run wrong.suite --tests tests -o other));
clean('bisect record', 0, qw(bisect record --good a --bad b --run), "$here/hook");
clean('bisect step', 0, qw(bisect step));
clean('bisect log', 0, qw(bisect log));
clean('bisect step, no state', 128, qw(bisect step --state none));
clean('bisect record, nothing to find', 2, qw(bisect record --good a --bad a --run), "$here/hook");
clean('ab', 0, qw(ab -n 2 -R 1 --same), "$here/tests/pass_test");
clean('ab, a benchmark that crashes', 1, qw(ab -n 2 -R 1 --same), "$here/tests/crash_test");
clean('noise', 0, qw(noise -n 5 -R 1), "$here/tests/pass_test");
clean('an option that is none', 2, qw(compare --nothing));
clean('help', 0, qw(help run));

# ---- the same judgement of a program that is wrong ----

my %wrong = (
	'what was not set' => 'int i; if (((volatile int *)&i)[0] == 3) putchar(65);',
	'what was freed' => 'char *p = malloc(8); free(p); putchar(p[0]);',
	'a leak' => 'char *volatile p = malloc(8); p = NULL;',
	'a leak at an early end' => 'char *volatile p = malloc(8); p = NULL; exit(2);',
);
for my $what (sort keys %wrong) {
	write_text('wrong.c', "#include <stdio.h>\n#include <stdlib.h>\nint main(void) { $wrong{$what} return 0; }\n");
	SKIP: {
		skip('no gcc', 1) if system('gcc -O0 -w -o wrong wrong.c');
		is(exit_of(@memcheck, './wrong'), $fault, "finds: $what");
	}
}

# ---- every call of its own checks ----

if ($ENV{KVMETER_LONG}) {
	my $out = "$here/instead";

	system('mkdir', '-p', "$out/tools/kvmeter");
	symlink(abs_path("$tool/../../../tests"), "$out/tests");
	fake_program("$out/tools/kvmeter/kvmeter",
		"#!/bin/sh\nexec @memcheck --log-file=$here/valgrind.%p $tool \"\$@\"\n");
	chdir($top);
	for my $check (qw(compare formats refused run_input list)) {
		local $ENV{KVMETER_OUT} = $out;
		system("prove -Q check/kvmeter/$check.t >/dev/null 2>&1");
		my @logs = glob("$here/valgrind.*");
		my @found = grep { -s } @logs;
		is(join('', map { `cat $_` } @found), '', "check/kvmeter/$check.t: " . @logs . ' calls');
		cmp_ok(scalar(@logs), '>', 5, '... and they were looked at');
		unlink(@logs);
	}
	chdir($here);
}
done_testing();
