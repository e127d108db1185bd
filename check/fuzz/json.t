#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# libFuzzer over the files that kvmeter reads and others may have written:
# results, states and logs of bisections, directories of kvmeter run, suites. No
# crash, no report of AddressSanitizer, LeakSanitizer or
# UndefinedBehaviorSanitizer, no end without a message, none later than 20 s, and
# nothing in any output that a terminal, a browser or gnuplot would obey.
#
# It begins with the inputs of check/fuzz/corpus, which the commands themselves
# are given, too, and with what was found here before. What makes a fault stays
# in check/fuzz/found of the build; one that is mended goes into the corpus.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(basename dirname);
use File::Path qw(make_path remove_tree);
use FindBin;
use POSIX qw(uname);
use Test::More;
use lib $FindBin::Bin;
use Trial;

my $long = $ENV{KVMETER_LONG};
my $out = abs_path($ENV{KVMETER_OUT} // 'build/' . (uname())[4]);
my $build = "$out/check/fuzz/scratch/" . basename($out);
my $work = "$out/check/fuzz/json";
my $found = "$out/check/fuzz/found";
my $corpus = "$FindBin::Bin/corpus";
my $seed = $ENV{KVMETER_FUZZ_SEED} // time % 1_000_000;

# Seconds of each, for two of them at once.
my @lanes = $long ? ([[results => 1200]], [[bisect => 600], [run => 600], [suite => 600]])
	: ([[results => 30]], [[bisect => 12], [run => 12], [suite => 6]]);
my @targets = map { $_->[0] } map { @$_ } @lanes;

# Stacks of allocations and what is freed late are most of the memory otherwise.
my $asan = 'malloc_context_size=4:quarantine_size_mb=32:leak_check_at_exit=0';

Test::More->builder->failure_output(Test::More->builder->output);

sub read_all {
	my ($path) = @_;

	open(my $in, '<', $path) or die "$path: $!\n";
	local $/;
	return scalar(<$in>) // '';
}

# Starts a fuzzer, in a directory of its own; its output goes to a log.
sub start {
	my ($name, $log, $env, @arguments) = @_;
	my $dir = "$work/$log";
	my $pid = fork() // die "fork: $!\n";

	return $pid if $pid;
	make_path($dir);
	open(STDOUT, '>', "$work/$log.log");
	open(STDERR, '>&', \*STDOUT);
	%ENV = (%ENV, ASAN_OPTIONS => $asan, LSAN_OPTIONS => 'report_objects=1', UBSAN_OPTIONS => 'print_stacktrace=1',
		FUZZ_DIRECTORY => $dir, %$env);
	exec("$build/check/fuzz/${name}_fuzz", '-seed=' . ($seed + 1), '-rss_limit_mb=2048',
	     '-malloc_limit_mb=512', '-max_len=8192', '-detect_leaks=0', @arguments) or POSIX::_exit(127);
}

sub finish {
	my ($pid) = @_;

	waitpid($pid, 0);
	return $?;
}

# What a log tells, without what libFuzzer says of itself.
sub show {
	my ($log) = @_;
	my @lines = grep { !/\A(?:INFO|#\d|\s+NEW_FUNC|MS: |0x)/ } split /\n/, read_all("$work/$log.log");

	diag(join("\n", map { substr($_, 0, 300) =~ s/[^ -~]/?/gr } splice(@lines, 0, 60)));
}

# Inputs, executions per second and edges, from the last line of statistics.
sub figures {
	my ($log) = @_;
	my ($last) = reverse grep { /\A#\d+\s+DONE/ } split /\n/, read_all("$work/$log.log");

	return 'no figures' if !$last;
	my ($runs, $cov, $speed) = $last =~ m{#(\d+).*cov: (\d+).*exec/s: (\d+)};
	return "$runs inputs, $speed a second, $cov edges";
}

# ---- building ----

remove_tree($work);
make_path($work, $found);
# argv.t builds the same
system("flock $out/check/fuzz make --no-print-directory -j2 LLVM=1"
	. " SANITIZE=fuzzer-no-link,address,undefined,float-cast-overflow"
	. " O=$out/check/fuzz/scratch all fuzz >$out/check/fuzz/build.log 2>&1") == 0
	or BAIL_OUT("the build failed: $out/check/fuzz/build.log");

# ---- inputs that are known, each looked through for leaks ----

for my $name (@targets) {
	my $status = finish(start($name, "$name-known", { FUZZ_LEAKS_EVERY => 1 }, '-runs=0', "$corpus/$name"));

	ok($status == 0, "$name: all inputs of the corpus") or show("$name-known");
}

# ---- the same through the commands ----

my %commands = (
	results => [[qw(compare)], [qw(compare -f json --failed)], [qw(report)]],
	bisect => [[qw(bisect log --log log), '--']],
	suite => [[qw(run -n)]],
);
my %names = (
	results => [qw(a.json b.json c.json d.json)],
	bisect => [qw(state commit.json log)],
	suite => [qw(a.suite)],
);

sub try_commands {
	my ($name) = @_;
	my (@faults, $tried);

	for my $path (sort glob("$corpus/$name/*")) {
		my @parts = split /\x1e/, read_all($path);
		my @files = @{ $names{$name} }[0 .. $#parts];
		my %files;

		@files{@files} = @parts;
		remove_tree("$work/commands");
		prepare("$work/commands", \%files);
		for my $command (@{ $commands{$name} }) {
			my @operands = grep { !/\A(?:state|commit.json|log)\z/ } @files;
			my $line = { program => "$build/tools/kvmeter/kvmeter", rows => [],
				     args => [grep({ $_ ne '--' } @$command), @operands,
					      "@$command" eq 'compare' && @files == 1 ? 'a.json' : ()] };
			my $r = try_line($line);
			my $fault = fault_of($r, $line);

			$tried++;
			push @faults, basename($path) . ': ' . shown($line) . " $fault\n$r->{err}"
				if $fault && $fault !~ /more than a few lines|without naming/;
		}
	}
	ok(!@faults, "$name: $tried commands with the inputs of the corpus") or diag(join("\n", @faults));
}

try_commands($_) for sort keys %commands;

# ---- counterexamples ----

# [fault, what is said of it]
my @made_up = (
	['overflow', qr/heap-buffer-overflow/], ['division', qr/division by zero/],
	['leak', qr/^of this input: 0x.*can no longer be reached/ms], ['spin', qr/timeout after/],
	['exit code', qr/an end by 77/], ['no message', qr/an end without a message/],
	['markup', qr/FAULT: markup: /], ['control', qr/FAULT: text: /],
);

sub find_made_up {
	my ($fault, $pattern) = @_;
	my $log = 'faulty-' . $fault =~ tr/ /-/r;
	make_path("$work/new-$log");
	my $status = finish(start('faulty', $log, { FUZZ_FAULT => $fault, FUZZ_LEAKS_EVERY => $fault eq 'leak' ? 1 : 0 },
				  '-seed=3', '-max_total_time=150', '-timeout=2', "-artifact_prefix=$work/$log-",
				  "$work/new-$log", "$corpus/results"));

	ok($status != 0 && read_all("$work/$log.log") =~ $pattern, "a made-up fault is found: $fault")
		or show($log);
}

find_made_up(@$_) for @made_up;

# ---- the search ----

sub search {
	my ($name, $seconds) = @_;

	make_path("$work/new-$name");
	return finish(start($name, $name, { FUZZ_LEAKS_EVERY => 500 }, "-max_total_time=$seconds", '-timeout=20',
			    '-use_value_profile=0', "-artifact_prefix=$found/$name-", "$work/new-$name",
			    "$corpus/$name"));
}

# One after the other, and exits by the number of those that have failed.
sub search_lane {
	my $failed = 0;

	$failed += search(@$_) != 0 for @_;
	POSIX::_exit($failed);
}

my @pids;
for my $lane (@lanes) {
	my $pid = fork() // die "fork: $!\n";

	search_lane(@$lane) if !$pid;
	push @pids, $pid;
}
waitpid($_, 0) for @pids;
for my $name (@targets) {
	my $text = read_all("$work/$name.log");

	ok($text =~ /^Done \d+ runs/m && $text !~ /^SUMMARY: /m, "$name: " . figures($name) . ", seed $seed")
		or show($name);
}
my @left = map { basename($_) } grep { !/slow-unit/ } glob("$found/*");
is("@left", '', "nothing is left in $found");
done_testing();
