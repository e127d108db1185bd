#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# kvmeter noise with a benchmark that is made up, whose noise is known, on a host
# whose settings are made up: what it says of both.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use JSON::PP;
use POSIX qw(ceil);
use Test::More;
use MadeUp;

# --shape says how the times of its invocations go on; the N-th is told by log.
write_text('tests/made_test', <<'END');
#!/usr/bin/perl
# kvmeter-describe/1
use strict;
use warnings;

if ("@ARGV" eq '--describe') {
	print '{"schema": "kvmeter-describe/1", "bench": "made_test", "question": "?",',
		' "options": [], "metrics": [], "checks": []}';
	exit 0;
}
my %option = (shape => 'steady', json => undef, runs => 1, warmup => 0);
while (@ARGV) {
	my $word = shift @ARGV;

	next if $word eq '--quiet';
	$word =~ /^--(\w+)$/ && exists $option{$1} or exit 2;
	$option{$1} = shift @ARGV;
}
open(my $log, '>>', 'log');
print $log "\n";
close $log;
my $i = (-s 'log') - 1;
# normal, 2 %, from a generator of its own so that it is the same anywhere
my $state = 12345;
my ($noise, $memory) = (0, 0);
for (0 .. $i) {
	$noise = -6;
	for (1 .. 12) {
		$state = ($state * 1103515245 + 12345) % 2147483648;
		$noise += $state / 2147483648;
	}
	$memory = 0.8 * $memory + $noise;
}
my $middle = 100 * (1 + 0.02 * $noise);
exit 4 if $option{shape} eq 'skip';
$middle *= 1 + 0.02 * $i if $option{shape} eq 'drift';
$middle *= 1.3 if $option{shape} eq 'levels' && $i * 7 % 5 < 2;
$middle = 100 + $memory if $option{shape} eq 'clusters';
$middle *= 3 if $option{shape} eq 'outliers' && $i % 8 == 3;
open(my $to, '>', $option{json});
printf $to '{"schema":"kvmeter/1","bench":"made_test","version":"1.0",'
	. '"started":"2026-11-30T09:00:00Z","boot_id":"1","config":{},'
	. '"host":{"kernel":"6.18.1"},"points":[{"config":{"vcpus":1,"bytes":4096},'
	. '"metrics":[{"name":"create","unit":"ns","better":"lower","samples":[%d],'
	. '"samples_per_run":1},{"name":"constant","unit":"pages","better":"higher",'
	. '"samples":[5],"samples_per_run":1},{"name":"count","unit":"count","better":null,'
	. '"samples":[%d],"samples_per_run":1}],"checks":[]}],"verdict":"pass"}',
	$middle * 1e6, $middle * 1e3;
END
chmod(0755, 'tests/made_test');
$ENV{KVMETER_TESTS} = 'tests';
$ENV{TMPDIR} = '.';

sub noise {
	unlink('log');
	return kvmeter('noise', @_);
}

sub of_shape {
	my ($shape, @arguments) = @_;
	my ($out, $err, $code) = noise('made_test', '-f', 'json', '-n', 20, @arguments, '--',
				       '--shape', $shape);

	is("$code$err", '0', "$shape: exit 0, no complaint");
	return eval { decode_json($out) } // { fault => $@ . $out };
}

# ---- what is said of a metric ----

my %flaws = (steady => '', drift => 'drifts', levels => 'two levels', clusters => 'clusters',
	     outliers => 'outliers');
for my $shape (sort keys %flaws) {
	my $j = of_shape($shape);
	my $m = $j->{metrics}[0];

	is(join(', ', @{ $m->{flaws} // ['?'] }), $flaws{$shape}, "$shape: is seen, and no more")
		or diag(explain($m));
	is($j->{with_itself}{slower} + $j->{with_itself}{faster}, 0,
		"$shape: in turn, it is no change");
}
my $j = of_shape('steady');
my $m = $j->{metrics}[0];

is($j->{schema}, 'kvmeter-noise/1', 'schema');
is($j->{invocations}, 40, '20 pairs are 40 invocations');
is(scalar(@{ $m->{values} }), 40, 'all their values');
cmp_ok(abs($m->{spread} - 0.02), '<', 0.007, "a spread of 2 %: $m->{spread}");
my %least = map { $_->{runs} => $_->{change} } @{ $m->{detectable} };
# doc/statistics.md, for the 2 metrics with a direction between those of 1 and of 5
cmp_ok(abs($least{20} / $m->{spread} - 1.25), '<', 0.1,
	"20 runs show $least{20}: 1.25 times the spread");
ok($least{5} > $least{10} && $least{10} > $least{20} && $least{20} > $least{40},
	'more runs show less');
is($j->{metrics}[1]{spread}, 0, 'a constant has no spread');
is($j->{metrics}[1]{detectable}[0]{change}, 0, '... and what shows is not known');
cmp_ok($j->{metrics}[2]{spread}, '>', 0, 'a count of which neither is better has a spread');
is($j->{metrics}[2]{detectable}[3]{change}, 0, '... and nothing that would show');
is($j->{with_itself}{same} + $j->{with_itself}{"can't tell"}, 2, '... and no verdict');
my $alone = of_shape('steady', '--metric', 'create');
is(scalar(@{ $alone->{metrics} }), 1, '--metric leaves one');
cmp_ok($alone->{metrics}[0]{detectable}[2]{change}, '<', $least{20}, '... of which less shows');
$alone = of_shape('steady', '--threshold', 9);
is($alone->{metrics}[0]{detectable}[3]{change}, 0.09, 'less than the threshold never shows');

# ---- text ----

my ($out, $err, $code) = noise('made_test', '--', '--shape', 'outliers');
is($code, 0, 'text: exit 0');
is(join("\n", grep { length > 80 } split /\n/, $out), '', '80 columns');
like($out, qr/^made_test --shape outliers\n20 invocations in \d+\.\d s\n/, 'what, and how long');
like($out, qr/^create +1\d\d\.\d ms +\d\.\d% +\d+% .*  outliers$/m, 'a row');
like($out, qr/^  create: 3 of 20 are outliers$/m, '... and why');
like($out, qr/^constant +5 +- +- +- +- +-  steady$/m, 'a constant');
like($out, qr/^Meanwhile:\n  steal time +(?:quiet|disturbs) /m, 'what went on');
like($out, qr/^This host:\n  hypervisor +(?:quiet|disturbs) /m, 'what the host is like');
($out, $err, $code) = noise('made_test', '--', '--shape', 'drift');
like($out, qr/^  create: \+\d+\.\d% from first to last \(p /m, 'a drift, how much');
($out, $err, $code) = noise('made_test', '--', '--shape', 'levels');
like($out, qr/^  create: \d+ about (?:9|10)\d?\.\d+ ms, \d+ about 1[23]\d\.\d ms$/m, 'levels, where');
is_deeply([grep { -d } glob('kvmeter-*')], [], 'nothing temporary is left');

# ---- a thousand invocations, whose values are their numbers ----

write_text('count_test', <<'END');
#!/bin/sh
for json; do :; done
read n 2>/dev/null <count || n=0
n=$((n + 1))
echo $n >count
cat >"$json" <<JSON
{"schema":"kvmeter/1","bench":"count_test","version":"1.0","started":"2026-11-30T09:00:00Z",
"boot_id":"1","config":{},"host":{"kernel":"6.18.1"},"points":[{"config":{"vcpus":1,
"bytes":4096},"metrics":[{"name":"create","unit":"ns","better":"lower","samples":[$n],
"samples_per_run":1}],"checks":[]}],"verdict":"pass"}
JSON
END
chmod(0755, 'count_test');
($out, $err, $code) = noise('./count_test', '-n', 500, '-f', 'json');
is("$code$err", '0', 'a thousand: exit 0');
is_deeply($code ? [] : decode_json($out)->{metrics}[0]{values}, [1 .. 1000],
	'... in the order of time');

# ---- what is refused, what fails ----

for my $row ([['no_test'], 2, qr/no_test: no such benchmark/],
	     [['made_test', '-n', 4], 2, qr/--pairs 4: 5 at least/],
	     [['made_test', '-f', 'junit'], 2, qr/junit/],
	     [['made_test', '--metric', 'none'], 2, qr/no metric of this name/],
	     [['made_test', '--', '--shape', 'skip'], 4, qr/invocation 1 \(A\): exit code 4/],
	     [['--', '--shape', 'steady'], 2, qr/page_table_test: no such benchmark/]) {
	my ($arguments, $want, $pattern) = @$row;

	($out, $err, $code) = noise(@$arguments);
	is($code, $want, "@$arguments: exit $want");
	like($err, $pattern, "@$arguments: why");
}

# ---- a host that is made up ----

my $cpu = 'sys/devices/system/cpu';
my $thp = 'sys/kernel/mm/transparent_hugepage';
my %quiet = (
	"$cpu/cpu0/cpufreq/scaling_governor" => 'performance',
	"$cpu/cpu1/cpufreq/scaling_governor" => 'performance',
	"$cpu/intel_pstate/no_turbo" => 1, "$cpu/smt/active" => 0, "$cpu/isolated" => '1',
	"$cpu/nohz_full" => '1', 'sys/devices/system/node/node0/cpulist' => '0-1',
	"$thp/enabled" => 'always [madvise] never', "$thp/defrag" => 'always defer [madvise] never',
	'sys/kernel/mm/ksm/run' => 0,
	'sys/devices/system/clocksource/clocksource0/current_clocksource' => 'tsc',
	'loadavg' => '0.01 0.02 0.00 1/100 1',
	'meminfo' => "MemTotal: 1000000 kB\nMemFree: 1 kB\nMemAvailable: 900000 kB",
	'cpuinfo' => "model name : made up\nflags : fpu",
);
my %disturbs = (
	'frequency governor' => { "$cpu/cpu1/cpufreq/scaling_governor" => 'powersave' },
	'turbo' => { "$cpu/intel_pstate/no_turbo" => 0 },
	'SMT siblings' => { "$cpu/smt/active" => 1 },
	'khugepaged' => { "$thp/enabled" => '[always] madvise never' },
	'THP defrag' => { "$thp/defrag" => '[always] defer madvise never' },
	'KSM' => { 'sys/kernel/mm/ksm/run' => 1 },
	'isolated CPUs' => { "$cpu/isolated" => '' },
	'clock source' => { 'sys/devices/system/clocksource/clocksource0/current_clocksource'
			    => 'hpet' },
	'debugging kernel' => { 'sys/kernel/debug/kmemleak' => '' },
	'load' => { 'loadavg' => '9.50 0.02 0.00 1/100 1' },
	'memory' => { 'meminfo' => "MemTotal: 1000000 kB\nMemAvailable: 90000 kB" },
	'hypervisor' => { 'cpuinfo' => "flags : fpu hypervisor" },
);

# One that takes no time and has no noise.
write_text('tests/quick_test', <<'END');
#!/bin/sh
# kvmeter-describe/1
if [ "$1" = --describe ]; then
	echo '{"schema": "kvmeter-describe/1", "bench": "quick_test", "question": "?",'
	echo ' "options": [], "metrics": [], "checks": []}'
	exit 0
fi
for json; do :; done
cat >"$json" <<'JSON'
{"schema": "kvmeter/1", "bench": "quick_test", "version": "1.0",
 "started": "2026-11-30T09:00:00Z", "boot_id": "1", "config": {}, "host": {"kernel": "6.18.1"},
 "points": [{"config": {"vcpus": 1, "bytes": 4096}, "checks": [], "metrics": [{"name": "create",
 "unit": "ns", "better": "lower", "samples": [1], "samples_per_run": 1}]}], "verdict": "pass"}
JSON
END
chmod(0755, 'tests/quick_test');

# States by name on a host of these files.
sub states {
	my (%files) = @_;

	system('rm', '-rf', 'made');
	write_text("made/$_", "$files{$_}\n") for keys %files;
	my $script = 'mount --bind made/sys /sys; for f in loadavg meminfo cpuinfo; do '
		. '[ ! -e made/$f ] || mount --bind made/$f /proc/$f; done; exec "$@"';
	open(my $from, '-|', 'unshare', '-m', 'sh', '-ec', $script, 'sh', $tool, 'noise', '-n', 5,
		'-f', 'json', 'quick_test') or die "unshare: $!\n";
	local $/;
	my $made = eval { decode_json(<$from>) } // { host => [] };
	return { map { $_->{name} => $_ } @{ $made->{host} } };
}

SKIP: {
	skip('no mount namespace', 1) if system("unshare -m true 2>/dev/null");
	my $host = states(%quiet);

	is_deeply([map { "$_: $host->{$_}{state}" } sort keys %$host],
		[map { "$_: quiet" } sort(keys(%disturbs), 'NUMA balancing')], 'a quiet host')
		or diag(explain($host));
	for my $name (sort keys %disturbs) {
		$host = states(%quiet, %{ $disturbs{$name} });
		is(join(' ', grep { $host->{$_}{state} eq 'disturbs' } keys %$host), $name,
			"$name: disturbs, and it alone") or diag(explain($host));
		ok($host->{$name}{remedy}, "$name: there is a remedy");
	}
	$host = states('sys/none' => '');
	is($host->{$_}{state}, 'unknown', "$_: unknown where there is nothing")
		for 'frequency governor', 'turbo', 'SMT siblings', 'clock source';
}

# ---- meanwhile ----

SKIP: {
	# what disturbs is a twentieth of all CPUs' time: twice as much
	my $nr = ceil(0.1 * `getconf _NPROCESSORS_ONLN`);
	my @pids;

	for (1 .. $nr) {
		push @pids, fork() // die "fork: $!\n";
		next if $pids[-1];
		1 while 1;
	}
	$j = of_shape('steady');
	kill('KILL', @pids);
	waitpid($_, 0) for @pids;
	my ($others) = grep { $_->{name} eq 'load of others' } @{ $j->{meanwhile} };

	skip("/proc/stat does not tell: $others->{seen}", 1) if $others->{state} eq 'unknown';
	is($others->{state}, 'disturbs', "another process is seen: $others->{seen}");
}
done_testing();
