#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# Standard input, output and error that are closed, full, or read by nobody: what
# cannot be said is an error, what can be kept is kept, and no file of results gets
# a descriptor that somebody prints to.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../harness";
use Harness;
use Resource;
use Test::More;

host_lacks();
my %stream = (
	'stdin closed' => ['<&-', 0], 'stderr closed' => ['2>&-', 0],
	'stdout closed' => ['>&-', 1, qr/writing the report: the output is full or closed/],
	'stdout full' => ['>/dev/full', 1, qr/writing the report: the output is full or closed/],
	'stderr full' => ['2>/dev/full', 0],
	'stdin and stdout closed' => ['<&- >&-', 1, qr/writing the report/],
	'stdout and stderr closed' => ['>&- 2>&-', 1], 'all closed' => ['<&- >&- 2>&-', 1],
	'stdout a pipe that nobody reads' => ['> >(exec <&-)', 1, qr/writing the report/],
	'stdout a directory' => ['</ ', 0],
);
my $until_unread = "(trap '' PIPE; while printf x; do sleep 0.01; done) 2>/dev/null";
for my $what (sort keys %stream) {
	my ($how, $code, $says) = @{ $stream{$what} };
	my $in = { shell => ($says && $how =~ />\(/ ? "exec 8>&1; exec $how; $until_unread; exec \"\$@\""
						    : "exec \"\$@\" $how") };

	# what has been measured is not lost with the text
	benchmarks([$what, $in, [], $code, $says, tap => $code == 0, silent => 1, verdict => 'pass',
		all => $what eq 'all closed'],
		   ["$what, --help", $in, ['--help'], $code, $code && $says ? qr/the output is full or closed/ : undef,
		tap => 0, no_json => 1, silent => 1, of => ['page_table_test']]);
}

# ---- the tool ----

my $dir = scratch('tool');
my @json = two_results($dir, 3);
my $page_table_test = placed('tests/page_table_test');
write_file("$dir/one.suite", "one: page_table_test -b 256K -R 1 --warmup 0\n");
$ENV{KVMETER_TESTS} = binary('tests/page_table_test') =~ s{/[^/]*\z}{}r;
my %command = (
	list => ['list'], doctor => ['doctor'], compare => ['compare', @json],
	run => ['run', '-o', "$dir/R", "$dir/one.suite"], help => ['help'], version => ['--version'],
	ab => ['ab', qw(--same -n 5 -R 1 --warmup 0), $page_table_test, '--', '-b', '64K'],
	noise => ['noise', qw(-n 5 -R 1 --warmup 0), $page_table_test, '--', '-b', '64K'],
	report => ['report', '--no-figures', '-o', '-', @json],
);
my @ways = $long ? sort keys %stream : ('stdout closed', 'stdout full', 'all closed', 'stderr full', 'stdin closed');
for my $name (sort keys %command) {
	next if !$long && $name =~ /^(?:ab|noise)$/;
	for my $what (@ways) {
		my ($how, $code, $says) = @{ $stream{$what} };
		next if $how =~ />\(/;

		system('rm', '-rf', "$dir/R");
		tool([$what, { shell => "exec \"\$@\" $how" }, $command{$name}, $code,
			$says && qr/standard output: (?:Bad file descriptor|No space left on device)/]);
		ok(-s "$dir/R/one.json" && -s "$dir/R/results.ktap", '... and results are kept')
			if $name eq 'run';
	}
}
report_tried();
done_testing();
