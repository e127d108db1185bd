#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# Directories of kvmeter run are compared entry by entry, and what they lack is
# told. The benchmarks are made up.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use MadeUp;
use Suites;
use Test::More;

# One benchmark, which is a tenth slower over pages; --slow: everything is.
for my $name (qw(pages blocks)) {
	for my $speed (qw(usual slow)) {
		my $middle = ($name eq 'pages' ? 1100 : 1000) * ($speed eq 'slow' ? 2 : 1);

		results("results/$name-$speed.json", [metric('create', runs($middle * 1000, 1, 9))],
			bench => 'both_test', config => { backing => $name }, checks => [$checks[0]]);
	}
}
fake('both', $ok, "case \"\$*\" in *slow*) speed=slow ;; *) speed=usual ;; esac
case \"\$*\" in *blocks*) what=blocks ;; *) what=pages ;; esac
results $here/results/\$what-\$speed.json");
my $suite = "pages: both_test\nblocks: both_test -s blocks\nhuge: skip_test\nbroken: crash_test\n";

for my $n (1, 2) {
	run_suite($suite, '-q', '-o', "old-$n");
	run_suite($suite, '-q', '-o', "new-$n", '--', '--slow');
	for my $side (qw(old new)) {
		mkdir($side);
		rename("$side-$n", "$side/$n") or die "$side/$n: $!\n";
	}
}

my ($out, $err, $code) = kvmeter('compare', 'old/1', 'new/1');
is("$code$err", '1', 'a suite against another: slower');
is_deeply([$out =~ /^(\w+: both_test .*), A to B$/mg],
	['pages: both_test vcpus=1 bytes=64M', 'blocks: both_test vcpus=1 bytes=64M'],
	'... entry by entry, in the order of the suite') or diag($out);
is(() = $out =~ /^create .* \+100\.0% .* slower$/mg, 2, '... each with its own figures');
like($out, qr/^warning: left out of $_: huge: it was skipped$/m, "$_: a skip is told") for qw(A B);
like($out, qr/^warning: left out of $_: broken: it has left no results$/m, "$_: ... and a crash") for qw(A B);
unlike($out, qr/^differs: /m, '... entries are not taken for one experiment');
is_deeply([wide_lines($out)], [], '... 72 columns');

($out, $err, $code) = kvmeter('compare', 'old', 'new');
is($err, '', 'several suites a side');
like($out, qr/^   Linux 6\.18\.1, 18 runs, 1 boot$/m, '... are merged');
is(() = $out =~ /^warning: left out of A: huge: /mg, 1, '... and what they lack is told once');
($out, $err, $code) = kvmeter('compare', 'old/1', 'old/2');
is($code, 0, 'the same: exit 0');

run_suite("pages: both_test\nbad: fail_test\n", qw(-q -o failed));
(undef, $err, $code) = kvmeter('compare', 'old/1', 'failed');
is($code, 2, 'a suite with a failure: exit 2');
like($err, qr{failed/bad\.json: not ok: create: mappings \(--failed}, '... named');
($out, $err, $code) = kvmeter('compare', '--failed', 'old/1', 'failed');
is($code, 0, '... taken when asked for');
like($out, qr/^warning: only in A: blocks: both_test vcpus=1 bytes=64M\s+create$/m, '... what is in one alone is told');

run_suite("huge: skip_test\n", qw(-q -o nothing));
(undef, $err, $code) = kvmeter('compare', 'old/1', 'nothing');
is($code, 2, 'a suite of skips: exit 2');
like($err, qr/nothing: nothing was measured/, '... named');

my ($page) = kvmeter('report', '--no-figures', 'old/1');
like($page, qr/<h2[^>]*>blocks: both_test</, 'a page has entries apart');
like($page, qr/broken: it has left no results/, '... and tells what is missing');

# without its index it is a directory like others
unlink('old/1/index');
(undef, $err, $code) = kvmeter('compare', 'old/1', 'new/1');
like($err, qr{old/1/huge\.json: nothing was measured}, 'without an index: files like others');
done_testing();
