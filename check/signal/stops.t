#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# Programs that are stopped (SIGSTOP, later SIGCONT) at random moments, for longer
# than any deadline: nobody takes that for a guest that hangs, the verdict is that
# of an undisturbed run, and a sample whose time contains a stop is told of. A child
# of kvmeter that stays stopped ends at its time limit, by its name.
#
# KVMETER_SEED repeats the moments of a run that says so. KVMETER_LONG: more of them.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../harness";
use Cwd qw(abs_path);
use File::Temp qw(tempdir);
use Harness;
use Host;
use JSON::PP;
use POSIX qw(uname);
use Test::More;
use Time::HiRes qw(sleep time);

host_lacks();
my $long = $ENV{KVMETER_LONG};
my $seed = $ENV{KVMETER_SEED} // int(time * 1000) % 1_000_000_007;
my $out = abs_path($ENV{KVMETER_OUT} // 'build/' . (uname())[4]);
my $tool = "$out/tools/kvmeter/kvmeter";
my $json = JSON::PP->new;

# Deadlines of 1 and 4 s: stops are longer.
use constant { HOLD => 2.5, CHILD_LIMIT => 4 };

my @benchmarks = (
	[qw(page_table_test -b 2M -R 4 --warmup 0)],
	[qw(dirty_log_perf_test -b 1M -R 3 --warmup 0 --log-mode all)],
	[qw(dirty_log_test -b 64K)],
	[qw(memslot_zap_test -b 256K -R 2 -v 2 --warmup 0 --op), 'toggle,none,move'],
	[qw(tlb_stress_test --processes 2 -R 2 --warmup 0)],
	[qw(async_pf_test -b 64K -R 2 --warmup 0)],
);

# ---- stopping ----

# A benchmark that measures, and not one that is asked what it knows.
sub program_below {
	my ($pid) = @_;

	return grep { (read_file("/proc/$_/cmdline") // '') =~ /\0--json\0/ } children_of($pid);
}

# A meanwhile for run(): at $at those of $who (self, child) stop, for HOLD.
sub stopper {
	my ($who, $at, $hold, $count) = @_;
	my @stopped;
	my $until;

	return sub {
		my ($pid, $seconds) = @_;

		if (@stopped) {
			return if time < $until;
			kill('CONT', @stopped);
			return 1;
		}
		return if $seconds < $at;
		@stopped = grep { kill('STOP', $_) } ($who =~ /self/ ? $pid : ()),
			$who =~ /child/ ? program_below($pid) : ();
		$$count = @stopped;
		$until = time + $hold;
		return !@stopped && $who =~ /self/;
	};
}

# ---- judging ----

# Samples that a stop has lengthened, and no note.
sub untold {
	my ($results, $hold) = @_;
	my @wrong;

	for my $point (@{ $results->{points} // [] }) {
		my $told = grep { /was stopped/ } @{ $point->{notes} // [] };

		for my $metric (@{ $point->{metrics} }) {
			next if $metric->{unit} ne 'ns' || $told;
			push @wrong, "$metric->{name} has a sample of $_ ns, and nothing tells why"
				for grep { $_ > $hold * 9e8 } @{ $metric->{samples} };
		}
	}
	return @wrong;
}

sub benchmark_faults {
	my ($r, $dir, $hold) = @_;
	my $results = read_json("$dir/r.json");
	my @wrong;

	push @wrong, "exit code $r->{code}, signal $r->{signal}: $r->{err}" if $r->{code} || $r->{signal};
	push @wrong, tap_errors($r->{out});
	push @wrong, 'no whole results' if ($results->{verdict} // '') ne 'pass';
	return (@wrong, untold($results, $hold));
}

# One trial, in a process and a directory of its own: what the parent reads of it.
sub trial {
	my ($row) = @_;
	my $dir = tempdir('kvmeter-stops-XXXXXX', TMPDIR => 1, CLEANUP => 1);
	my $stopped = 0;

	mkdir("$dir/tmp");
	chdir($dir) or die "$dir: $!\n";
	write_file("$dir/a.suite", $row->{suite}) if $row->{suite};
	my $r = run($row->{command}, timeout => 60, step => 0.002,
		env => { TMPDIR => "$dir/tmp", KVMETER_TESTS => "$out/tests" },
		meanwhile => stopper($row->{who}, $row->{at}, $row->{hold}, \$stopped));
	my @wrong = $row->{judge}->($r, $dir, $row->{hold});
	my $told = "$r->{out}$r->{err}" =~ /was stopped|stopped by signal/ ? 1 : 0;

	push @wrong, 'nothing was stopped' if $row->{sure} && !$stopped;
	push @wrong, 'left processes' if $r->{orphans};
	return { faults => \@wrong, told => $told, stopped => $stopped, command => $r->{command},
		 text => "$r->{out}$r->{err}", seconds => $r->{seconds} };
}

# So many at a time: they sleep most of the time.
sub trials {
	my ($jobs, @rows) = @_;
	my (@running, @results);

	for my $row (@rows) {
		push @results, finish(shift @running) if @running >= $jobs;
		pipe(my $from, my $to) or die "pipe: $!\n";
		my $pid = fork() // die "fork: $!\n";
		if (!$pid) {
			my $result = eval { trial($row) } // { faults => [$@], told => 0, stopped => 0 };

			print $to $json->encode($result);
			close($to);
			chdir('/');
			exit 0;
		}
		push @running, [$row, $from, $pid];
	}
	push @results, finish($_) for @running;
	return @results;
}

sub finish {
	my ($row, $from, $pid) = @{ $_[0] };
	local $/;
	my $text = <$from>;

	waitpid($pid, 0);
	return { %$row, %{ $json->decode($text) } };
}

# ---- benchmarks ----

sub bench_row {
	my ($words, $at, @options) = @_;
	my ($name, @rest) = @$words;

	return { name => $name, who => 'self', at => $at, hold => HOLD, judge => \&benchmark_faults,
		 command => ["$out/tests/$name", @rest, '--timeout', 1, '-J', 'r.json', @options] };
}

# ---- the tool ----

my $suite = "tables timeout=" . CHILD_LIMIT . ": page_table_test -b 1M -R 2\n"
	. "again timeout=" . CHILD_LIMIT . ": page_table_test -b 1M -R 2\n";

sub passes {
	my ($r) = @_;

	return $r->{code} || $r->{signal} ? "exit code $r->{code}, signal $r->{signal}" : ();
}

sub run_row {
	my ($who, $at, $hold, $judge) = @_;

	return { name => "kvmeter run, $who", who => $who, at => $at, hold => $hold, suite => $suite,
		 judge => $judge, command => [$tool, qw(run a.suite -o out)] };
}

# Stopped for ever: its end is the time limit, and the text says what stopped it.
sub named {
	my ($r) = @_;
	my @wrong;

	push @wrong, "exit code $r->{code}" if $r->{code} != 1;
	push @wrong, 'nothing says that it was stopped'
		if "$r->{out}$r->{err}" !~ /stopped by signal 19 \(.*\), and nobody continued it/;
	return @wrong;
}

sub ab_row {
	my ($who, $at, $hold, $judge) = @_;

	return { name => "kvmeter ab, $who", who => $who, at => $at, hold => $hold, judge => $judge,
		 command => [$tool, qw(ab page_table_test --same -n 3 --time-limit), CHILD_LIMIT, qw(-- -b 1M)] };
}

sub tool_rows {
	my $late = HOLD + CHILD_LIMIT;

	return (
		run_row('self', rand(0.4), $late, \&passes),
		run_row('self and child', 0.1 + rand(0.3), $late, \&passes),
		run_row('child', 0.05 + rand(0.3), CHILD_LIMIT / 2, \&passes),
		{ %{ run_row('child', 0.05, 3600, \&named) }, sure => 1 },
		ab_row('self', rand(0.4), $late, \&passes),
		ab_row('self and child', 0.1 + rand(0.3), $late, \&passes),
		{ %{ ab_row('child', 0.05, 3600, \&named) }, sure => 1 },
	);
}

# ---- all of it ----

srand($seed);
diag("KVMETER_SEED=$seed");
my @rows;
for (1 .. ($long ? 20 : 1)) {
	push @rows, map { bench_row($_, rand(0.5)) } @benchmarks;
	push @rows, tool_rows() if -x $tool;
}
my ($told, $stopped) = (0, 0);
for my $t (trials(4, @rows)) {
	my $what = sprintf('%s, at %.3f s for %.1f s', $t->{name}, $t->{at}, $t->{hold});

	$told += $t->{told} ? 1 : 0;
	$stopped += $t->{stopped} ? 1 : 0;
	is(join("\n", @{ $t->{faults} }), '', $what)
		or diag("$t->{command}\n", substr($t->{text}, 0, 3000));
}
diag(sprintf('%d stops in %d trials, %d of them told', $stopped, scalar @rows, $told));
cmp_ok($stopped, '>', 0, 'some are stopped');

# ---- the judgement above can fail ----

my %sample = (name => 'create', unit => 'ns', samples => [1e6, 2.6e9, 1e6]);
is(scalar(untold({ points => [{ metrics => [\%sample], notes => ['odd'] }] }, HOLD)), 1,
	'a long sample without a word is noticed');
is(scalar(untold({ points => [{ metrics => [\%sample],
	notes => ['run 2: the process was stopped'] }] }, HOLD)), 0, '... and one with a word is not');
isnt(join('', benchmark_faults({ code => 1, signal => 0, err => 'no progress', out =>
	"KTAP version 1\n1..1\nBail out! no progress for 1 s\n" }, '/nowhere', HOLD)), '',
	'a stop that is taken for a hang is noticed');
isnt(join('', named({ code => 1, out => 'not ok 1 - tables # ended at the time limit', err => '' })), '',
	'a stop that is not named is noticed');
# a guest that does hang is not taken for a stop
my ($hangs) = trials(1, { name => 'endless-loop', who => 'none', at => 99, hold => 1, judge => sub { () },
	command => [binary('check/harness/fault_test'), qw(--fault endless-loop --timeout 1)] });
like($hangs->{text}, qr/^Bail out! no progress for 1 s/m, 'a guest that hangs is one all the same');
is($hangs->{told}, 0, '... and nobody says that it was stopped');
done_testing();
