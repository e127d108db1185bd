#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# A results file that is meant to do harm, read by each command: nothing that it
# holds reaches a terminal, HTML, XML, Markdown or KTAP as anything but text, and
# none costs much time or memory. check/report has a browser look at such pages.
use strict;
use warnings;
use Cwd qw(abs_path);
use FindBin;
use lib "$FindBin::Bin/../kvmeter";
use FakeTest;
use MadeUp;
use POSIX ();
use Test::More;

my $json = JSON::PP->new->canonical->allow_nonref;
my $here = abs_path('.');

# ---- strings ----

# Each begins and ends with a mark, so that what became of it can be found.
my %evil = (
	'terminal' => "\e]0;owned\a\e[2J\e[31m",
	'C1 controls' => "\x{9b}31m\x{9d}0;a\x{9c}",
	'delete' => "\x7f\x7f",
	'lines' => "\nok 2 - forged\n# forged\nBail out! forged",
	'carriage return' => "a\rkvmeter: all is well",
	'HTML' => '<img src=x onerror=alert(1)><script>alert(1)</script>"\'>&lt;',
	'XML' => ']]><testcase name="forged"/>&amp;',
	'Markdown' => '| forged | ![a](http://h/) `x` <b> [l](javascript:1)',
	'directive' => '# SKIP forged',
	'gnuplot' => "'; system('touch $here/pwned'); `touch $here/pwned` \@m {/Symbol a}_2",
	'shell' => "\$(touch $here/pwned) ; touch $here/pwned | touch $here/pwned",
	'format' => '%s%n%1000000d%*d',
	'path' => '../../../../../etc/passwd',
);
utf8::encode($_) for values %evil;
utf8::decode($_) for values %evil;

sub full {
	return {
		schema => 'kvmeter/1', bench => 'page_table_test', version => '1.0',
		started => '2026-11-30T09:00:00Z',
		boot_id => '11111111-1111-1111-1111-111111111111',
		config => { vcpus => [1], bytes => [4096], backing => 'anonymous' },
		host => { kernel => '6.18.1', cpu => 'a cpu', cmdline => 'ro', arch => 'x86_64',
			  cpus => 2, hypervisor => 'KVM', thp => 'never',
			  kvm => { module => 'kvm', parameters => { 'kvm.tdp_mmu' => 'Y' } } },
		points => [{ config => { vcpus => 1, bytes => 4096, tracking => 'ring' },
			     metrics => [{ name => 'create', unit => 'ns', better => 'lower',
					   remark => 'remark', samples => runs(1000, 1, 9),
					   samples_per_run => 1 }],
			     checks => [{ name => 'create: mappings', result => 'ok', detail => 'd' }],
			     stats => { create => { pages_2m => 1 } },
			     usage => {}, notes => ['a note'] }],
		verdict => 'pass', reason => 'because',
	};
}

# Calls $_[1]->(string) for each string in $_[0], keys too, to replace them.
sub each_string {
	my ($value, $change) = @_;

	return [map { each_string($_, $change) } @$value] if ref $value eq 'ARRAY';
	return { map { $_ => each_string($value->{$_}, $change) } keys %$value }
		if ref $value eq 'HASH';
	return defined $value && $value !~ /\A[\d.]+\z/ ? $change->($value) : $value;
}

my $strings = 0;
each_string(full(), sub { $strings++; $_[0] });

# The file with string number $at replaced; all of them: a name is refused, and
# then nothing else of the file is seen.
sub evil_file {
	my ($path, $at, $text) = @_;
	my $i = 0;
	my %changed = %{ each_string(full(), sub { $i++ == $at ? $text : $_[0] }) };

	write_text($path, JSON::PP->new->utf8->canonical->encode(\%changed));
}

# What of an output is more than text.
sub faults {
	my ($kind, $text) = @_;
	my @faults;
	my $chars = $text;

	utf8::decode($chars) or push @faults, 'not UTF-8';
	push @faults, 'control characters'
		if $chars =~ /[\x00-\x08\x0b-\x1f\x7f-\x9f\x{2028}\x{2029}]/;
	push @faults, 'a forged line' if $chars =~ /^\s*(?:ok 2 - forged|# forged|Bail out! forged)/m;
	push @faults, 'a line of its own' if $chars =~ /^kvmeter: all is well/m;
	push @faults, 'markup' if $kind =~ /html|junit/ && $chars =~ /<(?:img|script>alert|testcase name="forged)/;
	push @faults, 'markup' if $kind eq 'markdown'
		&& $chars =~ /(?<!\\)<(?:b|img|script)|(?<!\\)!?\[(?:a|l)\]|(?<!\\)\| forged/;
	push @faults, 'a file was made' if -e "$here/pwned";
	return join(', ', @faults);
}

evil_file('good.json', -1, '');
evil_file('same.json', -1, '');
write_text('evil.suite', "quick: page_table_test\n");
my %commands = (
	text => sub { ('compare', 'good.json', $_[0]) },
	markdown => sub { ('compare', '--format', 'markdown', 'good.json', $_[0]) },
	junit => sub { ('compare', '--format', 'junit', 'good.json', $_[0]) },
	json => sub { ('compare', '--format', 'json', 'good.json', $_[0]) },
	html => sub { ('report', '--no-figures', $_[0]) },
	bisect => sub { ('bisect', 'record', '--state', 'state', '--good', 'good.json', '--bad', $_[0],
			 '--run', 'true') },
);
my $tried = 0;
my @wrong;
my $share = $ENV{KVMETER_LONG} ? 1 : 4;
my $turn = 0;

for my $name (sort keys %evil) {
	$turn++;
	for my $at (grep { ($_ + $turn) % $share == 0 } 0 .. $strings - 1) {
		evil_file('evil.json', $at, $evil{$name});
		for my $kind (sort keys %commands) {
			my ($out, $err, $code) = kvmeter($commands{$kind}->('evil.json'));
			my $fault = faults($kind, $out) || faults('text', $err);

			$tried++;
			$fault = "exit $code" if !$fault && $code !~ /\A[0124]\z/;
			push @wrong, "$name as string $at, $kind: $fault" if $fault;
		}
	}
}
is(join("\n", @wrong), '', "$tried outputs of " . keys(%evil) . " texts in $strings places are text");

# The same judgement of programs that print what they read.
for my $name (sort keys %evil) {
	my $text = $evil{$name};
	utf8::encode($text);
	my ($kind) = $name eq 'Markdown' ? 'markdown' : 'html';
	next if $name =~ /directive|gnuplot|shell|format|path/;
	isnt(faults($kind, "create $text\n"), '', "$name, as it is, is found out");
}
write_text('pwned', '');
isnt(faults('text', ''), '', '... and a file that was made');
unlink('pwned');

# ---- its index, and its neighbours ----

write_text('secret/other.json', JSON::PP->new->encode(full()));
results('dir/a.json', [metric('create', runs(1000, 1, 9))]);
write_text('dir/index', $json->encode({ schema => 'kvmeter-run/1', kernel => 'a', entries => {
	'../secret/other' => { code => 0 } } }));
my ($out, $err, $code) = kvmeter('compare', 'dir', 'dir');
is($code, 2, 'an index that leads elsewhere is refused');
like($err, qr{dir/index: \.\./secret/other: a name begins with}, '... by name');
mkdir('pipes');
POSIX::mkfifo('pipes/a.json', 0600);
results('pipes/b.json', [metric('create', runs(1000, 1, 9))]);

# ---- size ----

# How a command ends that has so many seconds of CPU time, and 2 GiB.
sub end_of {
	my ($seconds, @command) = @_;
	my $pid = fork() // die "fork: $!\n";

	if (!$pid) {
		open(STDOUT, '>', '/dev/null');
		open(STDERR, '>', '.err');
		exec('sh', '-c', "ulimit -v 2097152; ulimit -t $seconds; exec \"\$@\"", 'sh',
			@command) or POSIX::_exit(127);
	}
	local $SIG{ALRM} = sub { kill('KILL', $pid) };
	alarm(250);
	waitpid($pid, 0);
	alarm(0);
	return $? & 127 ? 'signal ' . ($? & 127) : 'exit ' . ($? >> 8);
}

sub limited { end_of(10, $tool, @_) }

sub with {
	my ($change) = @_;
	my $file = full();

	$change->($file);
	write_text('large.json', JSON::PP->new->encode($file));
}

my $metric = full()->{points}[0]{metrics}[0];
my %large = (
	'a million metrics' => sub { $_[0]{points}[0]{metrics} = [map { {} } 1 .. 1000000] },
	'many metrics' => sub {
		$_[0]{points} = [map { my $v = $_; { config => { vcpus => $v, bytes => 4096 },
			metrics => [map { { %$metric, name => "m$_", samples => [1] } } 1 .. 1000],
			checks => [] } } 1 .. 12];
	},
	'a million runs' => sub { $_[0]{points}[0]{metrics}[0]{samples} = [1 .. 1000000] },
	'many keys' => sub { $_[0]{points}[0]{config} = { vcpus => 1, bytes => 1,
		map { ("k$_" => 'v') } 1 .. 100000 } },
	'many settings' => sub { $_[0]{host}{kvm}{parameters} = { map { ("k$_" => 'v') } 1 .. 100000 } },
	'samples of a run' => sub { $_[0]{points}[0]{metrics}[0]{samples_per_run} = 9e18 },
	'no samples of a run' => sub { $_[0]{points}[0]{metrics}[0]{samples_per_run} = 0 },
	'huge numbers' => sub { $_[0]{points}[0]{metrics}[0]{samples} = [(9223372036854775807) x 9] },
	'a histogram' => sub { $_[0]{points}[0]{metrics}[0]{histogram} = { max_ns => 9e18,
		buckets => [[0, 9e18, 9e18]] } },
	'a long name' => sub { $_[0]{points}[0]{metrics}[0]{name} = 'x' x 1000000 },
);
for my $what (sort keys %large) {
	with($large{$what});
	for my $command (['compare', 'large.json', 'large.json'], ['report', '--no-figures', 'large.json']) {
		my $end = limited(@$command);
		like($end, qr/\Aexit [012]\z/, "$what, $command->[0]: $end");
	}
}
write_text('deep.json', '[' x 1000000);
is(limited('compare', 'pipes', 'good.json'), 'exit 2', 'a pipe among files is not waited for');
is(limited('compare', 'deep.json', 'deep.json'), 'exit 2', 'a million brackets');
write_text('deep.json', '{"a":' x 100000);
is(limited('report', 'deep.json'), 'exit 2', '100000 objects in each other');
open(my $sparse, '>', 'sparse.json') or die;
print $sparse '{"schema": "kvmeter/1", "bench": "';
truncate($sparse, 20 << 30);
close($sparse);
is(limited('compare', 'sparse.json', 'sparse.json'), 'exit 2', '20 GiB');
is(limited('compare', '/dev/zero', 'good.json'), 'exit 2', 'a file without end');
SKIP: {
	skip('no yes(1)', 2) if system('yes | head -c 1 >/dev/null');
	is(system("yes ' ' | (ulimit -v 2097152; '$tool' compare /dev/stdin good.json 2>.err)") >> 8, 2,
		'blanks without end');
	my ($out) = `cat .err`;
	like($out, qr/too large: more than 256M/, '... are told');
}
like(end_of(1, 'sh', '-c', 'while :; do :; done'), qr/signal/, 'what does not end is found out');
unlike(end_of(10, 'perl', '-e', 'my $x = "x" x (3 << 30)'), qr/\Aexit [012]\z/,
	'... and what takes all memory');
done_testing();
