# SPDX-License-Identifier: GPL-2.0-only
#
# Runs a benchmark on this machine's KVM and passes on what it has proven, each
# result as one of ours. What this host cannot prove is a skip with the reason
# that the benchmark gives.
#
# KVMETER_OUT names the directory of the binaries, build/ARCH by default.
# KVMETER_NATIVE_FULL=1 takes sizes and numbers of runs that one would measure
# with, else those that CI has time for.
package Native;
use strict;
use warnings;
use Exporter 'import';
use File::Temp qw(tempfile);
use POSIX ();
use TAP::Parser;
use Test::More;

our @EXPORT = qw(bench full needs_kvm program);

my $out = $ENV{KVMETER_OUT} // 'build/' . (POSIX::uname())[4];

# Path of a benchmark.
sub program {
	return "$out/tests/$_[0]";
}

sub full {
	return $ENV{KVMETER_NATIVE_FULL} ? 1 : 0;
}

# Ends the script by a skip if this machine cannot run it.
sub needs_kvm {
	return if open(my $kvm, '+<', '/dev/kvm');
	plan(skip_all => "/dev/kvm cannot be opened: $!");
}

# Standard output, standard error, wait status.
sub run {
	my ($program, @options) = @_;
	my ($err, $path) = tempfile(UNLINK => 1);
	my $pid = open(my $pipe, '-|') // die "fork: $!\n";

	if (!$pid) {
		open(STDERR, '>&', $err);
		exec { "$out/tests/$program" } $program, @options
			or POSIX::_exit(127);
	}
	local $/;
	my $text = <$pipe> // '';
	close $pipe;
	my $status = $?;
	seek($err, 0, 0);
	return ($text, scalar(<$err>) // '', $status);
}

sub judge_result {
	my ($title, $result, $proofs, $seen) = @_;
	my ($what, $detail) = $result->description =~ /^-?\s*(.*?)(?: # (.*))?$/;
	my $name = $what =~ s/^vcpus=\d+ bytes=\w+ (?:\w+=\S+ )?//r;
	my $expected = $proofs->{$name};

	$seen->{$name} = 1;
	return if $result->explanation =~ /^not applicable:/;
	SKIP: {
		skip("$title: $what: " . $result->explanation, 1) if $result->has_skip;
		if (!$result->is_actual_ok || !defined $expected) {
			ok($result->is_actual_ok, "$title: $what")
				or diag($result->as_string);
		} else {
			like($detail // '', $expected, "$title: $what");
		}
	}
}

# Why a benchmark has measured nothing, or undef.
sub lacking {
	my ($text, $status) = @_;

	return $status == 4 << 8 && $text =~ /^1\.\.1\nok 1 - \w+ # SKIP (\S.*)\n\z/m ? $1 : undef;
}

# bench([PROGRAM, OPTION...], CHECK => PATTERN...)
#
# All results of the run are to be ok, and those of the named checks to say what
# matches; without any, it exits as it should. What it cannot do here is a skip.
sub bench {
	my ($command, %proofs) = @_;
	my $title = join(' ', @$command);
	my ($text, $err, $status) = run(@$command);
	my $lacking = lacking($text, $status);
	my $parser = TAP::Parser->new({ tap => "$text\n" });
	my $results = 0;
	my %seen;

	SKIP: {
		skip("$title: $lacking", 1) if defined $lacking;
	}
	return ($text, $err, $status) if defined $lacking;
	while (my $line = $parser->next) {
		next if !$line->is_test;
		judge_result($title, $line, \%proofs, \%seen);
		$results++;
	}
	my @unseen = grep { !$seen{$_} } sort keys %proofs;
	is(join(', ', @unseen), '', "$title: every check that is to be proven is there")
		if %proofs;
	ok($status == 0 && $results && !$parser->parse_errors, "$title: ends as it should")
		or diag("wait status $status, $results results\n",
			join("\n", $parser->parse_errors), "\n", $text, $err);
	return ($text, $err, $status);
}

1;
