#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# Where results and temporary files go, when they cannot: full, read-only, missing,
# something else, not ours. Refused before anything is measured where that can be
# known; never half a file, never a wait without end.
use strict;
use warnings;
use File::Path qw(make_path remove_tree);
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../harness";
use Harness;
use POSIX qw(mkfifo);
use Resource;
use Test::More;

host_lacks();
my $file = results();
my ($dir) = $file =~ m{(.*)/};
my $place = scratch('place');
my @one = (of => ['page_table_test']);
make_path("$place/dir");
mkfifo("$place/pipe", 0600);
write_file("$place/file", "old\n");

# ---- what --json names; nothing is at the usual place ----

sub named
{
	my ($name, $code, $says) = @_;

	benchmarks(["--json $name", {}, ['-J', $name =~ m{^/} ? $name : "$place/$name"], $code, $says,
		no_json => 1]);
}

my $nothing = qr/: No such file or directory: name a place in a directory that is there/;
named('dir', 2, qr/--json '\S+dir': Is a directory: name a file in it/);
named('dir/', 2, $nothing);
named('none/r.json', 2, $nothing);
named('file/r.json', 2, qr/: Not a directory/);
named('x' x 300, 2, qr/: File name too long/);
named('/proc/r.json', 2, $nothing);
named('/sys/r.json', 2, qr/: Permission denied: name a place/);
named('pipe', 2, qr/: nobody reads this pipe: start its reader first/);
named('/dev/full', 1, qr{--json /dev/full: No space left on device: the results are lost: make room});
named('/dev/null', 0, undef);
is(read_file("$place/file"), "old\n", 'a file in the way is as it was');
is(join(' ', leftovers($place)), 'dir file pipe', 'and no other is there');

# A pipe that is read; its reader must see all, though it was opened long before:
# what sleeps under this name is in the middle of open().
my $said = `(cat $place/pipe > $place/read & while kill -0 \$! && ! grep -q '(cat) S' /proc/\$!/stat; do
	sleep 0.01; done
	@{[ placed('tests/page_table_test') ]} -b 256K -R 1 -q -J $place/pipe; wait) 2>&1`;
is((read_json("$place/read") // {})->{verdict}, 'pass', '--json pipe: its reader has it all') or diag($said);

# ---- a file system that is read-only, or full ----

my $in = "mkdir -p $dir\nmount -t tmpfs -o size=64K none $dir\n";
my $fill = "dd if=/dev/zero of=$dir/fill bs=4K 2>/dev/null || true\n";

# What is left when the command has ended is told from within the namespace.
sub left_in
{
	my ($script) = @_;

	return (shell => "\"\$@\"; code=\$?; $script; exit \$code");
}

SKIP: {
	skip 'namespaces need root', 1 unless is_root();
	my $list = "echo \"left: \$(ls $dir | tr '\\n' ' ')\" >&2";

	benchmarks(
		['--json, read-only', { mount => "${in}mount -o remount,ro $dir\n" }, ['-J', $file], 2,
			qr/: Read-only file system: name a place that can be written/, no_json => 1],
		['--json, disk full', { mount => $in . $fill, left_in($list) }, ['-J', $file], 2,
			qr/: No space left on device: make room there, or name another place.*^left: fill $/ms, no_json => 1],
		['--json, disk filled by it', { mount => "$in${fill}dd if=/dev/zero of=$dir/fill bs=4K count=15 2>/dev/null\n",
			left_in($list) }, ['-J', $file], 1, qr/No space left on device: the results are lost.*^left: fill $/ms,
			no_json => 1],
		['--json, no inode left', { mount => "mkdir -p $dir\nmount -t tmpfs -o nr_inodes=1 none $dir\n" },
			['-J', $file], 2, qr/: No space left on device: make room/, no_json => 1],
		['--json, not ours', { mount => kvm_node(666) . "chmod 700 $place\n", user => 1 },
			['-J', "$place/dir/r.json"], 2, qr/: Permission denied: name a place that this user may write to/,
			no_json => 1],
		['no TMPDIR', { env => ['TMPDIR=/nowhere'] }, [], 0],
		['everything read-only but /dev', { mount => "mount -o remount,ro,bind / 2>/dev/null ||
			{ mount --bind / / && mount -o remount,ro,bind /; }\n" }, [], 0, undef, no_json => 1]);
}

# ---- the tool ----

my $page_table_test = placed('tests/page_table_test');
my @json = two_results($place, 3);
write_file("$place/one.suite", "one: page_table_test -b 256K -R 1 --warmup 0\n");
$ENV{KVMETER_TESTS} = binary('tests/page_table_test') =~ s{/[^/]*\z}{}r;
my @run = ('run', '-q', "$place/one.suite", '-o');
my @report = ('report', @json, '--no-figures', '-o');
my @ab = ('ab', qw(--same -n 2 -R 1 --warmup 0), $page_table_test);
my @mine = ("$place/*.tmp", "$place/dir/*");

tool(
	['--results a file', {}, [@run, "$place/file"], 2, qr/--results \S+file: Not a directory/, left => \@mine],
	['--results below nothing', {}, [@run, "$place/none/R"], 2, qr/--results \S+$nothing/],
	['--junit a directory', {}, [@run, "$place/R1", '--junit', "$place/dir"], 2,
		qr/--junit \S+dir: Is a directory: name a file in it/, left => \@mine],
	['--junit a pipe', {}, [@run, "$place/R2", '--junit', "$place/pipe"], 2,
		qr/--junit \S+pipe: No such device or address: nobody reads this pipe/],
	['--junit a pipe that is read', { shell => "cat $place/pipe >$place/read.xml & exec 9<>$place/pipe;
		\"\$@\"; code=\$?; exec 9>&-; wait; exit \$code" }, [@run, "$place/R4", '--junit', "$place/pipe"], 0, undef],
	['--output a directory', {}, [@report, "$place/dir"], 1, qr/--output \S+dir: Is a directory: name a file in it/],
	['--output a pipe', {}, [@report, "$place/pipe"], 1, qr/--output \S+pipe: .*: nobody reads this pipe/],
	['--output below nothing', {}, [@report, "$place/none/x.html"], 1, qr/--output \S+$nothing/],
	['--output /dev/full', {}, [@report, '/dev/full'], 1, qr{--output /dev/full: No space left on device: make room}],
	['--results a file', {}, [@ab, '--results', "$place/file"], 2, qr/--results \S+: Not a directory/],
	['no TMPDIR', { env => ['TMPDIR=/nowhere'] }, \@ab, 1,
		qr{/nowhere: no temporary directory can be made there: No such file or directory: set TMPDIR},
		cure => sub { ({ env => ["TMPDIR=$place/dir"] }) }, left => \@mine],
	['TMPDIR a file', { env => ["TMPDIR=$place/file"] }, \@ab, 1, qr/no temporary directory.*: Not a directory: set TMPDIR/],
	['an empty TMPDIR', { env => ['TMPDIR='] }, \@ab, 0, undef],
);
like(read_file("$place/read.xml"), qr{<testsuites .*</testsuites>\s*\z}s, '... and its reader has it all');
SKIP: {
	skip 'namespaces need root', 1 unless is_root();
	my $list = "echo \"left: \$(ls $dir | tr '\\n' ' ')\" >&2";
	my $full = $in . $fill;

	tool(
		['a full disk', { mount => $full, left_in($list) }, [@run, "$dir/R"], 1, undef],
		['--junit, a full disk', { mount => $full, left_in($list) }, [@run, "$place/R3", '--junit', $file], 1,
			qr/r\.json: No space left on device: make room there.*^left: fill $/ms],
		['--output, a full disk', { mount => $full, left_in($list) }, [@report, $file], 1,
			qr/--output \S+: No space left on device: make room there.*^left: fill $/ms],
		['--output, read-only', { mount => "${in}mount -o remount,ro $dir\n" }, [@report, $file], 1,
			qr/--output \S+: Read-only file system: name a place that can be written/],
		['--results, read-only', { mount => "${in}mount -o remount,ro $dir\n" }, [@run, "$dir/R"], 2,
			qr/--results \S+: Read-only file system: name a place/],
		['TMPDIR full', { mount => $full, env => ["TMPDIR=$dir"], left_in($list) }, \@ab, 2,
			qr{said nothing: is there room for \Q$dir\E/.*^left: fill $}ms],
		['TMPDIR read-only', { mount => "${in}mount -o remount,ro $dir\n", env => ["TMPDIR=$dir"] }, \@ab, 1,
			qr/no temporary directory can be made there: Read-only file system: set TMPDIR/]);
	SKIP: {
		skip 'no gnuplot', 1 if system('command -v gnuplot >/dev/null 2>&1');
		tool(['TMPDIR full', { mount => $full, env => ["TMPDIR=$dir"], left_in($list) },
			['report', @json, '-o', "$place/x.html"], 1, qr/(?:No space left|is there room).*TMPDIR.*^left: fill $/ms,
			left => ["$place/x.html*"]],
		     ['no TMPDIR', { env => ['TMPDIR=/nowhere'] }, ['report', @json, '-o', "$place/x.html"], 1,
			qr{/nowhere: no temporary directory.*set TMPDIR}, cure => sub { ({ env => ["TMPDIR=$place/dir"] }) }]);
	}
}
report_tried();
done_testing();
