#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# Is what the documents say true? All in a fresh copy of the tree:
#
# - every fenced block "sh run" of README.md is run and succeeds
#   ("needs=PROGRAM": skipped, by name, where there is no such program, as are those
#   with transparent huge pages where these are off; a block that exports variables
#   goes before all later ones);
# - every other command line of kvmeter in README.md, which needs what is not here,
#   has options that kvmeter and the benchmark accept, and hooks that are there;
# - every command line of a benchmark in a code span of any document has
#   options that the benchmark accepts;
# - every option in tables of README.md and doc/options.md exists, and the latter
#   has all that exist;
# - every file that a document names or links to is there;
# - arch/README.md tells of everything that a port has to provide.
#
# TAP on standard output.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(dirname);
use File::Temp qw(tempdir);
use Text::ParseWords qw(shellwords);

my $root = abs_path(dirname($0) . '/../..');
my @documents = qw(README.md CONTRIBUTING.md arch/README.md doc/options.md
		   doc/reading.md doc/robustness.md doc/statistics.md);
my @benchmarks = qw(page_table_test dirty_log_perf_test async_pf_test tlb_stress_test
		    memslot_zap_test dirty_log_test);
my $printed = 0;
my $failed = 0;

chdir $root or die "$root: $!\n";
$| = 1;

sub result {
	my ($ok, $name, @why) = @_;

	$printed++;
	$failed++ if !$ok;
	print +($ok ? 'ok' : 'not ok'), " $printed - $name\n";
	return if $ok;
	print "# $_\n" for map { split /\n/ } @why;
}

sub skip {
	my ($name, $why) = @_;

	$printed++;
	print "ok $printed - $name # SKIP $why\n";
}

sub slurp {
	my ($path) = @_;

	open(my $in, '<', $path) or die "$path: $!\n";
	local $/;
	return scalar <$in>;
}

# What git would give somebody who clones, and what is about to be added.
sub fresh_copy {
	my $dir = tempdir('kvmeter-readme-XXXXXX', TMPDIR => 1, CLEANUP => 1);
	my $list = -e '.git' && system('git rev-parse >/dev/null 2>&1') == 0
		? 'git ls-files -z --cached --others --exclude-standard'
		: 'find . -path ./build -prune -o -type f -print0';

	# a file may have gone since the list was made
	system("$list | tar -c --null --ignore-failed-read -T - 2>/dev/null | "
	       . "tar -x -C '$dir'") == 0
		or die "copying the tree failed\n";
	return $dir;
}

sub has_program {
	my ($program) = @_;

	return grep { -x "$_/$program" } split /:/, $ENV{PATH};
}

# Its benchmark would say the same, by exit 4, which ends the block.
sub has_transparent_huge_pages {
	my $enabled = '/sys/kernel/mm/transparent_hugepage/enabled';

	return -e $enabled && slurp($enabled) !~ /\[never\]/;
}

sub run {
	my ($dir, $script) = @_;
	my $log = "$dir/readme.log";
	my $pid = fork() // die "fork: $!\n";

	if (!$pid) {
		chdir $dir;
		open(STDIN, '<', '/dev/null');
		open(STDOUT, '>', $log);
		open(STDERR, '>&', \*STDOUT);
		exec 'sh', '-e', '-c', $script;
	}
	waitpid($pid, 0);
	return ($?, slurp($log));
}

# ---- blocks ----

# [info string, text]
sub blocks_of {
	my ($text) = @_;
	my @blocks;

	push @blocks, [$1, $2] while $text =~ /^```(.*)\n((?s).*?)^```$/mg;
	return @blocks;
}

sub run_blocks {
	my ($dir) = @_;
	my $exports = '';

	for my $block (blocks_of(slurp("$dir/README.md"))) {
		my ($info, $script) = @$block;
		my ($first) = $script =~ /\A(.*)/;
		my $name = "README.md: $first";

		next if $info !~ /\Ash\b/;
		if ($info !~ /\Ash run(?: needs=(\S+))?\z/) {
			result(0, $name, "a block of sh that nobody runs: $info");
			next;
		}
		if (defined $1 && !has_program($1)) {
			skip($name, "no $1");
			next;
		}
		if ($script =~ /anonymous_thp/ && !has_transparent_huge_pages()) {
			skip($name, 'transparent huge pages are off');
			next;
		}
		my ($status, $output) = run($dir, $exports . $script);
		result($status == 0, $name, "wait status $status", $script, $output);
		$exports .= $script if $script =~ /\Aexport /;
	}
}

# ---- options ----

sub benchmark {
	my ($dir, $name) = @_;

	return glob("$dir/build/*/tests/$name");
}

sub options_of_help {
	my ($dir, $name) = @_;
	my ($program) = benchmark($dir, $name);
	my ($status, $help) = run($dir, "$program --help");
	my %options;

	for my $line (split /\n/, $help) {
		next if $line !~ /^ {2}(?:-(\w), | {4})(--[\w-]+)/;
		$options{$2} = 1;
		$options{"-$1"} = 1 if defined $1;
	}
	result($status == 0 && %options > 10, "$name --help lists options", $help);
	return \%options;
}

# In the first column of tables, where options are declared.
sub declared_options {
	my ($text) = @_;
	my %options;

	while ($text =~ /^\| (`-.*?`) \|/mg) {
		my $cell = $1;
		$options{$1} = 1 while $cell =~ /(?:^|[`\s])(--?[a-zA-Z][\w-]*)/g;
	}
	return %options;
}

sub check_options {
	my ($dir) = @_;
	my $manual = slurp("$dir/doc/options.md");
	my %all;

	for my $name (@benchmarks) {
		my $options = options_of_help($dir, $name);
		my @missing = grep { $manual !~ /[`\s]\Q$_\E[`,\s]/ } sort keys %$options;

		result(!@missing, "doc/options.md has every option of $name", "@missing");
		@all{keys %$options} = ();
	}
	for (['README.md', 10], ['doc/options.md', 60]) {
		my ($document, $least) = @$_;
		my %declared = declared_options(slurp("$dir/$document"));
		my @unknown = grep { !exists $all{$_} } sort keys %declared;

		result(%declared > $least && !@unknown, "$document has no other option",
		       "@unknown");
	}
}

# ---- command lines in running text ----

sub commands_of {
	my ($text) = @_;
	my %commands;

	$text =~ s/^```.*?^```$//msg;
	# what others' programs of the same name took
	$text =~ s/^\| [^|]*\| (?=`(?:@{[join '|', @benchmarks]}))/| /mg;
	while ($text =~ /`((?:@{[join '|', @benchmarks]}) -[^`]+)`/g) {
		$commands{$1 =~ s/\s+/ /gr} = 1;
	}
	return sort keys %commands;
}

sub check_commands {
	my ($dir) = @_;

	for my $document (@documents) {
		for my $command (commands_of(slurp("$dir/$document"))) {
			my ($name, $rest) = split / /, $command, 2;
			my ($program) = benchmark($dir, $name);
			my ($status, $output) = run($dir, "$program $rest --help");

			result($status == 0, "$document: $command", $output);
		}
	}
}

# ---- commands of kvmeter that are shown, but not run ----

# Indented, or behind the prompt of a console.
sub shown_commands {
	my ($text) = @_;
	my @lines;

	for my $block (blocks_of($text)) {
		push @lines, ($block->[1] =~ s/\s*\\\n\s*/ /gr) =~ /^\$ (.*)/mg
			if $block->[0] eq 'console';
	}
	$text =~ s/^```.*?^```$//msg;
	push @lines, $text =~ /^    (\S.*)/mg;
	return map { s/^git bisect run //r } grep { /^(?:git bisect run )?kvmeter / } @lines;
}

# What is wrong with one, by the help of those who would run.
sub command_faults {
	my ($dir, $command) = @_;
	my ($tool) = glob("$dir/build/*/tools/kvmeter/kvmeter");
	my (undef, $what, @words) = shellwords($command);
	# --help before all the others, which are read all the same
	my @runs = [$tool, $what eq 'bisect' ? ($what, shift @words) : $what, '--help', @words];
	my ($bench) = grep { /_test\z/ } @words;
	my @faults;

	push @runs, [$bench, '--help'] if $bench;

	for my $i (0 .. $#words) {
		push @runs, [$bench // 'none', shellwords($words[$i + 1]), '--help']
			if $words[$i] =~ /\A--opt-[ab]\z/;
		push @runs, [shellwords($1), '--help'] if $words[$i] =~ / -- (\w+_test .*)/;
		push @faults, "$1: not there"
			if $words[$i] =~ m{\A(?:~|\$HOME)/kvmeter/(\S+)} && !-x "$dir/$1";
	}
	for my $run (@runs) {
		my ($program, @arguments) = @$run;
		my ($path) = $program eq $tool ? $tool : benchmark($dir, $program);
		my $line = join(' ', map { "'$_'" } $path // $program, @arguments);
		my ($status, $output) = run($dir, $line);

		push @faults, "$line: $output" if $status;
	}
	return @faults;
}

sub check_shown {
	my ($dir) = @_;
	my @commands = shown_commands(slurp("$dir/README.md"));

	for my $command (@commands) {
		my @faults = command_faults($dir, $command);

		result(!@faults, "README.md: $command", @faults);
	}
	result(@commands >= 6, 'README.md shows commands', scalar(@commands));
}

# ---- links and names of files ----

sub check_links {
	my ($dir) = @_;

	for my $document (@documents) {
		my $text = slurp("$dir/$document");
		my $from = dirname("$dir/$document");
		my @broken;

		while ($text =~ /\]\(([^):#]+)(?:#[^)]*)?\)/g) {
			push @broken, $1 if !-e "$from/$1";
		}
		# code spans that are a path of the tree
		while ($text =~ m{`((?:arch|check|doc|include|lib|tests)/[\w./-]+)`}g) {
			my $path = $1;

			# a stand-in such as NAME_test.c or arch/ARCH
			next if $path =~ m{(?:\A|[/_])[A-Z]+(?:[/._]|\z)};
			# a port's own, or what is built
			push @broken, $path
				if !grep { -e } map { glob("$_/$path") }
				$dir, "$dir/arch/*", "$dir/build/*";
		}
		result(!@broken, "$document: all files that it names are there",
		       @broken);
	}
}

# ---- what a port provides ----

sub check_port_guide {
	my ($dir) = @_;
	my $guide = slurp("$dir/arch/README.md");
	my $header = slurp("$dir/include/arch.h");
	my @ports = glob("$dir/arch/*/include/guest_arch.h");

	$header .= slurp($_) for @ports;
	$header =~ s{/\*.*?\*/}{}sg;
	my %names = map { $_ => 1 }
		$header =~ /^\S.*?\b(arch_\w+)(?:\(|\[\];)/mg;
	my @missing = grep { $guide !~ /`\Q$_\E(?:\(\)|\[\])`/ }
		sort keys %names;
	result(@ports && %names > 20 && !@missing,
	       'arch/README.md has all of include/arch.h and guest_arch.h',
	       "@missing");
}

# ---- the same judgements of what is wrong ----

sub check_that_it_fails {
	my ($dir) = @_;
	my ($status) = run($dir, "true\nfalse\ntrue");
	my ($program) = benchmark($dir, $benchmarks[0]);
	my %declared = declared_options("| `-z, --never LIST` | x |\n");
	my ($command) = commands_of("so `$benchmarks[0] --never` goes");
	my ($refused) = run($dir, "$program --never --help");

	for my $wrong ('kvmeter ab --set-c a.b=1 page_table_test', 'kvmeter ab --opt-b "--never 1" '
		       . 'page_table_test', 'kvmeter ab --same walk_test', 'kvmeter bisect recall',
		       'kvmeter bisect record --run "~/kvmeter/tools/bisect/boot-ether x"',
		       'kvmeter bisect record --run "x -- page_table_test --never"') {
		my ($found) = shown_commands("so\n\n    $wrong\n\n");

		result($found eq $wrong && command_faults($dir, $found),
		       "what is shown and cannot be is noticed: $wrong");
	}
	my @found = shown_commands("```console\n\$ git bisect run kvmeter bisect \\\n\tstep\nout\n```\n");
	result("@found" eq 'kvmeter bisect step', 'a line that goes on in the next', @found);
	result($status != 0, 'a block that fails in the middle is noticed');
	result($declared{'-z'} && $declared{'--never'},
	       'an option that does not exist is noticed');
	result($command eq "$benchmarks[0] --never" && $refused != 0,
	       'a command line that is refused is noticed');
}

if (!-w '/dev/kvm') {
	print "1..0 # SKIP /dev/kvm cannot be used here\n";
	exit 0;
}

my $dir = fresh_copy();

run_blocks($dir);
check_options($dir);
check_commands($dir);
check_shown($dir);
check_links($dir);
check_port_guide($dir);
check_that_it_fails($dir);
print "1..$printed\n";
exit($failed != 0);
