#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# kvmeter list finds what is there, says what benchmarks say of themselves, runs
# nothing else, and names what it cannot use.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use FakeTest;
use File::Basename qw(dirname);
use File::Copy qw(copy);
use JSON::PP;
use MadeUp;
use POSIX ();
use Test::More;

my $tests = $tool =~ s{/tools/kvmeter/kvmeter\z}{/tests}r;
my @names = sort map { m{tests/(\w+)\.c\z} } glob("$top/tests/*_test.c");

delete $ENV{KVMETER_TESTS};

sub refused {
	my ($what, $arguments, @patterns) = @_;
	my ($out, $err, $code) = kvmeter('list', @$arguments);

	is("$code$out", '2', "$what: exit 2, and nothing is listed") or diag($err);
	like($err, $_, "$what: named") for @patterns;
}

# ---- those of this build ----

my ($text, $err, $code) = kvmeter('list');
is("$code$err", '0', 'the build: exit 0');
is_deeply([$text =~ /^(\w+_test)$/mg], \@names, '... every benchmark');

my ($out) = kvmeter(qw(list --format json));
my $list = decode_json($out);
is($list->{schema}, 'kvmeter-list/1', 'json: schema');
is_deeply([map { $_->{name} } @{ $list->{benchmarks} }], \@names, '... every benchmark');
for my $bench (@{ $list->{benchmarks} }) {
	my ($name, $d) = @$bench{qw(name description)};
	my $help = `$bench->{path} --help`;
	my %letters = map { ($_->{name} => $_->{letter}) } @{ $d->{options} };
	my %in_help = reverse $help =~ /^  (?:-(\w), |    )--([\w-]+)/mg;
	my ($man) = `$bench->{path} --man` =~ /^\.SH METRICS\n(.*?)^\.SH/ms;
	my %metrics = map { ($_->{name} => $_) } @{ $d->{metrics} };

	is($bench->{path}, "$tests/$name", "$name: path");
	is($d->{bench}, $name, "$name: names itself");
	like($help, qr/^\Q$d->{question}\E$/m, "$name: question");
	is_deeply(\%letters, \%in_help, "$name: options are those of its help");
	is_deeply([map { "$_->{name} $_->{unit} " . ($_->{better} // 'neither') } @{ $d->{metrics} }],
		[map { tr/\\//dr } map { "$_->[0] $_->[1] $_->[2]" } map { [/fB(.*)\\fR \((.*), (\w+) is/] }
		 grep { /^\\fB/ } split /\n/, $man], "$name: metrics are those of its man page");
	for my $metric (values %metrics) {
		my $better = $metric->{better} // '-';

		like($text, qr/^  $metric->{name} +\Q$metric->{unit}\E +$better +\Q$metric->{help}\E$/m,
			"$name: $metric->{name} is in the text");
	}
	is_deeply([grep { defined $_->{metric} && !$metrics{ $_->{metric} } } @{ $d->{checks} }],
		[], "$name: checks are of its metrics");
	my %default = map { ($_->{name} => $_->{default}) } @{ $d->{options} };
	my ($runs) = $help =~ /--runs N +fresh VMs measured \[(\d+)\]$/m;
	is_deeply([@default{qw(runs backing json strict)}, ref $default{vcpus}],
		[$runs, 'anonymous', undef, JSON::PP::false, 'ARRAY'], "$name: defaults");
}

($text) = kvmeter(qw(list page_table_test));
is_deeply([$text =~ /^(\w+_test)$/mg], ['page_table_test'], 'one of them');

# ---- where they are ----

mkdir($_) for qw(here there);
fake_test('there/a_test', description('a_test'), 'exit 0');
fake_test('there/b_test', description('b_test'), 'exit 0');

sub listed {
	my ($listed) = kvmeter('list', @_);

	return join(' ', $listed =~ /^(\w+_test)$/mg);
}

is(listed('--tests', 'there'), 'a_test b_test', '--tests');
{
	local $ENV{KVMETER_TESTS} = 'there';
	is(listed(), 'a_test b_test', 'KVMETER_TESTS');
	is(listed('--tests', $tests), "@names", '--tests goes before it');
	local $ENV{KVMETER_TESTS} = 'here';
	refused('an empty directory by KVMETER_TESTS', [],
		qr/no benchmarks in here, which KVMETER_TESTS names/);
}
refused('an empty directory', [qw(--tests here)], qr/no benchmarks in here: nothing there is one$/m);
refused('no directory', [qw(--tests none)], qr/no benchmarks in none: No such file/m);
refused('an unknown one', [qw(--tests there c_test)],
	qr/c_test: no such benchmark: there are a_test, b_test$/m);

# as it is installed: all in one directory
copy($tool, 'there/kvmeter') && chmod(0755, 'there/kvmeter') or die "there/kvmeter: $!\n";
is(join(' ', `there/kvmeter list` =~ /^(\w+_test)$/mg), 'a_test b_test', 'beside kvmeter');
copy($tool, 'here/kvmeter') && chmod(0755, 'here/kvmeter') or die "here/kvmeter: $!\n";
like(`here/kvmeter list 2>&1`, qr{^kvmeter list: no benchmarks in \S+/here nor in \S+tests \(.+\): name}m,
	'nowhere: the places are named');

# ---- what is no benchmark ----

fake_program('there/foreign_test', "#!/bin/sh\n: >foreign-was-run\n");
fake_test('there/plain_test', description('plain_test'), 'exit 0');
chmod(0644, 'there/plain_test');
symlink('a_test', 'there/c_test');
symlink('nowhere', 'there/d_test');
mkdir('there/e_test');
is(listed('--tests', 'there'), 'a_test b_test c_test',
	'others of the directory, and what cannot be run, are left alone');
ok(!-e 'foreign-was-run', '... and never run');

my %broken = (
	crashes => ["kill -SEGV \$\$", qr/x_test --describe: killed by signal 11 \(Seg/],
	fails => ['exit 3', qr/x_test --describe: exit code 3$/m],
	complains => ['printf "no \\\\033[1mlibrary\\nwhat else\\n" >&2; exit 127',
		      qr/x_test --describe: exit code 127: no \?\[1mlibrary$/m],
	silent => ['exit 0', qr/x_test --describe: line 1: /],
	other => ['echo \'{"schema":"other"}\'', qr{x_test --describe: not kvmeter-describe/1}],
	partial => ['echo \'{"schema":"kvmeter-describe/1","bench":"x_test"}\'',
		    qr{x_test --describe: not kvmeter-describe/1}],
);
for my $name (sort keys %broken) {
	my ($script, $reason) = @{ $broken{$name} };

	fake_program("$name/x_test", "#!/bin/sh\n# kvmeter-describe/1\n$script\n");
	refused("a benchmark that $name", ['--tests', $name], $reason);
}

# ---- what is the fault of none of them ----

my $inject = $tool =~ s{/tools/kvmeter/kvmeter\z}{/check/fault/inject}r;
SKIP: {
	skip("$inject cannot be used", 12)
		if !-x $inject || system("$inject --record /dev/null -- true 2>/dev/null");
	for (['getdents64', 1, qr{there: scandir: Cannot allocate memory: free}],
	     ['openat', 1, qr{there: scandir: Cannot allocate memory: free}],
	     [(POSIX::uname())[4] eq 'x86_64' ? 'access' : 'faccessat', 1, qr{there/a_test: access: Cannot allocate memory: free}],
	     ['openat', 2, qr{there/a_test: open: Cannot allocate memory: free}]) {
		my ($call, $nth, $said) = @$_;
		my $run = "$inject --fail $call --error 12 --nth $nth --under " . dirname($tool);
		my $text = `$run -- $tool list --tests there none_test 2>&1`;

		is($? >> 8, 1, "$call, $nth: exit 1");
		like($text, $said, '... says what failed');
		unlike($text, qr/no such benchmark|no benchmarks/, '... and blames no name');
	}
}

# ---- what they say cannot break the output ----

fake_test('odd/odd_test', description('odd_test', question => "one\ntwo_test\e[31m",
	metrics => [{ name => "a\nb", unit => 'ns', better => 'lower', help => "c\rd" }]), 'exit 0');
($text) = kvmeter(qw(list --tests odd));
like($text, qr/^  one two_test\?\[31m$/m, 'a question on one line');
like($text, qr/^  a b +ns +lower +c\?d$/m, 'a metric on one line');
($out) = kvmeter(qw(list --tests odd -f json));
is(decode_json($out)->{benchmarks}[0]{description}{question}, "one\ntwo_test\e[31m",
	'json has it as it is');
rename('odd', "odd\xff") or die "odd: $!\n";
($out, $err, $code) = kvmeter(qw(list -f json --tests), "odd\xff");
is("$code$err", '0', 'a path that is not UTF-8: exit 0');
is(decode_json($out)->{benchmarks}[0]{path}, "odd\x{fffd}/odd_test", '... and it is in json');

done_testing();
