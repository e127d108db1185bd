#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# What somebody else plants under a name that kvmeter is going to write, in
# directories where everybody may: links, pipes, files of theirs. Nothing of it is
# written through or waited for, whatever fs.protected_* says, and with umask 0
# nothing that is made can be written by others.
use strict;
use warnings;
use Cwd qw(abs_path);
use FindBin;
use lib "$FindBin::Bin/../kvmeter";
use FakeTest;
use MadeUp;
use POSIX qw(:sys_wait_h);
use Test::More;
use Time::HiRes qw(sleep time);

my $stranger = 65534;    # nobody
my $limit = 20;          # seconds: nothing here takes one
my $here = abs_path('.');
my $fault_test = "$top/" . ($ENV{KVMETER_OUT} // 'build/' . (POSIX::uname())[4])
	. '/check/harness/fault_test';
$fault_test = abs_path("$ENV{KVMETER_OUT}/check/harness/fault_test") if $ENV{KVMETER_OUT};
umask(0);
chmod(0755, $here);

# ---- who writes ----

results("$_.json", [metric('create', runs($_ eq 'b' ? 1300000 : 1000000, 1, 9))]) for qw(a b);
results('ok.json', [metric('create', [1 .. 5])], checks =>
	[{ name => 'create: mappings', result => 'ok', detail => '1' }]);
my $ok = "KTAP version 1\n1..1\nok 1 - create: mappings # 1\n";
write_text('ok.ktap', $ok);
fake_test("tests/${_}_test", description("${_}_test"),
	"umask 022; cat $here/ok.ktap; results $here/ok.json") for qw(first second);
# plants what it is told to where the second one is going to write
fake_test('tests/plant_test', description('plant_test'),
	"$here/plant; cat $here/ok.ktap; results $here/ok.json");
write_text('one.suite', "first: first_test\n");
write_text('plant.suite', "plant: plant_test\nsecond: second_test\n");
fake_program('hook', "#!/bin/sh\numask 022\ncp $here/a.json \$KVMETER_RESULT\n");

my @record = ($tool, qw(bisect record --good a.json --bad b.json --run), "$here/hook");
my %writers = (
	'report -o' => sub { [$tool, qw(report --no-figures -o), $_[0], 'a.json'] },
	'run --junit' => sub {
		[$tool, qw(run one.suite --tests tests -o), "$_[0].results", '--junit', $_[0]];
	},
	'bisect record' => sub { [@record, '--state', $_[0]] },
);
$writers{'a benchmark -J'} = sub { [$fault_test, qw(--fault none -q -J), $_[0]] }
	if -x $fault_test && -w '/dev/kvm';

# The counterexample: what anyone would write first.
my $naive = sub { ['sh', '-c', 'echo results >"$0"', $_[0]] };

# ---- what is planted ----

my $victim = "$here/victim";

sub victim {
	write_text($victim, "as it was\n");
	chmod(0600, $victim);
}

sub make_owned { chown($stranger, $stranger, $_[0]) if !$> }

my %plants = (
	'a link' => sub { symlink($victim, $_[0]) },
	'a link of another' => sub {
		symlink($victim, $_[0]);
		system('chown', '-h', $stranger, $_[0]) if !$>;
	},
	'a link to nothing' => sub { symlink("$here/nothing", $_[0]) },
	'a hard link' => sub { link($victim, $_[0]) },
	'a pipe of another' => sub { POSIX::mkfifo($_[0], 0666); make_owned($_[0]) },
	'a file of another' => sub {
		write_text($_[0], 'theirs');
		chmod(0666, $_[0]);
		make_owned($_[0]);
	},
);
my %directories = (shared => 0777, sticky => 01777);

# Exit code, standard error; undef: it had to be killed.
sub attempt {
	my ($command) = @_;
	my $until = time + $limit;
	my $pid = fork() // die "fork: $!\n";

	if (!$pid) {
		setpgrp;
		open(STDIN, '<', '/dev/null');
		open(STDOUT, '>', '/dev/null');
		open(STDERR, '>', "$here/.err");
		exec { $command->[0] } @$command or POSIX::_exit(127);
	}
	while (!waitpid($pid, WNOHANG)) {
		sleep(0.01);
		next if time < $until;
		kill('KILL', -$pid);
		waitpid($pid, 0);
		return;
	}
	return $?;
}

sub slurp {
	open(my $in, '<', $_[0]) or return '';
	local $/;
	return scalar(<$in>) // '';
}

# What is wrong after @$command was to write $path, where something lay.
sub faults {
	my ($command, $path) = @_;
	my $status = attempt($command);
	my @st = lstat($path);
	my @faults;

	return 'waits for ever' if !defined $status;
	push @faults, 'ended by a signal' if $status & 127;
	push @faults, 'the victim is written to' if slurp($victim) ne "as it was\n";
	push @faults, 'a link is followed' if -e "$here/nothing";
	if ($status) {
		push @faults, 'it does not name it: ' . slurp("$here/.err")
			if index(slurp("$here/.err"), $path) < 0;
	} else {
		push @faults, 'no file of its own' if ($st[2] & 0170000) != 0100000 || $st[4] != $> || $st[3] != 1;
		push @faults, sprintf('mode %04o', $st[2] & 07777) if $st[2] & 022;
	}
	my @left = grep { $_ ne $path } glob("$path.*.tmp");
	push @faults, "left behind: @left" if @left;
	return join('; ', @faults);
}

my $place = 0;

sub place {
	my ($mode) = @_;
	my $dir = "$here/place" . $place++;

	mkdir($dir);
	chmod($mode, $dir);
	return "$dir/target";
}

for my $writer (sort keys %writers) {
	for my $directory (sort keys %directories) {
		my @wrong = map {
			my $path = place($directories{$directory});
			victim();
			unlink("$here/nothing");
			$plants{$_}->($path);
			my $fault = faults($writers{$writer}->($path), $path);
			$fault ? "$_: $fault" : ();
		} sort keys %plants;

		is(join("\n", @wrong), '', "$writer, in a $directory directory: "
			. keys(%plants) . ' things that lie there');
	}
}
for my $plant ('a link', 'a link to nothing', 'a hard link', 'a pipe of another') {
	my $path = place(0777);

	victim();
	unlink("$here/nothing");
	$plants{$plant}->($path);
	$limit = 0.5;
	isnt(faults($naive->($path), $path), '', "what is not careful is found out: $plant");
	$limit = 20;
}
unlink("$here/nothing");
{
	my $path = place(0777);

	victim();
	isnt(faults($naive->($path), $path), '', '... and so is a file that others can write');
}

# ---- in a directory of results, while a suite runs ----

for my $plant (sort keys %plants) {
	for my $name (qw(second.ktap second.stderr second.json results.ktap index)) {
		my $path = place(0777);
		my $dir = $path =~ s{/target\z}{/run}r;
		my %how = ('a link' => "ln -sf $victim", 'a link to nothing' => "ln -sf $here/nothing",
			   'a hard link' => "ln -f $victim", 'a pipe of another' => 'mkfifo');
		next if !$how{$plant};

		victim();
		unlink("$here/nothing");
		fake_program('plant', "#!/bin/sh\nrm -f $dir/$name\n$how{$plant} $dir/$name\n");
		my $status = attempt([$tool, qw(run plant.suite --tests tests -o), $dir]);
		my $wrong = !defined $status ? 'waits for ever'
			: slurp($victim) ne "as it was\n" ? 'written to'
			: -e "$here/nothing" ? 'followed' : '';
		is($wrong, '', "run, $plant as $name");
	}
}

# ---- directories ----

my %makers = (
	'run --results' => sub { [$tool, qw(run one.suite --tests tests -o), $_[0]] },
	'ab --results' => sub {
		[$tool, qw(ab -n 2 -R 1 --results), $_[0], "$here/tests/first_test", "--same"];
	},
);
SKIP: {
	skip('another user needs root', 2 * keys %makers) if $>;
	for my $maker (sort keys %makers) {
		for my $kind ('directory', 'link to a directory') {
			my $path = place(01777);

			mkdir("$here/inside$place");
			if ($kind eq 'directory') {
				mkdir($path);
				make_owned($path);
			} else {
				symlink("$here/inside$place", $path);
				system('chown', '-h', $stranger, $path);
			}
			my $status = attempt($makers{$maker}->($path));
			my @made = (glob("$path/*"), glob("$here/inside$place/*"));
			ok($status && !@made && slurp("$here/.err") =~ /another user has put it there/,
				"$maker: a $kind that another user has put there is refused")
				or diag(slurp("$here/.err"), @made);
		}
	}
}

# ---- what it makes with umask 0 ----

# All below $path that others could write.
sub loose {
	my ($path) = @_;

	return grep { !-l && (lstat)[2] & 022 } split /\n/, `find $path`;
}

for my $maker (sort keys %makers) {
	my $path = place(0755);

	attempt($makers{$maker}->($path));
	is(join(' ', loose($path)), '', "$maker: nothing that others can write");
	cmp_ok(scalar(my @all = split /\n/, `find $path`), '>', 2, '... and it is there');
}
my $state = place(0755);
attempt([@record, '--state', $state]);
attempt([$tool, qw(bisect step --state), $state]);
is(join(' ', map { loose($_) } glob("$state*")), '', 'bisect: nothing that others can write');
cmp_ok(scalar(my @made = glob("$state*")), '>=', 3, '... and it is there');
write_text('loose/file', 'a');
cmp_ok(scalar(loose('loose')), '==', 2, 'what others can write is found out');
done_testing();
