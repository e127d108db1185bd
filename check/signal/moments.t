#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# Signals at random moments, to all benchmarks and the commands of kvmeter: each
# ends at once, by the status that tells of the signal, and leaves nothing behind:
# no file, process or control group, no setting of the host that is not what it
# was, no results and no KTAP that could be taken for whole. After SIGKILL and
# SIGQUIT, which let nobody tidy up, the next run is not disturbed, and does it.
#
# KVMETER_SEED repeats the moments of a run that says so. KVMETER_LONG: 320 of them, else 24.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../harness";
use Cwd qw(abs_path);
use Harness;
use HostState;
use Moments;
use POSIX qw(uname);
use Test::More;
use Time::HiRes qw(time);

host_lacks();
my $own = have_own_world();
my $long = $ENV{KVMETER_LONG};
my $seed = $ENV{KVMETER_SEED} // int(time * 1000) % 1_000_000_007;
my $nr = $ENV{KVMETER_MOMENTS} // ($long ? 320 : 24);
my @signals = qw(HUP INT TERM KILL QUIT PIPE);
my $ttl = '/proc/sys/net/ipv4/ip_default_ttl';
my $out = abs_path($ENV{KVMETER_OUT} // 'build/' . (uname())[4]);
my $tool = "$out/tools/kvmeter/kvmeter";

# ---- what gets the signals ----

sub benchmark {
	my ($name, @options) = @_;

	return { name => $name, kind => 'ktap',
		 command => [binary("tests/$name"), '-J', 'r.json', @options] };
}

my @rows = (
	benchmark('page_table_test', qw(-b 2M -R 4)),
	benchmark('dirty_log_perf_test', qw(-b 1M -R 3 --log-mode all)),
	benchmark('dirty_log_test', qw(-b 64K)),
	benchmark('memslot_zap_test', qw(-b 256K -R 2 -v 2 --op), 'toggle,none,move'),
	benchmark('tlb_stress_test', qw(--processes 2 -R 2 --warmup 0)),
	benchmark('async_pf_test', qw(-b 64K -R 2 --warmup 0)),
);

# Signals of the commands have files to read: of benchmarks that were not disturbed.
my $in = scratch('in');

sub make_results {
	my $bench = binary('tests/page_table_test');

	mkdir($in);
	mkdir("$in/good");
	for my $file (qw(a b good/1 good/2 good/3)) {
		my $r = run([$bench, '-J', "$in/$file.json", qw(-b 64K -R 6 --warmup 0)]);

		$r->{code} == 0 or BAIL_OUT("page_table_test: $r->{out}$r->{err}");
	}
	write_file("$in/small.suite", "tables: page_table_test -b 64K -R 2\n"
		. "zap: memslot_zap_test -b 64K -R 2 --op toggle\nagain: page_table_test -b 1M -R 2\n");
}

sub command {
	my ($kind, @arguments) = @_;
	my %more = ref $arguments[-1] ? %{ pop @arguments } : ();

	return { name => "kvmeter $arguments[0]", kind => $kind, %more,
		 command => [$tool, @arguments] };
}

sub commands {
	my @two = ("$in/a.json", "$in/b.json");
	my @hook = ('--run', join(' ', binary('tests/page_table_test'),
				  qw(-b 64K -R 3 --warmup 0 -J {})));

	my @record = (qw(bisect record --threshold 400 --metric create --max-runs 3 --good),
		      "$in/good", @hook);

	$ENV{KVMETER_TESTS} = "$out/tests";
	return (
		command('run', 'run', "$in/small.suite", qw(-o out --resume --junit out.xml),
			{ codes => [1], keeps => ['out', 'out/.*\.(?:json|ktap|stderr)', 'out/index',
						  'out\.xml'] }),
		command('text', qw(ab page_table_test -n 3),
			$own ? ('--set-a', "$ttl=70", '--set-b', "$ttl=80") : '--same',
			qw(-- -b 64K), { codes => [1] }),
		command('json', qw(noise -n 5 -f json page_table_test -- -b 64K)),
		command('json', 'compare', '-f', 'json', @two, { codes => [1] }),
		command('html', 'report', @two),
		command('text', 'report', '-o', 'page.html', @two, { keeps => ['page\.html'], says => 0 }),
		command('text', 'bisect', 'step', { codes => [1, 125], unread => 128,
			keeps => ['\.kvmeter-bisect', '\.kvmeter-bisect\.log',
				  '\.kvmeter-bisect\.results', '\.kvmeter-bisect\.results/[^.].*'],
			prepare => sub { run([$tool, @record]) } }),
		command('text', @record, { keeps => ['\.kvmeter-bisect'] }),
		command('text', 'doctor', { codes => [1, 4] }),
	);
}

# A memory control group of its own, and a limit: what a benchmark changes most. Swap
# is the host's, so that a check which is in a hurry leaves it alone.
my $swap = scratch('swap');
if ($long && $own && !system("dd if=/dev/zero of=$swap bs=1M count=64 2>/dev/null && "
	. "chmod 600 $swap && mkswap $swap >/dev/null && swapon $swap")) {
	push @rows, { %{ benchmark('async_pf_test', qw(--slow swap -b 16M -R 1 --warmup 0)) },
		      name => 'async_pf_test, swapped' };
}
my $main = $$;

# The kernel refuses while a control group has no room for what comes back.
sub remove_swap {
	my $until = time + 120;

	return 1 if !-e $swap;
	while (system("swapoff $swap 2>/dev/null") && text_of('/proc/swaps') =~ m{^\Q$swap\E }m) {
		return 0 if time > $until;
		sleep 1;
	}
	return unlink($swap);
}

$SIG{TERM} = sub { exit 143 };
END { remove_swap() if defined $main && $$ == $main }

if (-x $tool) {
	make_results();
	push @rows, commands();
}

# ---- none is disturbed ----

my (%seconds, @usable);

for my $row (@rows) {
	my $r = undisturbed($row);
	my $name = "@{ $row->{command} }[1 .. 1]";

	$row->{seconds} = $r->{seconds};
	is(join("\n", @{ $r->{faults} }), '', sprintf('%s: %.1f s, nothing is left', $row->{name},
		$r->{seconds})) or diag("@{ $row->{command} }\n$r->{out}$r->{err}");
	push @usable, $row if !@{ $r->{faults} };
}

# ---- at random moments ----

my (%found, %count, @after);

srand($seed);
diag("KVMETER_SEED=$seed");
for my $i (0 .. $nr - 1) {
	my $row = $usable[$i % @usable];
	my $signal = $signals[($i / @usable + $i) % @signals];
	my $at = rand($row->{seconds} * 1.02);
	my $r = trial($row, $signal, $at);
	my $what = sprintf('%s: SIG%s after %.3f s', $row->{name}, $signal, $at);

	$count{$signal}++;
	push @after, $r->{after} if defined $r->{after} && $signal ne 'PIPE';
	$found{left}++ if @{ $r->{left} };
	next if !@{ $r->{faults} };
	$found{faults}++;
	diag("$what: moment $i of KVMETER_SEED=$seed:\n  ", join("\n  ", @{ $r->{faults} }),
	     "\n@{ $row->{command} }\n$r->{out}--\n$r->{err}");
	fail($what);
}
ok(remove_swap(), 'swap is as it was');
@after = sort { $a <=> $b } @after;
diag(sprintf("%d moments (%s) of %d programs: %d faults; to the end it took %.0f ms as a median, "
	. '%.0f ms at most; %d left files that the next run removed', $nr,
	join(', ', map { "$count{$_} $_" } sort keys %count), scalar @usable, $found{faults} // 0,
	1000 * $after[@after / 2], 1000 * $after[-1], $found{left} // 0));
is($found{faults} // 0, 0, "$nr moments: nothing is wrong afterwards");

# ---- the judgement above can fail ----

my $ktap = 'printf "KTAP version 1\n1..2\nok 1 - a\n"';
my $ready = ': >$READY';
# waits for the signal; the next run, which finds the file, does not
my $hold = "[ -e \$READY ] || { $ready; exec sleep 10; }";
my @wrong = (
	# what it does, what it prints, signal, what is said of it; sh, within 10 s
	['leaves a file', "touch left.tmp; $hold", 'text', 'TERM', qr/^leaves left\.tmp$/m],
	['leaves a directory in TMPDIR', "mkdir \$TMPDIR/left; $hold", 'text', 'HUP',
	 qr{^leaves tmp/left$}m],
	['ignores the signal', "trap '' TERM; $ready; sleep 2.5", 'text', 'TERM', qr/^does not end within 2 s/m],
	['takes its time', "trap 'sleep 2.2; exit 130' INT; $ready; sleep 10 & wait", 'text', 'INT',
	 qr/^does not end within 2 s/m],
	['goes on to its end', "trap '' TERM; $ready; sleep 1.5; echo done", 'text', 'TERM', qr/^exit code 0/m],
	['says nothing and passes', "trap 'exit 0' TERM; $ready; sleep 10 & wait", 'text', 'TERM', qr/^exit code 0/m],
	['ends by another code', "trap 'exit 1' INT; $ready; sleep 10 & wait", 'text', 'INT', qr/^exit code 1/m],
	['cuts KTAP', "$ktap; $hold", 'ktap', 'TERM', qr/^KTAP is cut without a word$/m],
	['passes with half of its KTAP', "$ktap; trap 'exit 0' TERM; $ready; sleep 10 & wait", 'ktap', 'TERM',
	 qr/^exit code 0/m],
	['prints half an object', 'printf "{ \"a\":"; ' . $hold, 'json', 'TERM', qr/^half a JSON object/m],
	['prints half a page', "echo '<html>'; $hold", 'html', 'HUP', qr/^half a page/m],
	['writes half a file', 'printf "{ \"verdict\": \"pass\"" >r.json; ' . $hold, 'text', 'KILL',
	 qr/^r\.json is half a file$/m],
	['writes results that pass', 'echo "{ \"verdict\": \"pass\" }" >r.json; trap "exit 143" TERM; ' . "$ready; sleep 10 & wait",
	 'text', 'TERM', qr/^r\.json says pass, though it ended by 143$/m],
	['is in the way of the next run', "[ ! -e busy ] || exit 3; touch busy; $hold; rm busy; echo", 'text',
	 'KILL', qr/^the next run: exit code 3/m],
	['leaves what the next run does not remove', "touch \$\$.tmp; $hold; rm \$\$.tmp; echo", 'text', 'KILL',
	 qr/^the next run leaves \d+\.tmp$/m],
);
push @wrong, (
	['leaves a process', "setsid sleep 60 & echo \$! >tmp/pid; $hold", 'text', 'TERM', qr/^processes: '.*sleep/m,
	 sub { kill('KILL', read_file(scratch('trial/tmp/pid'))) }],
	['changes a setting', "echo 99 >$ttl; $hold", 'text', 'TERM', qr/^\Q$ttl\E: '99', was/m,
	 sub { system("echo 64 >$ttl") }],
	['changes one, and dies', "echo 99 >$ttl; $hold", 'text', 'KILL', qr/^\Q$ttl\E: '99', was/m,
	 sub { system("echo 64 >$ttl") }],
	['leaves shared memory', "touch /dev/shm/left; $hold", 'text', 'QUIT', qr{^/dev/shm: '/dev/shm/left'}m,
	 sub { unlink('/dev/shm/left') }],
	['leaves a mount', "mount -t tmpfs none \$TMPDIR; $hold", 'text', 'INT', qr/^mounts: /m,
	 sub { system('umount', scratch('trial/tmp')) }],
	['leaves a control group', 'mkdir ' . (own_group() // '') . "/home/left; $hold", 'text', 'INT',
	 qr/^control groups: 'home left'/m, sub { rmdir(own_group() . '/home/left') }],
) if $own && own_group();
for my $case (@wrong) {
	my ($name, $script, $kind, $signal, $fault, $undo) = @$case;
	my $row = { name => $name, kind => $kind, settle => 0.1, tells => 1,
		    command => ['/bin/sh', '-c', $script] };

	like(join("\n", @{ trial($row, $signal, 0)->{faults} }), $fault, "noticed: it $name");
	$undo->() if $undo;
}
# and what is as it should be is not noticed
my $good = { name => 'good', kind => 'ktap', tells => 1, command => ['/bin/sh', '-c', 'trap \'echo "Bail out! told"; '
	. 'rm -f mine; exit 143\' TERM; touch mine; ' . "$ktap; $ready; sleep 10 & wait"] };
is(join("\n", @{ trial($good, 'TERM', 0)->{faults} }), '', 'an orderly end is none of these');
done_testing();
