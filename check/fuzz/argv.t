#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# Command lines at random, of every benchmark and every command of kvmeter, under
# AddressSanitizer and UndefinedBehaviorSanitizer: each ends by 0, 1, 2 or 4; a
# refusal within 5 s, by a short message that names what is refused, and with
# nothing written.
#
# Most are tried where /dev/kvm is no KVM: whatever opens it ends by 4, so that
# what ends by 2 has not. Some run for real, on little memory, until SIGTERM.
# Nothing but a directory of its own can be written meanwhile.
#
# KVMETER_FUZZ_SEED=N tries the lines of that seed alone; a fault names it.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(basename);
use File::Path qw(make_path);
use FindBin;
use POSIX qw(uname);
use Test::More;
use lib $FindBin::Bin;
use Lines;
use Trial;
use Values;

use constant FIXED_SEED => 1;
my $long = $ENV{KVMETER_LONG};
my $lines = $long ? 20_000 : 600;        # of each seed
my $real_lines = $long ? 400 : 16;
my $workers = 2;
my $out = abs_path($ENV{KVMETER_OUT} // 'build/' . (uname())[4]);
my $scratch = "$out/check/fuzz/lines";
my $build = "$out/check/fuzz/scratch/" . basename($out);

Test::More->builder->failure_output(Test::More->builder->output);

# ---- where lines are tried ----

# In a mount namespace; an ordinary user gets one with a user namespace.
sub enter_namespace {
	my @unshare = ('unshare', $> == 0 ? '-m' : '-rm');

	plan(skip_all => "@unshare is not allowed: lines could write anywhere")
		if system("@unshare true 2>/dev/null");
	exec(@unshare, $^X, $0, '--inside') or die "unshare: $!\n";
}

sub mount {
	return system('mount', @_) == 0;
}

sub make_read_only {
	open(my $in, '<', '/proc/self/mounts') or die "mounts: $!\n";
	for (<$in>) {
		my $path = (split)[1] =~ s/\\([0-7]{3})/chr(oct $1)/ger;

		system("mount -o remount,bind,ro '$path' 2>/dev/null") if $path !~ /'/;
	}
	make_path($scratch) if !-d $scratch;
	mount('-t', 'tmpfs', 'none', $scratch) or die "tmpfs: status $?\n";
}

sub can_write {
	my ($path) = @_;

	return open(my $file, '>>', $path);
}

if (!@ARGV) {
	make_path($scratch);
	# json.t builds the same
	system("flock $out/check/fuzz make --no-print-directory -j$workers LLVM=1"
		. " SANITIZE=fuzzer-no-link,address,undefined,float-cast-overflow"
		. " O=$out/check/fuzz/scratch all fuzz >$out/check/fuzz/build.log 2>&1") == 0
		or BAIL_OUT("the build failed: $out/check/fuzz/build.log");
	enter_namespace();
}

# ---- programs ----

my %files = map { $_->[0] => $_->[1] } (
	['a.suite', "a: page_table_test -b 64K\nb timeout=5: dirty_log_test 'x y'\n"],
	['broken.suite', "a\nresults: x\n: y\nb: page_table_test --json x\nb: page_table_test\n"],
	['broken.json', '{ "schema": "kvmeter/1", '],
	['log', "{\"commit\":\"0123\",\"verdict\":\"bad\"}\n{\n"],
);

# From the corpus of the other fuzzers.
sub take_file {
	my ($corpus, $nr, $name) = @_;
	local $/;

	open(my $in, '<', "$FindBin::Bin/corpus/$corpus") or die "$corpus: $!\n";
	$files{$name} = (split /\x1e/, <$in>)[$nr];
}

take_file('results/two.txt', 0, 'a.json');
take_file('results/two.txt', 1, 'b.json');
take_file('results/skip.txt', 0, 'skip.json');
take_file('bisect/step.txt', 0, 'state');
take_file('run/pass.txt', 0, 'results/index');
take_file('run/pass.txt', 1, 'results/entry.json');

sub bench_programs {
	return map { +{ program => $_, name => basename($_), %{ read_rows($_) } } }
		sort glob("$build/tests/*_test");
}

# Each command counts as much as a benchmark; bisect has three of its own.
sub tool_programs {
	my (@tests) = @_;
	my $tool = "$build/tools/kvmeter/kvmeter";
	my @programs = { program => $tool, rows => [{ letter => 'h', name => 'help', kind => 'flag' }],
			 operands => 'BENCH' };

	for my $command (map { /\Acommand (.*)/ ? $1 : () } `$tool --completion`) {
		my %p = (program => $tool, words => [$command], tests => \@tests,
			 %{ read_rows($tool, $command) });
		my @actions = split /\|/, ($p{operands} // '') =~ /\A([a-z]+(?:\|[a-z]+)+)\z/ ? $1 : '';

		push @programs, @actions ? map { { %p, words => [$command, $_], operands => undef } } @actions
			: \%p;
	}
	return @programs;
}

# ---- trying them ----

# Tries every line of a part, and returns what went wrong and how often lines
# ended how.
sub work {
	my ($part, $make, @numbers) = @_;
	my (%codes, %faults);

	prepare("$scratch/$part", \%files);
	for my $n (@numbers) {
		my $line = $make->($n);
		my $r = try_line($line);
		my $fault = fault_of($r, $line);

		# on a machine that does other things, too, time is not the line's
		for (1 .. 2) {
			last if !$fault || $fault !~ /does not end|too late/;
			$r = try_line($line);
			$fault = fault_of($r, $line);
		}
		$codes{ $r->{signal} ? "signal $r->{signal}" : $r->{code} }++;
		next if !$fault || $faults{ $fault =~ s/0x\w+//gr }++ || keys %faults > 20;
		my $short = minimise($line, $fault);

		push @{ $codes{faults} }, "line $n: " . basename($line->{program}) . " $fault: "
			. shown($short) . "\n" . try_line($short)->{err} =~ s/^/  /gmr =~ s/[^ -~\n]/?/gr;
	}
	return \%codes;
}

# By several processes; dies if one of them does. { faults => [], CODE => count }
sub try_all {
	my ($nr, $make) = @_;
	my (%all, @pipes);

	for my $part (1 .. $workers) {
		my $pid = open(my $pipe, '-|') // die "fork: $!\n";

		if (!$pid) {
			my $found = work($part, $make, grep { $_ % $workers == $part - 1 } 1 .. $nr);

			print map { "fault " . (s/\n/\x1e/gr) . "\n" } @{ delete $found->{faults} // [] };
			print map { "$_ $found->{$_}\n" } keys %$found;
			print "done\n";
			STDOUT->flush;
			POSIX::_exit(0);
		}
		push @pipes, $pipe;
	}
	for my $pipe (@pipes) {
		my @said = <$pipe>;

		die "a worker has died\n" if !@said || pop(@said) ne "done\n";
		for (@said) {
			push @{ $all{faults} }, $1 =~ tr/\x1e/\n/r if /\Afault (.*)/;
			$all{$1} += $2 if /\A([^f].*) (\d+)\n/;
		}
	}
	return \%all;
}

# As one result; the seed is what a reader needs to see the same again.
sub judge {
	my ($what, $nr, $seed, $make) = @_;
	my $found = try_all($nr, $make);
	my @faults = @{ delete $found->{faults} // [] };

	ok(!@faults, "$nr lines of seed $seed $what")
		or diag(map { "KVMETER_FUZZ_SEED=$seed $_\n" } @faults);
	note(join(', ', map { "exit $_: $found->{$_}" } sort keys %$found));
	return $found;
}

# ---- those that were faults once ----

my @once = (
	# what a terminal obeys, lines of their own, no UTF-8, too long to be read
	(map { ['--vcpus', $_] } "\e[2J", "\x7f", "\xc2\x9b2J", "\n" x 9, "\xff", '9' x 60_000),
	["\xe2\x80"], ['-v', '1', "--json=/dev/full"],
);

sub try_known {
	my ($program, @lines) = @_;
	my @faults;

	for my $args (@lines) {
		my $line = { program => $program, args => $args, rows => [] };
		my $fault = fault_of(try_line($line), $line);

		push @faults, shown($line) . " $fault" if $fault;
	}
	is(join("\n", @faults), '', basename($program) . ': lines that were faults once');
}

# ---- real ones ----

my %small = (
	vcpus => sub { below(4) + 1 },
	bytes => sub { pick('64K', '128K', '256K', '1M') },
	timeout => sub { pick(1, 2, 5) },
);

# Valid in most cases: on little memory, whatever else it does.
sub real_line {
	my ($programs, $seed, $n) = @_;
	my $line = new_line($programs, $seed, $n);
	my @rows = @{ $line->{rows} };
	my @args = ('-b', '64K', '-v', '2', '-R', '1', '--timeout', '5');

	for (0 .. below(5)) {
		my $row = pick(grep { $_->{name} !~ /\A(?:help|version|gpa)\z/ } @rows);
		my $value = ($small{ $row->{name} } // sub {
			@{ $row->{choices} } ? fair_value($row) : pick(1, 2, 3, 16, 50, 99, 256, '4K', '16K')
		})->();

		push @args, "--$row->{name}" . ($row->{kind} eq 'flag' ? '' : "=$value");
	}
	return { %$line, args => \@args, patience => 1.5 };
}

# ---- counterexamples ----

# The faults that made_up_test can have, from its own text.
sub made_up_faults {
	open(my $in, '<', "$FindBin::Bin/made_up_test") or die "made_up_test: $!\n";
	return map { /\A\t'(.*)'\) / ? $1 : () } <$in>;
}

# Finds $ENV{MADE_UP_FAULT}, if there is one, in a few lines; cut down to what
# it takes. Without one there is none to be found.
sub find_made_up {
	my ($fault) = @_;
	my $program = "$FindBin::Bin/made_up_test";
	my $rows = read_rows($program)->{rows};

	local $ENV{MADE_UP_FAULT} = $fault;
	local $Trial::refusal_seconds = $fault =~ /does not end|too late/ ? 1 : 5;
	for my $n (1 .. 150) {
		my $line = new_line([{ program => $program, rows => $rows }], FIXED_SEED, $n);
		my $found = fault_of(try_line($line), $line) // next;

		# it would be waited for each time
		return ($found, $line) if $found =~ /does not end|too late/;
		return ($found, minimise($line, $found));
	}
	return ('', undef);
}

sub check_made_up {
	is((find_made_up(''))[0], '', 'nothing is found where nothing is wrong');
	for my $fault (made_up_faults()) {
		my ($found, $line) = find_made_up($fault);

		is($found, $fault, "a program that $fault is found");
		cmp_ok(length shown($line), '<=', 60, '... by a short line: ' . shown($line))
			if $line && $found !~ /does not end|too late/;
	}
}

# ---- the check ----

die "usage: check/fuzz/argv.t\n" if "@ARGV" ne '--inside';
make_read_only();
ok(!can_write($_), "$_ cannot be written") for grep { -e } "$0", '/sys/kernel/mm/ksm/run', '/proc/sys/vm/swappiness';
ok(can_write("$scratch/file"), 'the scratch directory can');

prepare("$scratch/1", \%files);
check_made_up();
my @benches = bench_programs();
my @tools = tool_programs(@benches);
my @all = (@benches, @benches, @benches, @tools);
my $given = $ENV{KVMETER_FUZZ_SEED};
my $fresh = $given // time % 1_000_000;

cmp_ok(scalar @benches, '>=', 6, 'benchmarks are found');
cmp_ok(scalar @tools, '>=', 10, 'commands are found');

SKIP: {
	skip '/dev/kvm cannot be opened: lines for real', 1 if !-r '/dev/kvm' || !-w '/dev/kvm';
	judge('for real', $real_lines, $fresh, sub { real_line(\@benches, $fresh, @_) });
}

mount('--bind', '/dev/null', '/dev/kvm') or die "/dev/kvm: status $?\n" if -e '/dev/kvm';
prepare("$scratch/1", \%files);
for my $p (@benches) {
	my $r = try_line({ program => $p->{program}, args => ['-v', '1'], rows => $p->{rows} });

	is($r->{code}, 4, "$p->{name}: what opens /dev/kvm ends by 4, without KVM");
	like($r->{err}, qr{/dev/kvm}, "$p->{name}: ... and says so");
}
try_known($_->{program}, @once) for @benches;
try_known($tools[0]{program}, ['doctor'], ['bisect'], [qw(bisect log --log=/dev/full)], ["\e[2J"], ['compare', "\n" x 9, '-f', "\xff"],
	  ['bisect', 'log', '--log', 'broken.json'], ['ab', 'page_table_test', '--results', "\xff\n/none", '--same']);
for my $seed ($given // (FIXED_SEED, $fresh)) {
	my $found = judge('without KVM', $lines, $seed, sub { new_line(\@all, $seed, @_) });

	cmp_ok($found->{2} // 0, '>', $lines / 5, '... of which many are refused');
	cmp_ok($found->{4} // 0, '>', $lines / 20, '... and many are valid');
	is(($found->{0} // 0) > 0, 1, '... or answered');
}
done_testing();
