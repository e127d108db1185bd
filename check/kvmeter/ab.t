#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# kvmeter ab with a benchmark that is made up: the order, what each side gets,
# verdicts, and above all that settings of the kernel are what they were
# afterwards, whoever dies of what. The settings are those of namespaces of the
# script's own, so that nothing of the host changes but printk.time, for a moment:
# parameters of modules are in no namespace.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../harness";
use Host;
use POSIX qw(WNOHANG);
use Test::More;
use Time::HiRes qw(sleep time);

my @unshare = ('unshare', $> ? '-rnu' : '-nu');
if (!defined $ENV{KVMETER_CHECK_UNSHARED}) {
	$ENV{KVMETER_CHECK_UNSHARED} = system("@unshare true 2>/dev/null") ? 0 : 1;
	exec(@unshare, $^X, $0) if $ENV{KVMETER_CHECK_UNSHARED};
}
require MadeUp;
MadeUp->import;
our ($top, $tool);

my $ttl = '/proc/sys/net/ipv4/ip_default_ttl';
my $port = '/proc/sys/net/ipv4/ip_local_port_range';
my $host = '/proc/sys/kernel/hostname';
my $time = '/sys/module/printk/parameters/time';
my $time_before;

END {
	set($time, $time_before) if defined $time_before && value($time) ne $time_before;
}

sub slurp {
	open(my $in, '<', $_[0]) or return '';
	local $/;
	return scalar(<$in>) // '';
}

sub value {
	my ($path) = @_;
	my $text = slurp($path // $ttl);

	return $text =~ s/\s+\z//r;
}

sub set {
	my ($path, $value) = @_;

	open(my $out, '>', $path) or die "$path: $!\n";
	print $out $value;
	close($out) or die "$path: $!\n";
}

# ---- the benchmark: --ms N makes it so slow; --do WHAT --at N at its N-th run ----

my $made_up = <<'END';
#!/usr/bin/perl
# kvmeter-describe/1
use strict;
use warnings;

if ("@ARGV" eq '--describe') {
	print '{"schema": "kvmeter-describe/1", "bench": "made_test", "question": "?",',
		' "options": [], "metrics": [], "checks": []}';
	exit 0;
}
my %option = (ms => 100, at => 3, do => '', json => undef, runs => 1, warmup => 0);
my @typed = @ARGV;
while (@ARGV) {
	my $word = shift @ARGV;

	next if $word eq '--quiet';
	$word =~ /^--(\w+)$/ && exists $option{$1} or exit 2;
	$option{$1} = shift @ARGV;
}
sub value { open(my $in, '<', $_[0]) or return '?'; my $v = <$in> // ''; chomp $v; $v }
my ($side) = $option{json} =~ m{/([AB])/\d+\.json\z} or die "json?";
open(my $to, '>>', 'log');
print $to join(' ', $side, value('/proc/sys/net/ipv4/ip_default_ttl'),
	       value('/proc/sys/kernel/hostname'), grep { !m{/} } @typed), "\n";
close $to;
open(my $in, '<', 'log');
my $nr = () = <$in>;
if ($nr == $option{at}) {
	my $do = $option{do};

	print STDERR "it says $do\n";
	exit $1 if $do =~ /^exit-(\d+)$/;
	kill $1, $$ if $do =~ /^kill-(\w+)$/;
	kill $1, getppid if $do =~ /^parent-(\w+)$/;
	sleep 60 if $do =~ /^(?:hang|parent)/;
	if ($do eq 'meddle') {
		open(my $ttl, '>', '/proc/sys/net/ipv4/ip_default_ttl');
		print $ttl 99;
	}
}
my $ns = $option{ms} * 1e6;
my @samples = map { int($ns * (1 + ($nr * 7919 + $_ * 31) % 97 / 9700)) } 1 .. $option{runs};
open($to, '>', $option{json});
printf $to '{"schema":"kvmeter/1","bench":"made_test","version":"1.0",'
	. '"started":"2026-11-30T09:%02d:00Z","boot_id":"1","config":{"ms":%s},'
	. '"host":{"kernel":"6.18.1"},"points":[{"config":{"vcpus":1,"bytes":4096},'
	. '"metrics":[{"name":"create","unit":"ns","better":"lower","samples":[%s],'
	. '"samples_per_run":1}],"checks":[]}],"verdict":"pass"}', $nr, $option{ms},
	join(',', @samples);
END

for my $dir (qw(tests other)) {
	write_text("$dir/made_test", $made_up);
	chmod(0755, "$dir/made_test");
}
$ENV{KVMETER_TESTS} = 'tests';
$ENV{TMPDIR} = 'tmp';
mkdir('tmp');

# ab(ARGUMENTS...): standard output, standard error, exit code, log.
sub ab {
	my @arguments = @_;

	unlink('log');
	my @result = kvmeter('ab', @arguments);
	return (@result, slurp('log'));
}

sub sides {
	return join('', map { substr($_, 0, 1) } split /\n/, $_[0]);
}

sub verdict {
	return $_[0] =~ /^create .*  (faster|slower|same|can't tell)$/m ? $1 : "none in: $_[0]";
}

# ---- order, options, verdicts ----

my ($out, $err, $code, $runs) = ab('made_test', '--same', '--pairs', 8);
is(sides($runs), 'ABBAABBAABBABAAB', 'the order');
is("$code$err", '0', 'the same twice: exit 0');
is(verdict($out), 'same', 'the same twice: same');
is(join("\n", wide_lines($out)), '', '72 columns');
like($out, qr/^A: made_test\n   Linux 6\.18\.1, 8 runs, 1 boot$/m, 'a run each');
like($runs, qr/^A \S+ \S* --runs 1 --warmup 0 --quiet --json$/m, 'what it is told');
unlike($out, qr/measured before/, 'in turn');
is_deeply([glob('tmp/*')], [], 'nothing temporary is left');

($out, $err, $code, $runs) = ab('made_test', '--opt-b', '--ms 150', '-n', 5, '-R', 2,
	'--warmup', 3, '--', '--at', '9');
is($code, 1, 'B is slower: exit 1');
is(verdict($out), 'slower', 'B is slower');
like($out, qr/^B: made_test --at 9 --ms 150$/m, 'named by its options');
like($out, qr/^differs: ms: 100 in A, 150 in B$/m, 'what differs');
is(() = $runs =~ /^B .*--runs 2 --warmup 3 --at 9 --ms 150 /mg, 5, 'options of B');
is(() = $runs =~ /^A .*--runs 2 --warmup 3 --at 9 --quiet/mg, 5, 'options of A');
($out, $err, $code) = ab('made_test', '--opt-a', "--ms '150'", '-n', 5);
is($code . verdict($out), '0faster', 'B is faster: exit 0');
($out, $err, $code) = ab('made_test', '--opt-a', '--ms 150', '-n', 5, '-f', 'json');
is($code, 0, '--format json: exit 0');
like($out, qr/\A\{.*"verdict": *"faster".*\}\n\z/s, '... and that alone on standard output');
($out, $err, $code) = ab('made_test', '--opt-b', '--ms 150', '-n', 5, '-t', '60');
is($code, 0, '--threshold above the change: exit 0');

write_text('other/made_test', $made_up =~ s/ms => 100/ms => 200/r);
($out, $err, $code, $runs) = ab('made_test', '--tests-b', 'other', '-n', 5);
is($code . verdict($out), '1slower', '--tests-b: another build');
like($out, qr{^A: made_test\n.*^B: other/made_test\n}ms, '... is named');
($out, $err, $code) = ab('made_test', '--tests-a', 'other', '--tests-b', 'other', '-n', 5);
is($code . verdict($out), '0same', '--tests-a, --tests-b: the same build');
($out, $err, $code) = ab('./tests/made_test', '--same', '-n', 2);
is($code, 0, 'by its path');

($out, $err, $code) = ab('made_test', '--same', '-n', 3, '--results', 'kept');
is($code, 0, '--results: exit 0');
is(join(' ', sort map { m{kept/(.*)} } glob('kept/*/*.json')),
	'A/001.json A/004.json A/005.json B/002.json B/003.json B/006.json', '... are kept');
like($err, qr{^kvmeter ab: results are in kept/A and kept/B$}m, '... and it says where');
($out, $err, $code) = kvmeter('compare', 'kept/A', 'kept/B');
is($code, 0, '... and can be compared again');

# ---- refused, before anything is run ----

sub refused {
	my ($what, $pattern, @arguments) = @_;
	my ($to, $error, $exit, $ran) = ab(@arguments);

	is($exit, 2, "$what: exit 2") or diag($to, $error);
	like($error, $pattern, "$what: why");
	is("$to$ran", '', "$what: nothing is run");
}

refused('no benchmark', qr/which benchmark/, '--same');
refused('an unknown benchmark', qr/no_test: no such benchmark: there are made_test$/m,
	'no_test', '--same');
refused('a path that is none', qr{^kvmeter ab: \./no_test: no program$}m, './no_test', '--same');
refused('no difference', qr/A and B do not differ: give one of --set-a/, 'made_test');
refused('--same and a difference', qr/--same/, 'made_test', '--same', '--opt-b', '--ms 1');
refused('no pairs', qr/-n 0: /, 'made_test', '--same', '-n', 0);
refused('two times --opt-b', qr/--opt-b: give it once/, 'made_test', '--opt-b', 'a', '--opt-b=b');
refused('an open quote', qr/^kvmeter ab: --opt-b: /m, 'made_test', '--opt-b', "'x");
refused('a directory with results', qr{kept/A/001\.json: there already}, 'made_test', '--same',
	'--results', 'kept');
refused('a directory that cannot be', qr{no/where: No such file}, 'made_test', '--same',
	'--results', 'no/where');
refused('no build there', qr/no benchmarks in empty/, 'made_test', '--tests-b', 'empty');
refused('a path, and a directory', qr/is a path/, './tests/made_test', '--tests-b', 'other');

# ---- a benchmark that does not pass ----

for my $row (['exit-1', 1, qr/invocation 3 \(B\): exit code 1:\nit says exit-1$/m],
	     ['exit-4', 4, qr/invocation 3 \(B\): exit code 4:\nit says exit-4$/m],
	     ['exit-2', 2, qr/exit code 2:\nit says exit-2$/m],
	     ['kill-SEGV', 1, qr/killed by signal 11 \(Segmentation fault\):\nit says/]) {
	my ($do, $want, $pattern) = @$row;

	($out, $err, $code, $runs) = ab('made_test', '--same', '--', '--do', $do);
	is($code, $want, "$do: exit $want");
	like($err, $pattern, "$do: which, and what it said");
	is($out . sides($runs), 'ABB', "$do: the end");
	is_deeply([glob('tmp/*')], [], "$do: nothing temporary is left");
}
($out, $err, $code) = ab('made_test', '--same', '--time-limit', 1, '--', '--do', 'hang');
is($code, 1, 'no end: exit 1');
like($err, qr/no end within 1 s/, 'no end: why');

SKIP: {
	skip("no namespace of its own: @unshare", 1) if !$ENV{KVMETER_CHECK_UNSHARED};
	settings();
}
done_testing();

# ---- settings ----

# Runs it with --set-a and --set-b, which must be undone, whatever happens.
sub restores {
	my ($what, $want, $pattern, @arguments) = @_;
	my @before = (value($ttl), value($host));
	my ($to, $error, $exit, $ran) = ab('made_test', @arguments);

	is($exit, $want, "$what: exit $want") or diag($to, $error);
	like($error, $pattern, "$what: why") if $pattern;
	is_deeply([value($ttl), value($host)], \@before, "$what: all is as it was");
	return $ran;
}

sub settings {
	set($ttl, 64);
	set($host, 'original');
	my @both = ('--set-a', "$ttl=70", '--set-b', "$ttl=80,$host=other");

	$runs = restores('settings', 0, undef, @both, '-n', 4);
	is(join(' ', map { join('', (split / /)[0 .. 2]) } split /\n/, $runs),
		'A70original B80other B80other A70original A70original B80other B80other '
		. 'A70original', 'each side has its own');
	$runs = restores('one side alone', 0, undef, '--set-b', "$ttl=80", '-n', 2);
	like($runs, qr/^A 64 .*\nB 80 .*\nB 80 .*\nA 64 /, '... the other as it was');
	($out) = ab('made_test', @both, '-n', 5);
	like($out, qr/^A: made_test \Q$ttl\E=70$/m, 'named by its settings');
	like($out =~ s/\n   (?!Linux)/ /gr,
		qr/^B: made_test \Q$ttl\E=80 \Q$host\E=other$/m, '... both of B');
	restores('a list of words', 0, undef, '--set-b', "$port=2000 3000", '-n', 1);

	SKIP: {
		my $before = $time_before = value($time);

		skip("$time cannot be written", 2) if !-w $time || $>;
		local @SIG{qw(HUP INT TERM)} = (sub { exit 1 }) x 3;
		restores('a parameter of a module', 0, undef, '--set-a', 'printk.time=0',
			'--set-b', 'printk.time=y', '-n', 1);
		is(value($time), $before, '... and it is as it was');
	}

	# whoever fails
	restores($_, /4/ ? 4 : 1, qr/it says $_/, @both, '--', '--do', $_)
		for qw(exit-1 exit-4 kill-SEGV);
	restores('no end', 1, qr/no end within/, @both, '--time-limit', 1, '--', '--do', 'hang');
	restores('a value that changes meanwhile', 1, qr/'99', not '80': something else changes it/,
		@both, '--', '--do', 'meddle');
	restores("SIG$_", 128 + POSIX->can("SIG$_")->(), qr/interrupted by signal/, @both, '--',
		'--do', "parent-$_") for qw(INT TERM HUP);
	for my $signal (qw(KILL SEGV QUIT)) {
		my $at = time;

		($out, $err, $code) = ab('made_test', @both, '--', '--do', "parent-$signal");
		# a sanitizer makes an exit of SEGV
		like($code, $signal eq 'SEGV' ? qr/^(?:signal 11|1)$/ : qr/^signal /,
			"SIG$signal: it dies");
		# by the guardian, which kvmeter cannot wait for any more
		my $said = qr/^kvmeter died: \Q$ttl\E is 64 again$/m;
		sleep 0.02 while (value($ttl) ne '64' || slurp('.err') !~ $said) && time < $at + 20;
		is(value($ttl) . value($host), '64original', "SIG$signal: all is as it was");
		like(slurp('.err'), $said, '... and it is said');
	}
	lock_held();
	guardian_needed();
	kernel_refuses();
}

# Starts one that hangs, waits until it does.
sub start_hanging {
	unlink('log');
	my $pid = fork() // die "fork: $!\n";

	if (!$pid) {
		setpgrp(0, 0);
		open(STDOUT, '>', 'hang.out');
		open(STDERR, '>', 'hang.err');
		exec { $tool } 'kvmeter', 'ab', 'made_test', @_, '--', '--do', 'hang'
			or POSIX::_exit(127);
	}
	for (1 .. 1000) {
		last if sides(slurp('log')) eq 'ABB';
		sleep 0.02;
	}
	return $pid;
}

sub lock_held {
	my $pid = start_hanging('--set-b', "$ttl=80");

	is(value($ttl), '80', 'while it runs, the value is that of B');
	($out, $err, $code) = kvmeter('ab', 'made_test', '--set-a', "/proc/sys/net/../net/ipv4/"
		. "ip_default_ttl=90", '-n', 1);
	is($code, 2, 'the same file by another name: exit 2');
	like($err, qr/another kvmeter changes it/, '... and why');
	is(value($ttl), '80', '... and it is left alone');
	($out, $err, $code) = kvmeter('ab', 'made_test', '--set-a', "$port=2000 4000", '-n', 1);
	is($code, 0, 'another file is free') or diag($err);
	kill('TERM', $pid);
	waitpid($pid, 0);
	is($? >> 8, 143, 'SIGTERM: exit 143');
	is(value($ttl), '64', '... and all is as it was');
	($out, $err, $code) = kvmeter('ab', 'made_test', '--set-a', "$ttl=90", '-n', 1);
	is($code, 0, 'the lock is gone');
}

# Without its guardian nobody restores: it is what the checks above see.
sub guardian_needed {
	my $pid = start_hanging('--set-b', "$ttl=80");
	my ($guardian) = grep { slurp("/proc/$_/comm") eq "kvmeter-guard\n" } children_of($pid);

	ok($guardian, 'there is a guardian') or return;
	kill('TERM', $guardian);
	kill('KILL', $guardian, $pid);
	waitpid($pid, 0);
	sleep 0.3;
	is(value($ttl), '80', 'both killed at once: nobody puts it back');
	set($ttl, 64);
	$pid = start_hanging('--set-b', "$ttl=80");
	($guardian) = grep { slurp("/proc/$_/comm") eq "kvmeter-guard\n" } children_of($pid);
	kill('KILL', $guardian);
	kill('INT', $pid);
	waitpid($pid, 0);
	is($? >> 8, 130, 'the guardian alone is killed: an end as ever');
	is(value($ttl), '64', '... and all is as it was');
}

sub kernel_refuses {
	my @b = ('made_test', '--set-b');
	my ($fixed) = grep { !((stat)[2] & 0222) } glob('/sys/module/*/parameters/*');

	for my $row (["$ttl=300", qr/cannot be set to '300': Invalid argument/],
		     ["$ttl=x", qr/cannot be set to 'x': Invalid argument/],
		     ["$host=" . 'x' x 70, qr/$host: it is '(x+)', not '\1x+'/],
		     ['/proc/sys/net/ipv4/none=1', qr/none: No such file/],
		     ['none.parameter=1', qr/none\.parameter: module none is not there/],
		     ['kernel.none=1', qr/kernel\.none: (?:no such parameter|module kernel)/],
		     ['/proc/version=1', qr{/proc/version: the kernel lets nobody write it}],
		     ["$ENV{PWD}/log=1", qr/log: No such file/],
		     ["$top/Makefile=1", qr/Makefile: not a file of sysfs or procfs/],
		     ['/dev/null=1', qr{/dev/null: not a file of sysfs or procfs}],
		     ["$ttl", qr/not NAME=VALUE/], ['=1', qr/not NAME=VALUE/],
		     ['x=1', qr/x: neither MODULE.PARAMETER nor/],
		     ["$ttl=65,$ttl=66", qr/$ttl stands twice/],
		     ["$ttl=65,/proc/sys/net/ipv4/../ipv4/ip_default_ttl=66",
		      qr/are the same file/]) {
		refused($row->[0], $row->[1], @b, $row->[0]);
		is(value($ttl) . value($host), '64original', "$row->[0]: all is as it was");
	}
	SKIP: {
		skip('no parameter is read-only', 1) if !$fixed;
		my $name = $fixed =~ s{^/sys/module/(.*)/parameters/}{$1.}r;

		refused('a read-only parameter', qr/^kvmeter ab: \Q$name\E: read-only while/m, @b,
			"$name=1");
	}
}
