#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# kvmeter compare on results whose truth is known: verdicts, what it says of
# boots, order, hosts and options, and its exit codes.
use strict;
use warnings;
use FindBin;
use JSON::PP;
use lib $FindBin::Bin;
use MadeUp;
use Test::More;

my $ms = 1000000;

# The line of a metric in the table.
sub row {
	my ($text, $metric) = @_;

	return (grep { /^\Q$metric\E / && /  (?:faster|slower|same|can't tell|-)$/ }
		split /\n/, $text)[0] // "no $metric in: $text";
}

# compares(EXIT, A, B, OPTIONS..., [METRIC => PATTERN...]); the table
sub compares {
	my ($what, $code, $arguments, %verdicts) = @_;
	my ($text, $err, $got) = kvmeter('compare', @$arguments);

	is($got, $code, "$what: exit $code") or diag($text, $err);
	is($err, '', "$what: no complaint") if $code < 2;
	for my $metric (sort keys %verdicts) {
		like(row($text, $metric), $verdicts{$metric}, "$what: $metric");
	}
	is(join("\n", wide_lines($text)), '', "$what: 72 columns");
	return $text;
}

# ---- verdicts ----

my @a = (metric('create', runs(100 * $ms, 1, 9)), metric('update', runs(7000, 0.5, 9)),
	 metric('reads', runs(5e6, 1, 9), unit => 'pages', better => 'higher'));
my @b = (metric('create', runs(90 * $ms, 1, 9)), metric('update', runs(7010, 0.5, 9)),
	 metric('reads', runs(4e6, 1, 9), unit => 'pages', better => 'higher'));

results('a.json', \@a);
results('b.json', \@b, started => '2026-11-30T10:00:00Z');
compares('a file and itself', 0, ['a.json', 'a.json'],
	create => qr/\+0\.0%.* (?:same|can't tell)$/, update => qr/same$/);
compares('two files', 1, ['a.json', 'b.json'],
	create => qr/100\.\d ms +90\.\d+ ms +-10\.0% .*-1\d\.\d\.\.-\d\.\d%  faster$/,
	update => qr/ same$/, reads => qr/ 5 M| 5\.\d+ M .*-20\.0%.* slower$/);
compares('the other way round', 1, ['b.json', 'a.json'],
	create => qr/\+11\.1%.* slower$/, reads => qr/\+25\.0%.* faster$/);
compares('one metric that is faster', 0, ['a.json', 'b.json', '--metric', 'create'],
	create => qr/ faster$/);
compares('two of three metrics', 0, ['a.json', '-m', 'create,update', 'b.json'],
	create => qr/ faster$/, update => qr/ same$/);
compares('a threshold above the change', 0, ['-t', '25', 'b.json', 'a.json'],
	create => qr/ same$/);
compares('a threshold below it', 1, ['-t', '5.5', 'b.json', 'a.json'],
	create => qr/ slower$/);
compares('an alpha that so few runs cannot reach', 0,
	['--alpha', '1e-9', 'b.json', 'a.json'], create => qr/ can't tell$/);

results('noisy-a.json', [metric('create', runs(100 * $ms, 30, 9))]);
results('noisy-b.json', [metric('create', runs(104 * $ms, 30, 9))]);
like(compares('a change within the noise', 0, ['noisy-a.json', 'noisy-b.json'],
	      create => qr/ can't tell$/),
	qr/^  create: 9 runs a side can't show less than [1-9]\d% here/m, 'and how much it takes');

# ---- few runs ----

results('three-a.json', [metric('create', runs(100 * $ms, 1, 3))]);
results('three-b.json', [metric('create', runs(200 * $ms, 1, 3))]);
like(compares('three runs', 0, ['three-a.json', 'three-b.json'],
	      create => qr/\+100\.0% +-  can't tell$/),
	qr/3 runs a side can't show any change of 1 figure: it takes 5$/m, 'it takes 5');

my @names = qw(create log_on update log_off adjust);

results('five-a.json', [map { metric($_, runs(10 * $ms, 1, 5)) } @names]);
results('five-b.json', [map { metric($_, runs(($_ eq 'update' ? 5 : 10) * $ms, 1, 5)) } @names]);
like(compares('five runs of five metrics', 1, ['five-b.json', 'five-a.json'],
	      update => qr/\+100\.0%.* slower$/, create => qr/ (?:same|can't tell)$/),
	qr/^Medians of runs\. Joint permutation test of 5 figures/m, '... by the joint test');
results('outlier.json', [metric('create', [@{ runs(100 * $ms, 1, 8) }, 900 * $ms])]);
like(compares('an outlier', 0, ['a.json', 'outlier.json', '-m', 'create']),
	qr/outliers, all kept: 0 of 9 in A, 1 of 9 in B/, 'is named');

# ---- neither less nor more is better ----

my %neither = (unit => 'count', better => undef);
my @zaps = (metric('create', runs(100 * $ms, 1, 9)), metric('zaps', runs(1000, 1, 9), %neither));

results('few.json', \@zaps);
results('many.json', [$zaps[0], metric('zaps', runs(3000, 1, 9), %neither)]);
results('old.json', [$zaps[0], metric('zaps', runs(3000, 1, 9), %neither, better => 'lower')]);
for my $other ('many.json', 'old.json') {
	my $table = compares("a count without direction, $other", 0, ['few.json', $other],
		zaps => qr/\+200\.0% +\+\S+%  -$/, create => qr/ (?:same|can't tell)$/);

	like($table, qr/Holm over 1 figure,.* No verdict\s+\(-\): neither less/s,
		'it takes nothing from the others');
	unlike($table, qr/^  zaps: /m, 'nothing is asked for');
}
compares('old files alone', 0, ['old.json', 'old.json'], zaps => qr/ same$/);
like(compares('nothing else', 0, ['-m', 'zaps', 'few.json', 'many.json'], zaps => qr/ -$/),
	qr/^Medians of runs\. Nothing is judged: /m, 'is no verdict at all');
results('mixed-direction/1.json', \@zaps);
results('mixed-direction/2.json', [$zaps[0], metric('zaps', runs(1000, 1, 9), %neither,
	better => 'lower')]);
compares('files of one side, old and new', 0, ['mixed-direction', 'many.json'], zaps => qr/ -$/);
my ($forms) = kvmeter(qw(compare --format json few.json many.json));
my ($zaps) = grep { $_->{metric} eq 'zaps' }
	@{ decode_json($forms)->{pairs}[0]{comparisons} };
is(join(' ', map { $_ // 'null' } @$zaps{qw(better verdict p p_adjusted)}), 'null null null null',
	'JSON has null');
($forms) = kvmeter(qw(compare --format junit few.json many.json));
like($forms, qr/failures="0" .*name="zaps">\n +<system-out>\d/s,
	'JUnit has its figures');

# ---- rounds ----

results('rounds.json', [metric('create', [map { ($_, $_ + 5 * $ms, $_ + 900 * $ms) }
	map { $_ - 5 * $ms } @{ runs(100 * $ms, 1, 9) }], samples_per_run => 3)]);
compares('the median of its rounds stands for a run', 0,
	['a.json', 'rounds.json', '-m', 'create'], create => qr/100\.\d ms.*\+0\.0%/);

# As many samples as they come to: one, two, one, two ... and part of a tenth run.
my (@unlike, @of_runs);
for my $ns (@{ runs(100 * $ms, 1, 9) }) {
	push @of_runs, 1 + @of_runs % 2;
	push @unlike, @of_runs % 2 ? $ns : ($ns - 50 * $ms, $ns + 50 * $ms);
}
my $unlike = metric('create', [@unlike, 1], samples_of_runs => \@of_runs);

delete $unlike->{samples_per_run};
results('unlike.json', [$unlike]);
like(compares('runs of different lengths', 0, ['a.json', '-m', 'create', 'unlike.json'],
	      create => qr/100\.\d ms.*\+0\.0%.* (?:same|can't tell)$/),
	qr/^   Linux 6\.18\.1, 9 runs, 1 boot$/m, 'are as many runs');

# Nothing tells what belongs to a run, as in older files of such.
my ($whole, $some, $more) = map { metric($_, runs(100 * $ms, 1, 9)) } qw(create call other);

delete $_->{samples_per_run} for $some, $more;
results("partial/$_.json", [$whole, $_ == 2 ? metric('call', [1 .. 9]) : $some, $more]) for 1 .. 3;
my $left = compares('what cannot be used', 0, ['partial', 'partial']);
for my $side (qw(A B)) {
	like($left =~ s/\n +/ /gr, qr/^warning: left out of $side: page_table_test vcpus=1 bytes=64M call, of 2 files: nothing/m,
		'is named');
	like($left =~ s/\n +/ /gr, qr/left out of $side: page_table_test vcpus=1 bytes=64M other, of 3/,
		'of how many files');
}
ok(rindex($left, 'left out') < index($left, "\npage_table_test"), 'above the table');
$left = compares('what was not asked for', 0, ['partial', '-m', 'create,other', 'partial']);
unlike($left, qr/call/, 'is not named');
like($left, qr/^warning: left out of A: page_table_test vcpus=1 bytes=64M other,/m, 'the rest is');

# ---- sweeps, several sides ----

results('sweep.json', \@a, vcpus => [1, 2]);
my $text = compares('a sweep', 1, ['sweep.json', 'b.json']);
like($text, qr/^page_table_test vcpus=1 bytes=64M, A to B$/m, 'has the point in common');
unlike($text, qr/^page_table_test vcpus=2/m, '... and no other');
like($text, qr/only in A: page_table_test vcpus=2 bytes=64M create/, '... which is named');
$text = compares('two sweeps', 0, ['sweep.json', 'sweep.json']);
like($text, qr/^page_table_test vcpus=1 .*^page_table_test vcpus=2 /ms, 'two points');
like($text, qr/Holm over 6 figures/, 'all of them count');
# variants of one experiment: the same one is compared, and it is no difference
results('ring.json', \@a, point => { log_mode => 'ring' }, config => { log_mode => ['ring'] });
results('both.json', \@a, point => { log_mode => 'ring' },
	config => { log_mode => ['ring', 'get-log'] });
$text = compares('variants', 0, ['ring.json', 'both.json']);
like($text, qr/^page_table_test vcpus=1 bytes=64M log_mode=ring, A to B$/m, 'the variant is named');
unlike($text, qr/^differs:/m, '... and what else was measured is no difference');
results('get.json', \@a, point => { log_mode => 'get-log' });
my (undef, $apart, $refusal) = kvmeter('compare', 'ring.json', 'get.json');
is($refusal, 2, 'other variants have nothing in common');
$text = compares('three sides', 1, ['a.json', 'a.json', 'b.json']);
like($text, qr/A to B\n.*A to C\n/s, 'A against the others');

# ---- boots and order ----

my $other_boot = '22222222-2222-2222-2222-222222222222';

like(compares('one boot a side', 1, ['a.json', 'b.json']), qr/one boot only: A, B/,
	'is said');
results('A/1.json', \@a);
results('A/2.json', \@a, boot_id => $other_boot, started => '2026-11-30T11:00:00Z');
results('B/1.json', \@b, started => '2026-11-30T10:00:00Z');
results('B/2.json', \@b, boot_id => $other_boot, started => '2026-11-30T12:00:00Z');
write_text('B/readme.txt', 'no results');
$text = compares('two directories', 1, ['A', 'B'], create => qr/ faster$/);
like($text, qr/^A: A\n   Linux 6\.18\.1, 18 runs, 2 boots$/m, 'merged');
unlike($text, qr/warning/, 'in turn, of several boots: no warning');
like(compares('in a row', 1, ['a.json', 'b.json']), qr/all of A was measured before B/, 'is said');
like(compares('in a row, B first', 1, ['b.json', 'a.json']),
	qr/all of B was measured before A/, 'is said');
results('no-boot.json', \@a, boot_id => undef);
like(compares('an unknown boot', 0, ['no-boot.json', 'a.json']), qr/^   Linux 6\.18\.1, 9 runs, 1 boot$/m,
	'counts as one');

# ---- files whose runs resemble each other ----

# $nr files about $middle, each with a bias of its own up to $percent.
sub biased {
	my ($dir, $middle, $percent, $nr) = @_;

	for my $i (1 .. $nr) {
		my $bias = 1 + $percent / 100 * (($i * 3 % 5) / 2 - 1);

		results("$dir/$i.json", [metric('create', runs($middle * $bias, 1, 7))],
			started => sprintf('2026-11-30T%02d:%02d:00Z', 8 + $i, ($dir =~ /^b/ ? 1 : 0)));
	}
}

biased('a3', 100 * $ms, 20, 3);
biased('b3', 160 * $ms, 20, 3);
$text = compares('three files that differ among themselves', 0, ['a3', 'b3'],
	create => qr/ can't tell$/);
like($text, qr/3 files a side can't show any change of 1 figure: it takes 5$/m, 'it takes five');
like($text, qr/^Medians of files, whose runs are not independent\./m, 'and why');
biased('a3', 100 * $ms, 0.1, 3);
biased('b3', 104 * $ms, 0.1, 3);
unlike(compares('three files that do not', 1, ['a3', 'b3'], create => qr/ slower$/),
	qr/Medians of files/, 'are taken together');
biased('a5', 100 * $ms, 5, 5);
biased('b5', 150 * $ms, 5, 5);
like(compares('five files', 1, ['a5', 'b5'], create => qr/ slower$/), qr/Medians of files/,
	'are always judged by their medians');

# ---- boots whose files resemble each other ----

# $nr files of each boot, which are 0.1 % apart, about $middle plus a bias in percent
# of each boot.
sub booted {
	my ($dir, $middle, $nr, $boots, @biases) = @_;

	for my $i (0 .. $#biases) {
		results("$dir/$i-$_.json", [metric('create', [int($middle
				* (1 + $biases[$i] / 100 + $_ * 7 % 5 / 1000))])],
			boot_id => "$boots-$i", started => sprintf('2026-11-30T%02d:%02d:%02dZ',
				8 + $i, 2 * $_, $dir =~ /^a/ ? 0 : 1)) for 1 .. $nr;
	}
}

booted('a-two', 100 * $ms, 10, 'x', -1, 1);
booted('b-two', 102 * $ms, 10, 'y', -1, 1.5);
$text = compares('two boots that differ', 0, ['a-two', 'b-two'], create => qr/ can't tell$/);
like($text, qr/2 boots a side can't show any change of 1 figure: it takes 5$/m, 'it takes five');
like($text, qr/^Medians of boots, whose files are not independent\./m, 'and why');
unlike($text, qr/warning/, '... and no more');
booted('b-same', 102 * $ms, 10, 'x', -1, 1.5);
$text = compares('the same two boots', 1, ['a-two', 'b-same'], create => qr/ slower$/);
unlike($text, qr/warning|boots, whose/, '... are on both sides');
booted('b-other', 102 * $ms, 10, 'x', -1, 1.5);
unlink("b-other/0-$_.json") for 1 .. 9;
like(compares('the same, but in other parts', 0, ['a-two', 'b-other'], create => qr/ can't tell$/),
	qr/^Medians of boots/m, '... are not');
booted('a-like', 100 * $ms, 10, 'x', 0, 0);
booted('b-like', 102 * $ms, 10, 'y', 0, 0);
$text = compares('two boots that may be alike', 1, ['a-like', 'b-like'], create => qr/ slower$/);
like($text =~ s/\n +/ /gr, qr/^warning: 20 runs from 2 boots in A, 20 runs from 2 boots in B: too few boots to see/m,
	'... with a warning');
booted('a-one', 100 * $ms, 10, 'x', 0);
$text = compares('one boot and two', 1, ['a-one', 'b-like'], create => qr/ slower$/);
like($text =~ s/\n +/ /gr, qr/^warning: 20 runs from 2 boots in B: too few boots/m, '... with a warning');
like($text, qr/one boot only: A;/, '... of each');
booted('a-five', 100 * $ms, 3, 'x', -1, 1, 0, -0.5, 0.7);
booted('b-five', 101.2 * $ms, 3, 'y', -1, 1, 0, -0.5, 0.7);
like(compares('five boots', 0, ['a-five', 'b-five'], create => qr/ can't tell$/),
	qr/^Medians of boots/m, 'are what counts');
booted('b-five', 105 * $ms, 3, 'y', -1, 1, 0, -0.5, 0.7);
unlike(compares('five boots, and a change', 1, ['a-five', 'b-five'], create => qr/ slower$/),
	qr/warning/, 'which is seen');
($text) = kvmeter('compare', '-f', 'json', 'a-five', 'b-five');
like($text, qr/"values_are": "boots"/, '... by boots');
results("many-$_/$_-$_.json", [metric('create', runs(($_ eq 'a' ? 100 : 104) * $ms, 1, 9))],
	boot_id => "$_-1") for 'a', 'b';
results("many-$_/2.json", [metric('create', runs(($_ eq 'a' ? 100 : 104) * $ms, 1, 9))],
	boot_id => "$_-2") for 'a', 'b';
like(compares('two files of two boots', 1, ['many-a', 'many-b'], create => qr/ slower$/) =~ s/\n +/ /gr,
	qr/^warning: 18 runs from 2 boots in A, 18 runs from 2 boots in B: too few boots/m,
	'runs of a boot are no more independent');

# ---- what differs ----

results('thp.json', \@a, config => { backing => 'anonymous_thp', runs => 12 });
$text = compares('another option', 0, ['a.json', 'thp.json']);
like($text, qr/^differs: backing: anonymous in A, anonymous_thp in B$/m, 'is named');
unlike($text, qr/differs: runs/, 'the number of runs is none');
results('host.json', \@a, version => '1.1', host => { cpu => 'another', kernel => '6.19',
	kvm => { module => 'kvm_intel', parameters => { 'kvm.tdp_mmu' => 'N', 'kvm.new' => '1' } } });
$text = compares('another host', 0, ['a.json', 'host.json']);
like($text, qr/^differs: host\.cpu: made up in A, another in B$/m, 'its CPU');
like($text, qr/^differs: kvm\.tdp_mmu: Y in A, N in B$/m, 'a parameter of KVM');
like($text, qr/^differs: kvm\.new: none in A, 1 in B$/m, 'one that is new');
like($text, qr/^differs: kvmeter: 1\.0 in A, 1\.1 in B$/m, 'kvmeter itself');
like($text, qr/^   Linux 6\.19, /m, 'the kernel stands with its side');
unlike($text, qr/differs: \S*kernel/, '... and is the purpose');

# Any file of a side, not only the first one.
for my $side (0, 1) {
	for my $odd (0 .. 2) {
		for my $file (0 .. 2) {
			results("odd-$side-$odd/" . qw(a b)[$_] . "/$file.json", \@a,
				host => { cpu => $_ == $side && $file == $odd ? 'odd' : 'made up' })
				for 0, 1;
		}
		($text) = kvmeter('compare', "odd-$side-$odd/a", "odd-$side-$odd/b");
		like($text, $side ? qr/^differs: host\.cpu: made up in A, odd in B$/m
				  : qr/^differs: host\.cpu: odd in A, made up in B$/m,
			"file $odd of side $side has another CPU");
	}
}
results('mixed/1.json', \@a);
results('mixed/2.json', \@a, host => { cpu => 'another' });
like(compares('a side of two hosts', 0, ['mixed', 'mixed']),
	qr/files of A differ in host\.cpu/, 'is warned of');

# ---- width ----

my $long = 'a_metric_with_a_name_that_fills_more_than_a_column_of_any_table_ever';
results("\xc3\xa4" x 60 . '.json', [metric($long, runs(12345678, 1, 9))],
	config => { backing => '/' . 'long/' x 30 });
compares('long names', 0, ["\xc3\xa4" x 60 . '.json', "\xc3\xa4" x 60 . '.json']);
results('zero.json', [metric('create', [(0) x 9]), metric('update', runs(7e9, 1, 9))]);
compares('from nothing and to a thousand times', 1, ['zero.json', 'a.json'],
	create => qr/ 0 ns .*from 0 +-  slower$/);
compares('far apart', 1, ['-m', 'update', 'a.json', 'zero.json'],
	update => qr/ x1 M  *x\S+\.\.x\S+  slower$|  slower$/);
is(scalar(wide_lines("-" x 73 . "\n" . "-" x 72)), 1, 'a wide line would be noticed');

done_testing();
