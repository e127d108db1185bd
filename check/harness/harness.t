#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# The judges of the other scripts can say no: bad KTAP is called bad, and a
# program that hangs, crashes, leaves a child or exits otherwise is noticed.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Harness;
use Test::Builder;
use Test::More;

my $v = "KTAP version 1\n";

# [ text, what is wrong with it ]
my @tap = (
	["${v}1..1\n# x\nok 1 - a\n", ''],
	["${v}1..2\nok 1 - a\nnot ok 2 - b # 3\n", ''],
	["${v}1..1\nok 1 - a # \\#b, \\\\\\#c\n", ''],
	["${v}1..1\nok 1 - a #b\n", 'no KTAP: ok 1 - a #b'],
	["${v}1..1\nok 1 - # b\n", 'no KTAP: ok 1 - # b'],
	["${v}1..1\nok 1 - a # b # c\n", "unescaped '#'"],
	["${v}1..1\nok 1 - a # b \\\\# c\n", "unescaped '#'"],
	["${v}1..0 # SKIP no KVM\n", ''],
	["${v}1..2\nok 1 - a\nBail out! broken\n# more\n", ''],
	['', 'no version line'],
	["1..1\nok 1 - a\n", 'no version line'],
	["${v}ok 1 - a\n", 'no plan'],
	["${v}1..2\nok 1 - a\n", '1 results, 2 planned'],
	["${v}1..1\nok 1 - a\nok 2 - b\n", '2 results, 1 planned'],
	["${v}1..2\nok 2 - a\nok 1 - b\n", 'result 2, expected 1'],
	["${v}1..2\nok 1 - a\nok 1 - b\n", 'result 1, expected 2'],
	["${v}1..0\n", '1..0 without a reason'],
	["${v}1..1\n1..1\nok 1 - a\n", 'second plan'],
	["${v}ok 1 - a\n1..1\n", 'plan after results'],
	["${v}1..2\nBail out! x\nok 1 - a\n", 'result after Bail out!'],
	["${v}1..1\nBail out!\n", 'no KTAP: Bail out!'],
	["${v}1..1\nhello\nok 1 - a\n", 'no KTAP: hello'],
	["${v}1..1\nok 1 a\n", 'no KTAP: ok 1 a'],
	["${v}1..1\nok 1 - a", 'does not end with a newline'],
);

for my $row (@tap) {
	my ($text, $want) = @$row;
	my @wrong = tap_errors($text);

	ok($want ? grep { /\Q$want/ } @wrong : !@wrong,
		'KTAP: ' . ($want || 'good: ' . ($text =~ tr/\n/ /r)));
}

# Does run_ok() refuse this? Its own line of TAP must not be seen.
sub refused
{
	my ($r, %want) = @_;
	my $test = Test::Builder->create;
	my $said = '';

	no warnings 'redefine';
	local *Harness::ok = sub { $said = $_[0] ? 'ok' : 'not ok'; $_[0] };
	local *Harness::diag = sub { };
	run_ok('inner', $r, tap => 0, %want);
	return $said eq 'not ok';
}

sub sh { return run(['/bin/sh', '-c', $_[0]], timeout => $_[1] // 5) }

ok(!refused(sh('exit 0')), 'exit 0 is fine');
ok(refused(sh('exit 3')), 'another exit code is seen');
ok(!refused(sh('exit 3'), code => 3), 'unless it is wanted');
ok(refused(sh('kill -SEGV $$')), 'a crash is seen');
ok(refused(sh('kill -SEGV $$'), code => 139), 'a crash is no exit code');
ok(refused(sh('sleep 30', 0.3)), 'a hang is seen');
ok(refused(sh('sleep 30 >/dev/null 2>&1 & exit 0')), 'a child left behind is seen');
ok(refused(sh('sleep 0.5'), within => 0.2), 'lateness is seen');
ok(refused(sh('exit 0'), at_least => 0.5), 'haste is seen');
ok(refused(sh('echo a'), out => [ qr/b/ ]), 'a missing line on stdout is seen');
ok(refused(sh('echo a'), err => [ qr/a/ ]), 'stdout is not stderr');
ok(refused(sh('echo a'), tap => 1), 'text that is no KTAP is seen');

write_file(scratch('half.json'), '{ "schema": "kvmeter/1", "points": [');
is(read_json(scratch('half.json')), undef, 'half a JSON file is seen');
is(read_json(scratch('none.json')), undef, 'no JSON file is seen');
done_testing();
