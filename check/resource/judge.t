#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# What the checks beside this one judge by can say no: programs that do one thing
# wrong each, and surroundings that must really lack what they are to lack.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../harness";
use Harness;
use Resource;
use Test::More;

# ---- how a program ends ----

my $head = "KTAP version 1\n1..1\n";
my $file = results();

# A program that prints that, leaves that file, and ends so.
sub faults_after
{
	my ($script, %want) = @_;

	unlink glob($file =~ s{[^/]*\z}{*}r);
	return join '; ', faults_of(run(['/bin/sh', '-c', $script], timeout => $want{timeout} // 5), json => 1, %want);
}

my $ok = "printf '${head}ok 1 - a\\n' | sed 's/\\\\n/\\n/g'";
my $json = "echo '{ \"verdict\": \"pass\" }' > $file";

is(faults_after("$ok; $json", code => 0), '', 'nothing wrong');
for my $row (
	["$ok; $json; exit 1", { code => 0 }, qr/code 1, not 0/, 'another exit code'],
	["$ok; $json; kill -SEGV \$\$", { code => 0 }, qr/signal 11/, 'a crash'],
	["$ok; $json; sleep 30", { code => 0, timeout => 0.5 }, qr/hung/, 'a hang'],
	["$ok; $json; (trap '' HUP; sleep 30) >/dev/null 2>&1 &", { code => 0 }, qr/left processes/, 'a process left'],
	["$ok; echo '{ \"verdict\"' > $file", { code => 0 }, qr/half a file/, 'half a file'],
	["$ok; $json; echo > $file.123.tmp", { code => 0 }, qr/left r\.json\.123\.tmp/, 'a temporary file left'],
	[$ok, { code => 0 }, qr/no results/, 'no results'],
	["$json; echo no >&2; exit 2", { code => 2, json => 0 }, qr/results, though nothing was run/, 'results of nothing'],
	["$ok; $json; echo no >&2; exit 4", { code => 4 }, qr/verdict pass, not skip/, 'another verdict'],
	["printf '$head'; $json", { code => 0 }, qr/0 results, 1 planned/, 'no KTAP'],
	["exit 2", { code => 2, json => 0 }, qr/says nothing/, 'no message'],
	["echo other >&2; exit 2", { code => 2, json => 0, says => qr/remedy/ }, qr/message lacks/, 'another message'],
) {
	my ($script, $want, $found, $what) = @$row;

	like(faults_after($script, %$want), $found, "$what is noticed");
}

# ---- rows: one that is wrong, and a remedy that does not help ----

sub failed_rows
{
	my ($rows) = @_;
	my ($failed, $builder) = (0, Test::More->builder);
	my $output = '';

	# in a child, whose results are not ours
	my $pid = open(my $child, '-|') // die "fork: $!\n";
	if (!$pid) {
		$builder->reset;
		$builder->output(\*STDOUT);
		$builder->failure_output(\*STDOUT);
		$rows->();
		print "1..\n";
		STDOUT->flush;
		POSIX::_exit(0);
	}
	while (<$child>) {
		$failed++ if /^not ok/;
	}
	close $child;
	return $failed;
}

SKIP: {
	skip '/dev/kvm cannot be opened: see kvm(4)', 1 unless -r '/dev/kvm' && -w '/dev/kvm';
	my @files = ('8 files', { limit => ['--nofile=8:8'] }, []);
	my $needed = qr/(\d+) open files needed/;
	my @of = (of => ['page_table_test']);

	is(failed_rows(sub { benchmarks([@files, 4, $needed, @of]) }), 0, 'a row that is right');
	is(failed_rows(sub { benchmarks([@files, 0, undef, @of]) }), 1, 'a row with another code');
	is(failed_rows(sub { benchmarks([@files, 4, qr/never said/, @of]) }), 1, 'a row with another message');
	is(failed_rows(sub { benchmarks([@files, 4, $needed, @of,
		cure => sub { ({ limit => ['--nofile=' . ($_[0] - 1)] }) }]) }), 1, 'a remedy that falls short by one');
	is(failed_rows(sub { tool(['nothing', {}, ['list'], 3, undef]) }), 1, 'the tool with another code');
	is(failed_rows(sub { tool(['nothing', {}, ['--version'], 0, undef, left => [placed('tests/page_table_test')]]) }),
		1, 'a file that the tool is not to leave');
}

# ---- surroundings are what they claim ----

sub told
{
	my ($in, @command) = @_;
	my $r = run([surround($in, @command)]);

	return "$r->{code} $r->{out}" =~ s/\s+\z//r;
}

is(told({ limit => ['--nofile=64:64'] }, '/bin/sh', '-c', 'ulimit -n'), '0 64', 'limit');
is(told({ env => ['-u', 'HOME', 'A=1'], shell => 'echo "$HOME$A"' }), '0 1', 'env, shell');
like(told({ pipes => 1, limit => ['--fsize=0:0'] }, '/bin/sh', '-c', 'echo said; exit 3'), qr/^3 said$/, 'pipes');
isnt(told({ limit => ['--fsize=0:0'] }, '/bin/echo', 'said'), '0 said', '... without which nothing is said');
SKIP: {
	skip 'namespaces need root', 1 unless is_root();
	is(told({ user => 1 }, '/bin/sh', '-c', 'id -u; grep CapEff /proc/self/status') =~ s/\s+/ /gr,
		"0 $Resource::uid CapEff: 0000000000000000", 'user');
	is(told({ mount => with_fake('/proc/version', "made up\n") }, 'cat', '/proc/version'), '0 made up', 'mount');
	unlike(read_file('/proc/version'), qr/made up/, '... and the host is as it was');
	like(told({ mount => kvm_node(640, '0:1') }, 'stat', '-c', '%a %U %G', '/dev/kvm'), qr/^0 640 root daemon$/,
		'a node for KVM') if -e '/dev/kvm';
}
my $probe = <<'EOT';
use POSIX; my ($call, @arguments) = @ARGV; $! = 0;
syscall($call, map { /^\d+$/ ? 0 + $_ : $_ } @arguments); print 0 + $!;
EOT
# numbers of x86_64 and of aarch64
my %call = %{ { x86_64 => { userfaultfd => 323, perf => 298, mbind => 237, memfd => 319, affinity => 203 },
	aarch64 => { userfaultfd => 282, perf => 241, mbind => 235, memfd => 279, affinity => 122 } }->{ (POSIX::uname())[4] } // {} };
my %error = (userfaultfd => 1, perf => 13, mbind => 1, memfd => 38, affinity => 1);
SKIP: {
	skip 'no numbers of system calls for this architecture', 1 unless %call;
	for my $what (sort keys %error) {
		is(told({ without => [$what] }, 'perl', '-e', $probe, $call{$what}, 0, 0, 0), "0 $error{$what}", "without $what");
	}
}
like(told({ without => ['thp'] }, 'grep', 'THP_enabled', '/proc/self/status'), qr/:\s*0$/, 'without thp');
is(told({ without => ['nothing-of-the-kind'] }, 'true'), '127', 'without something unknown');
done_testing();
