#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# Variables of the environment, and programs that the tool would run: languages
# that write numbers otherwise, no home, no PATH, no environment at all.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../harness";
use Harness;
use Resource;
use Test::More;

host_lacks();
# LOCPATH has languages that nobody has installed, if there is localedef
my $locales = scratch('locales');
my $german = '';
mkdir $locales;
$german = 'de_DE.UTF-8' if !system("localedef -i de_DE -f UTF-8 $locales/de_DE.UTF-8 >/dev/null 2>&1");
my @german = ("LOCPATH=$locales", 'LC_ALL=de_DE.UTF-8');

benchmarks(
	['a language that is not there', { env => [qw(LC_ALL=xx_YY.UTF-99 LANG=nonsense)] }, [], 0],
	['an empty environment', { env => ['-i'] }, [], 0],
	['no HOME, no PATH', { env => [qw(-u HOME PATH=)] }, [], 0],
	['a strict skip from the environment', { env => ['KVMETER_STRICT=1'], limit => ['--nofile=8:8'] }, [], 1,
		qr/a skip is a failure: --strict/],
);
SKIP: {
	skip 'no locale can be made here: apt-get install locales', 2 unless $german;
	benchmarks(['a language with decimal commas', { env => \@german }, [], 0]);
	like(read_file(results()), qr/"verdict": *"pass"/, 'numbers are JSON\'s in any language');
}

# ---- the tool ----

my $dir = scratch('tool');
my @json = two_results($dir, 12);
my $page_table_test = placed('tests/page_table_test');
write_file("$dir/one.suite", "one: page_table_test -b 256K -R 1 --warmup 0\n");
my $tests = 'KVMETER_TESTS=' . binary('tests/page_table_test') =~ s{/[^/]*\z}{}r;
my %command = (
	list => ['list'], doctor => ['doctor'], compare => ['compare', @json],
	run => ['run', '-q', '-o', "$dir/R", "$dir/one.suite"],
	ab => ['ab', qw(--same -n 2 -R 1 --warmup 0), $page_table_test, '--', '-b', '64K'],
	report => ['report', '--no-figures', '-o', "$dir/r.html", @json],
);
my %ways = ('an empty environment' => ['-i', $tests], 'no HOME, no PATH' => [qw(-u HOME PATH=), $tests],
	'a language that is not there' => ['LC_ALL=xx_YY', $tests],
	$german ? ('a language with decimal commas' => [@german, $tests]) : ());
for my $name (sort keys %command) {
	for my $what (sort keys %ways) {
		next if !$long && $name eq 'ab' && $what !~ /^an empty/;
		system('rm', '-rf', "$dir/R");
		tool([$what, { env => $ways{$what} }, $command{$name}, 0]);
	}
}
SKIP: {
	skip 'no locale can be made here: apt-get install locales', 1 unless $german;
	my ($plain, $comma) = map { run([surround({ env => $_ }, placed('tools/kvmeter/kvmeter'), 'compare',
		@json)])->{out} } [$tests], [@german, $tests];
	is($comma, $plain, 'compare says the same in a language with decimal commas');
}
tool(
	['no gnuplot', { env => ['PATH=/nowhere', $tests] }, ['report', '-o', "$dir/f.html", @json], 4,
		qr/gnuplot, which is not here: on Debian apt-get install gnuplot-nox, or ask for (--no-figures)/,
		left => ["$dir/f.html*"], cure => sub { ({ env => ['PATH=/nowhere'] }, $_[0]) }],
	['no benchmarks', { env => ["KVMETER_TESTS=$dir"] }, ['list'], 2, qr/no benchmarks in \Q$dir\E/],
	['no such directory', { env => ['KVMETER_TESTS=/nowhere'] }, ['run', '-o', "$dir/R2"], 2,
		qr{no benchmarks in /nowhere, which KVMETER_TESTS names}],
);

# git only tells the names of commits: a step does without. Real times could have a
# spread that bisect does not take.
my $made_up = read_json($json[0]);
for my $speed (['fast', 1], ['slow', 3]) {
	my ($name, $factor) = @$speed;

	for my $metric (map { @{ $_->{metrics} } } @{ $made_up->{points} }) {
		my $runs = @{ $metric->{samples} };

		$metric->{samples} = [map { $factor * (100_000 + 100 * ($_ % 3)) } 1 .. $runs];
	}
	write_file("$dir/$name.json", JSON::PP->new->encode($made_up));
}
my @state = ('--state', "$dir/state");
tool(
	['no git', { env => ['PATH=/nowhere'] }, ['bisect', 'record', @state, '--good', "$dir/fast.json", '--bad',
		"$dir/slow.json", '--metric', 'create', '--run', "/bin/cp $dir/slow.json {}"], 0],
	['no git', { env => ['PATH=/nowhere'] }, ['bisect', 'step', @state], 1, undef, out => qr/bad/],
);
ok(!-e "$dir/R2", 'and no directory of results is made');
report_tried();
done_testing();
