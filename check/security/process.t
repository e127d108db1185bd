#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# What kvmeter does as a process: it needs no right but that to open /dev/kvm,
# gives no descriptor to what it runs, has no shell look at what it is given, and
# takes no rights from its file.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(basename);
use FindBin;
use lib "$FindBin::Bin/../kvmeter";
use FakeTest;
use MadeUp;
use POSIX ();
use Test::More;

my $here = abs_path('.');
my $tests = "$top/" . ($tool =~ s{\A\Q$top\E/|/tools/kvmeter/kvmeter\z}{}gr) . '/tests';
my @tests = glob("$tests/*_test");
my $stranger = 65534;
chmod(0755, $here);

sub have {
	my ($tool) = @_;

	return grep { -x "$_/$tool" } split(/:/, $ENV{PATH}), '/usr/sbin', '/sbin';
}

sub slurp {
	open(my $in, '<', $_[0]) or return '';
	local $/;
	return scalar(<$in>) // '';
}

# Exit code of a command; its output goes to .log.
sub exit_of {
	my (@command) = @_;
	my $pid = fork() // die "fork: $!\n";

	if (!$pid) {
		open(STDIN, '<', '/dev/null');
		open(STDOUT, '>', "$here/.log");
		open(STDERR, '>&', \*STDOUT);
		exec { $command[0] } @command or POSIX::_exit(127);
	}
	waitpid($pid, 0);
	return $? & 127 ? 'signal ' . ($? & 127) : $? >> 8;
}

# ---- no call that asks a shell, or makes a name before its file ----

my $forbidden = qr/\A(?:system|popen|wordexp|execlp|execvp|execvpe|posix_spawnp|mktemp|tmpnam|tempnam
		   |gets|chmod|lchown|chown|setuid|seteuid)\z/x;

sub forbidden {
	my ($program) = @_;

	return grep { /$forbidden/ } map { /\bU (\w+)/ ? $1 : () } `nm -D --undefined-only $program`;
}
SKIP: {
	skip('a static program tells no imports', 1) if !`nm -D --undefined-only $tool 2>&1` || $?;
	is(join(' ', map { my $p = $_; map { basename($p) . ": $_" } forbidden($p) } $tool, @tests), '',
		@tests . ' benchmarks and the tool: no call that could');
}
write_text('bad.c', "#include <stdlib.h>\nint main(int c, char **v) { return system(v[c - 1]); }\n");
SKIP: {
	skip('no gcc', 1) if system('gcc -o bad bad.c 2>/dev/null');
	is(join(' ', forbidden('./bad')), 'system', '... or it is found out');
}

# ---- no shell in what options say ----

my @evil = ("\$(touch $here/pwned)", "`touch $here/pwned`", "; touch $here/pwned #", "| touch $here/pwned",
	    "x\ntouch $here/pwned\n", "'; touch $here/pwned; '", '-', '%n%s');
my %options = (
	$tool => [map { my $e = $_; ([('compare', $e, $e)], ['report', $e], ['run', $e],
		['run', '--tests', $e], ['run', '--results', "$e/$e"], ['run', '--junit', $e, $e],
		['bisect', 'record', '--good', $e, '--bad', $e, '--run', $e],
		['bisect', 'step', '--state', $e], ['ab', $e], ['ab', '--set-a', "$e=1", 'x'],
		['ab', '--opt-a', $e, 'x'], ['noise', $e], ['list', $e], [$e],
		['doctor', $e]) } @evil],
	map { $_ => [map { my $e = $_; (['--json', "$here/none/$e"], ['--backing', $e], ['--mode', $e],
		['--pin', $e], ['--bytes', $e], ['--disable-quirks', $e], ["-- $e"]) } @evil] }
		$ENV{KVMETER_LONG} ? @tests : $tests[0]);
my ($tried, @wrong) = (0);

for my $program (sort keys %options) {
	for my $arguments (@{ $options{$program} }) {
		my $code = exit_of($program, @$arguments);

		$tried++;
		push @wrong, join(' ', basename($program), @$arguments, ": exit $code")
			if -e 'pwned' || $code !~ /\A(?:[0124]|128)\z/;
		unlink('pwned');
	}
}
is(join("\n", @wrong), '', "$tried command lines that a shell would obey");
exit_of('sh', '-c', "eval echo '$evil[0]'");
ok(-e 'pwned', '... as one does');
unlink('pwned');

# ---- descriptors ----

results('a.json', [metric('create', runs(1000000, 1, 9))]);
results('b.json', [metric('create', runs(1300000, 1, 9))]);
results('ok.json', [metric('create', [1 .. 5])], checks =>
	[{ name => 'create: mappings', result => 'ok', detail => '1' }]);
write_text('ok.ktap', "KTAP version 1\n1..1\nok 1 - create: mappings # 1\n");
my $list = "ls /proc/\$\$/fd >>$here/fds";
fake_test('tests/a_test', description('a_test'), "$list; cat $here/ok.ktap; results $here/ok.json");
fake_program('hook', "#!/bin/sh\n$list\ncp $here/a.json \$KVMETER_RESULT\n");
write_text('a.suite', "a: a_test\n");
fake_program('gnuplot', "#!/bin/sh\n$list\nstat -c %a \$(dirname \$2) >$here/mode\nexit 3\n");

sub descriptors {
	my (@command) = @_;
	my %seen;

	write_text('fds', '');
	exit_of(@command);
	return grep { !$seen{$_}++ } split /\s+/, slurp('fds');
}

# Of what @command runs: those that it does not have when we run it. A shell's own
# are from 10 on, which the first to open a file does not get to.
{
	local $ENV{KVMETER_RESULT} = "$here/none.json";
	my %own = map { $_ => 1 } 10 .. 13, descriptors("$here/hook");

	sub leaked { join(' ', grep { !$own{$_} } descriptors(@_)) }
}
is(leaked($tool, qw(run a.suite --tests tests -o run)), '', 'run: a benchmark gets no descriptors');
ok(-s 'run/a.json', '... and it ran');
exit_of($tool, qw(bisect record --good a.json --bad b.json --run), "$here/hook");
is(leaked($tool, qw(bisect step)), '', 'bisect: nor does a hook');
is(scalar(my @logs = glob('.kvmeter-bisect.results/*.json')) > 0 ? 1 : 0, 1, '... and it ran');
is(leaked($tool, qw(ab -n 1 -R 1 --same), "$here/tests/a_test"), '', 'ab: nor does a benchmark');
{
	local $ENV{PATH} = "$here:$ENV{PATH}";

	is(leaked($tool, qw(report -o page.html a.json)), '', 'report: nor does gnuplot');
	is(slurp('mode'), "700\n", '... whose script only its user can see');
}
isnt(leaked('bash', '-c', "exec 7</dev/null; exec $here/hook"), '', 'one that is kept is found out');

# ---- rights ----

sub denied_without { return !-e '/dev/kvm' || $> }

SKIP: {
	skip('rights are given up by root with setpriv(1) and unshare(1)', 2 * @tests + 3)
		if denied_without() || !have('setpriv') || system('unshare -m true 2>/dev/null');
	my %short = (async_pf_test => '-b 128K', dirty_log_test => '-i 20',
		     tlb_stress_test => '--processes 3');
	# a node of its own, since that of the system is its own affair
	my $node = 'mount -t tmpfs none $0 && cp -a /dev/kvm $0/kvm && chmod 666 $0/kvm &&'
		. ' mount --bind $0/kvm /dev/kvm && shift && exec "$@"';
	my $none = "setpriv --reuid $stranger --regid $stranger --clear-groups --no-new-privs"
		. ' --inh-caps=-all --bounding-set=-all';
	my %users = ('nobody, who may open /dev/kvm' => $none,
		     'root without capabilities' => 'setpriv --no-new-privs --inh-caps=-all --bounding-set=-all');

	mkdir('dev');
	# of root's tests, which may lie where no other looks
	system('cp', @tests, $here);
	for my $user (sort keys %users) {
		for my $test (@tests) {
			my $name = basename($test);
			my @command = (split(' ', $users{$user}), "$here/$name", '-q', '-v', '2', '-R', '1',
				split(' ', $short{$name} // '-b 1M'));
			my $code = exit_of('unshare', '-m', 'sh', '-c', $node, "$here/dev", '-', @command);

			# what KVM needs of userfaultfd is a right of its own
			my $as_told = $code == 4 && slurp('.log') =~ /no permission for faults in kernel/;
			ok($code == 0 || $as_told, "$name, by $user" . ($as_told ? ': skipped' : ''))
				or diag(slurp('.log'));
		}
	}
	my $refused = exit_of(split(' ', $none), "$here/page_table_test", '-b', '1M');
	is($refused, 4, 'nobody, who may not: skipped');
	like(slurp('.log'), qr{/dev/kvm}, '... and told why') or diag(slurp('.log'));

	chown($stranger, 0, "$here/page_table_test");
	chmod(04755, "$here/page_table_test");
	exit_of("$here/page_table_test", '--version');
	like(slurp('.log'), qr/must not be given rights by its file/, 'a setuid program refuses')
		or diag(slurp('.log'));
}
done_testing();
