#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# What kvmeter cannot use is named, all of it at once, and ends with 2; nothing
# is printed that could be taken for a comparison. Its help does not.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use MadeUp;
use Test::More;

# refused(WHAT, ARGUMENTS, PATTERN...): exit 2, a reason that matches
sub refused {
	my ($what, $arguments, @patterns) = @_;
	my ($out, $err, $code) = kvmeter(@$arguments);

	is($code, 2, "$what: exit 2") or diag($out, $err);
	is($out, '', "$what: nothing else is said");
	like($err, $_, "$what: named") for @patterns;
}

my @good = (metric('create', runs(1000000, 1, 9)));

results('good.json', \@good);

# ---- the command line ----

refused('no command', [], qr/^kvmeter: no command$/m, qr/kvmeter --help/);
refused('an unknown command', ['guess'], qr/guess: no such command/);
refused('an unknown option', ['--guess'], qr/--guess: unknown option/);
refused('help for two', [qw(help compare compare)], qr/one command at a time/);
refused('nothing to compare', ['compare'], qr/two files or directories/, qr/kvmeter compare --help/);
refused('a single file', [qw(compare good.json)], qr/two files or directories/);
refused('too many', ['compare', ('good.json') x 27], qr/more than 26/);
refused('an unknown format', [qw(compare -f pdf good.json good.json)],
	qr/-f pdf: not one of text, markdown, json, junit/);
for my $bad (qw(x -1 100 nan 1% inf), '') {
	refused("threshold '$bad'", ['compare', '--threshold', $bad, 'good.json', 'good.json'],
		qr/--threshold \Q$bad\E: not a percentage/);
}
for my $bad (qw(x 0 1 -0.1 nan)) {
	refused("alpha '$bad'", ['compare', '--alpha', $bad, 'good.json', 'good.json'],
		qr/--alpha \Q$bad\E: not a probability/);
}

for my $arguments (['--help'], ['-h'], ['help'], ['--version'], [qw(help compare)],
		   [qw(compare --help)]) {
	my ($out, $err, $code) = kvmeter(@$arguments);

	is("$code$err", '0', "@$arguments: exit 0");
	like($out, qr/^(?:Usage: kvmeter|kvmeter \d)/, "@$arguments: answers");
}

# ---- files ----

my %unusable = (
	'no-json' => ['{ "schema": ', qr/no-json\.json:\d+: /],
	'empty' => ['', qr/empty\.json:1: /],
	'other' => ['{ "name": "other" }', qr/other\.json: not a results file of kvmeter/],
	'array' => ['[1]', qr/array\.json: not a results file of kvmeter/],
	'later' => ['{ "schema": "kvmeter/2" }', qr{later\.json: kvmeter/2: this kvmeter reads kvmeter/1}],
	'bare' => ['{ "schema": "kvmeter/1" }', qr{bare\.json: members of kvmeter/1 are missing}],
	'twice' => ['{ "schema": "kvmeter/1", "schema": "kvmeter/1" }', qr/twice\.json:1: duplicate/],
);
for my $name (sort keys %unusable) {
	my ($text, $reason) = @{ $unusable{$name} };

	write_text("$name.json", $text);
	refused($name, ['compare', 'good.json', "$name.json"], $reason);
}
refused('a file that is not there', [qw(compare good.json none.json)], qr/none\.json: .*No such file/);
refused('several at once', [qw(compare none.json other.json)], qr/none\.json: /, qr/^other\.json: /m);
mkdir('nothing');
refused('an empty directory', [qw(compare good.json nothing)], qr/nothing: no file NAME\.json/);

my %metrics = (
	'negative' => metric('create', [1, -1]),
	'fraction' => metric('create', [1, 1.5]),
	'words' => metric('create', ['one']),
	'no-samples' => metric('create', []),
	'no-runs' => metric('create', [1, 2, 3], samples_per_run => 2),
	'zero-runs' => metric('create', [1, 2, 3], samples_per_run => 0),
	'no-direction' => metric('create', [1]),
	'too-long-runs' => metric('create', [1, 2, 3], samples_of_runs => [2, 2]),
	'empty-runs' => metric('create', [1, 2, 3], samples_of_runs => []),
	'empty-run' => metric('create', [1, 2, 3], samples_of_runs => [2, 0, 1]),
	'negative-run' => metric('create', [1, 2, 3], samples_of_runs => [4, -1]),
	'runs-in-words' => metric('create', [1, 2, 3], samples_of_runs => ['two']),
	'odd-direction' => metric('create', [1], better => 1),
	'no-unit' => metric('create', [1], unit => undef),
);
delete $metrics{'no-direction'}{better};
for my $name (sort keys %metrics) {
	results("$name.json", [$metrics{$name}]);
	refused($name, ['compare', 'good.json', "$name.json"],
		qr/$name\.json: metric 1 of a point makes no sense/);
}

# ---- results that prove nothing ----

results('skip.json', [], vcpus => [], verdict => 'skip', reason => 'no KVM');
refused('a skip', [qw(compare good.json skip.json)], qr/skip\.json: nothing was measured: skip/);
results('failed.json', \@good, verdict => 'fail', reason => 'the guest is dead');
results('not-ok.json', \@good, verdict => 'fail',
	checks => [{ name => 'create: mappings', result => 'not ok', detail => 'none' }]);
refused('a failure', [qw(compare good.json failed.json)],
	qr/failed\.json: failed: the guest is dead \(--failed/);
refused('a check that is not ok', [qw(compare good.json not-ok.json)],
	qr/not-ok\.json: not ok: create: mappings \(--failed/);
for my $file (qw(failed.json not-ok.json)) {
	my ($out, $err, $code) = kvmeter('compare', '--failed', 'good.json', $file);

	is("$code$err", '0', "$file: taken when asked for");
	like($out, qr/^create .*(?:same|can't tell)$/m, "$file: compared");
}
my $partial = metric('update', [1, 2]);
delete $partial->{samples_per_run};
results('partial.json', [@good, $partial]);
my ($out) = kvmeter('compare', 'partial.json', 'partial.json');
like($out, qr/^create /m, 'a metric that ended early leaves the others');
unlike($out, qr/^update /m, '... and is none itself');
like($out, qr/^warning: left out of A: .* update, of 1\s+file:/m, '... but named');

# ---- files that do not go together ----

results('other-metric.json', [metric('update', runs(1000, 1, 9))]);
refused('no metric in common', [qw(compare good.json other-metric.json)], qr/no metric in common/);
refused('no metric of this name', [qw(compare -m creat good.json good.json)],
	qr/no metric of this name in common/);
results('other-bench.json', \@good, bench => 'other_test');
refused('no benchmark in common', [qw(compare good.json other-bench.json)], qr/no metric in common/);
results('other-unit.json', [metric('create', runs(1000, 1, 9), unit => 'pages')]);
refused('another unit', [qw(compare good.json other-unit.json)],
	qr/other-unit\.json: create has another unit than in good\.json/);
results('side/1.json', \@good);
results('side/2.json', \@good, config => { backing => 'memfd' });
refused('a side of two experiments', [qw(compare good.json side)],
	qr/side: files of one side differ in backing: anonymous, memfd/);

done_testing();
