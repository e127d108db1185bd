# SPDX-License-Identifier: GPL-2.0-only
#
# For check/kvmeter/run*.t: benchmarks that measure nothing, each for one way to
# end, and what a suite of them makes kvmeter run say.
package Suites;
use strict;
use warnings;
use Cwd qw(getcwd);
use Exporter 'import';
use File::Basename qw(dirname);
use Time::HiRes qw(sleep);
use lib dirname(__FILE__);
use FakeTest;
use MadeUp;

our @EXPORT = qw($here $ok @checks fake is_gone ktap_faults ran result_file row run_suite slurp);

our $here = getcwd();
our @checks = ({ name => 'create: mappings', result => 'ok', detail => '32 x 2M' });

delete $ENV{KVMETER_STRICT};
$ENV{KVMETER_TESTS} = "$here/tests";

sub slurp {
	my ($path) = @_;

	open(my $in, '<', $path) or return '';
	local $/;
	return scalar(<$in>) // '';
}

# ---- benchmarks ----

my $metrics = [metric('create', runs(1000, 1, 9))];
our $ok = "KTAP version 1\n1..1\n# a table\nok 1 - create: mappings # 32 x 2M\n";

sub result_file {
	my ($name, $check, %other) = @_;

	results("results/$name.json", $metrics, bench => "${name}_test",
		checks => $check ? [$check] : [], %other);
	return "results $here/results/$name.json";
}

# fake(NAME, KTAP, SCRIPT): counts its runs in the file NAME.ran
sub fake {
	my ($name, $ktap, $script) = @_;

	write_text("ktap/$name", $ktap);
	fake_test("tests/${name}_test", description("${name}_test"),
		"echo \"\$*\" >>$here/$name.ran\ncat $here/ktap/$name\n$script");
}

sub ran {
	my ($name) = @_;
	my @lines = split /\n/, slurp("$name.ran"), -1;

	return scalar(@lines) - (@lines ? 1 : 0);
}

fake('pass', $ok, result_file('pass', $checks[0]));
fake('fail', "KTAP version 1\n1..1\nnot ok 1 - create: mappings # none\n",
	result_file('fail', { name => 'create: mappings', result => 'not ok', detail => 'none' },
		verdict => 'fail') . "\nexit 1");
fake('skip', "KTAP version 1\n1..1\nok 1 - skip_test # SKIP no huge pages\n",
	result_file('skip', undef, vcpus => [], verdict => 'skip', reason => "no huge pages\nreserve some")
	. "\nexit 4");
fake('crash', "KTAP version 1\n1..2\nok 1 - create: mappings # 1 x 2M\n",
	'echo "about to break" >&2; kill -SEGV $$');
fake('hang', "KTAP version 1\n1..1\n",
	"sleep 1000 & echo \$! >$here/hang.child; trap 'exit 143' TERM; wait");
fake('unproven', "KTAP version 1\n1..1\nok 1 - create: mappings # SKIP not verified: no statistics\n",
	result_file('unproven', { name => 'create: mappings', result => 'not verified',
		detail => 'no statistics' }));
fake('free', "KTAP version 1\n1..1\nok 1 - create: mappings # SKIP not applicable: not asked for\n",
	result_file('free'));

# ---- what kvmeter run says ----

# run_suite(SUITE TEXT, ARGUMENTS...): output, standard error, exit code
sub run_suite {
	my ($text, @arguments) = @_;

	write_text('a.suite', $text);
	unlink(glob('*.ran'));
	return kvmeter('run', 'a.suite', @arguments);
}

sub row {
	my ($out, $name) = @_;

	return $out =~ /^# \Q$name\E +(pass|fail|skip|not run) +(-|\d+ of \d+) +[\d.]+ s(?:  (.*))?$/m
		? ($1, $2, $3 // '') : ('no row', '', '');
}

# Are all lines KTAP, numbered as planned, at both levels?
sub ktap_faults {
	my ($text) = @_;
	my (@faults, %plan, %seen);

	for my $line (split /\n/, $text) {
		my ($indent, $rest) = $line =~ /^((?: {4})?)(.*)$/;
		my $level = length $indent;

		if ($rest =~ /^1\.\.(\d+)$/) {
			$plan{$level} = $1;
			$seen{$level} = 0;
		} elsif ($rest =~ /^(?:not )?ok (\d+) - [^#]+(?: # .*)?$/) {
			push @faults, "out of order: $line" if $1 != ++$seen{$level};
			next if $level;
			push @faults, "subtests before: $line"
				if defined $plan{4} && $plan{4} != $seen{4};
			delete $plan{4};
		} elsif ($rest !~ /^#/ && $rest ne 'KTAP version 1') {
			push @faults, "no KTAP: $line";
		}
	}
	push @faults, 'plan' if ($plan{0} // -1) != ($seen{0} // 0);
	return join("\n", @faults);
}

# Has the process ended within two seconds?
sub is_gone {
	my ($pid) = @_;

	for (1 .. 100) {
		return 1 if !kill(0, $pid) || slurp("/proc/$pid/stat") =~ /\) Z /;
		sleep(0.02);
	}
	return 0;
}

1;
