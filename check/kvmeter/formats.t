#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# The forms of a comparison: text as it was once approved, JSON and XML that
# other programs read, Markdown with as many cells in each row.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use JSON::PP;
use MadeUp;
use Test::More;

my $awkward = 'create_<&"|*';

results('before <&"|.json', [
	metric($awkward, runs(100e6, 1, 9)), metric('update', runs(7000, 0.5, 9)),
	metric('adjust', runs(3e9, 40, 9)), metric('idle', [(0) x 9])]);
results('after.json', [
	metric($awkward, runs(120e6, 1, 9)), metric('update', runs(7010, 0.5, 9)),
	metric('adjust', runs(3e9, 30, 9)), metric('idle', [1 .. 9])],
	config => { backing => 'anonymous_thp' }, started => '2026-11-30T10:00:00Z');
my @sides = ('before <&"|.json', 'after.json');

sub form {
	my ($name) = @_;
	my ($out, $err, $code) = kvmeter('compare', '--format', $name, @sides);

	is("$code$err", '1', "$name: exit 1 for what is slower");
	return $out;
}

# ---- text ----

sub approved {
	open(my $in, '<', "$top/check/kvmeter/golden/compare.txt") or die "golden: $!\n";
	local $/;
	return scalar <$in>;
}

is(form('text'), approved(), 'text as in check/kvmeter/golden/compare.txt');

# ---- JSON ----

sub json_faults {
	my ($text) = @_;
	my $json = eval { decode_json($text) } or return "no JSON: $@";
	my %verdicts = map { $_->{metric} => $_->{verdict} }
		@{ $json->{pairs}[0]{comparisons} };
	my ($create) = @{ $json->{pairs}[0]{comparisons} };
	my ($low, $high) = @{ $create->{interval} };
	my @faults;

	push @faults, 'schema' if $json->{schema} ne 'kvmeter-compare/1';
	push @faults, 'verdicts' if join(' ', map { "$_: $verdicts{$_}" } sort keys %verdicts)
		ne "adjust: can't tell $awkward: slower idle: slower update: same";
	push @faults, 'change' if abs($create->{change} - 0.2) > 0.001;
	push @faults, 'interval' if !($low < 0.2 && 0.2 < $high && $low > 0.15 && $high < 0.25);
	push @faults, 'p' if !($create->{p} < 0.001 && $create->{p_adjusted} >= $create->{p});
	push @faults, 'infinite' if defined $json->{pairs}[0]{comparisons}[3]{change};
	push @faults, 'differences' if $json->{pairs}[0]{differences}[0]{after} ne 'anonymous_thp';
	push @faults, 'operand' if $json->{sides}[0]{operand} ne $sides[0];
	push @faults, 'files' if $json->{sides}[0]{files}[0] ne $sides[0];
	return @faults;
}

my $json = form('json');
is(join(' ', json_faults($json)), '', 'json: read and right');
isnt(join(' ', json_faults($json =~ s/"slower"/"same"/r)), '', 'json: a wrong verdict is noticed');
like((json_faults(substr($json, 0, -10)))[0], qr/no JSON/, 'json: half of it is noticed');

# Paths in no encoding: each bad byte becomes U+FFFD, and nothing is lost.
results("bad\xff.json", [metric('update', runs(7000, 0.5, 9))]);
my ($bad, $bad_err, $bad_code) = kvmeter('compare', '-f', 'json', "bad\xff.json", 'after.json');
is("$bad_code$bad_err", '0', 'a path that is not UTF-8: exit 0');
$bad = eval { decode_json($bad) } // {};
is(join(' ', map { "$_->{name}: $_->{operand} @{ $_->{files} }" } @{ $bad->{sides} // [] }),
	"A: bad\x{fffd}.json bad\x{fffd}.json B: after.json after.json", '... and both sides');

# ---- JUnit ----

# Counts as Python's XML parser sees them, or its error.
sub xml_summary {
	my ($text) = @_;

	write_text('junit.xml', $text);
	write_text('read.py', <<'PYTHON');
import xml.etree.ElementTree as E
try:
    root = E.parse("junit.xml").getroot()
    suite = root.find("testsuite")
    cases = suite.findall("testcase")
    print(root.tag, suite.get("tests"), suite.get("failures"), suite.get("skipped"),
          len(cases), len(suite.findall("*/failure")), len(suite.findall("*/skipped")),
          cases[0].get("name"))
except E.ParseError as e:
    print("no XML:", e)
PYTHON
	my $summary = `python3 read.py`;
	chomp $summary;
	return $summary;
}

my $junit = form('junit');
is(xml_summary($junit), "testsuites 4 2 1 4 2 1 $awkward", 'junit: well-formed, counts agree');
like(xml_summary($junit =~ s/&#34;/"/r), qr/^no XML/, 'junit: a bad quote is noticed');

# ---- Markdown ----

sub cells {
	return scalar(() = $_[0] =~ /(?<!\\)\|/g);
}

my @rows = grep { /^\|/ } split /\n/, form('markdown');
is(scalar(@rows), 6, 'markdown: heading, rule, four metrics');
is(join(' ', map { cells($_) } @rows), join(' ', (8) x 6), 'markdown: as many cells in each');
isnt(cells('| a | b|c |'), cells('| a | b\\|c |'), 'markdown: a bar that is no cell would be noticed');

# ---- a full disk ----

SKIP: {
	skip('no /dev/full', 2) if !-c '/dev/full';
	for my $format (qw(text json)) {
		system("'$tool' compare -f $format after.json after.json >/dev/full 2>/dev/null");
		is($? >> 8, 1, "$format: output that is lost is a failure");
	}
}
done_testing();
