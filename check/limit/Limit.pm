# SPDX-License-Identifier: GPL-2.0-only
#
# What limit.t and idle.t share: finding and running the programs, medians,
# and how busy the rest of the machine is.
package Limit;

use strict;
use warnings;
use Exporter 'import';
use File::Temp;
use FindBin;
use JSON::PP;
use List::Util qw(sum0);
use POSIX ();
use Time::HiRes qw(time);

our @EXPORT_OK =
	qw(full setting bench bare programs_missing median quantile within
	foreign_cpu ms us);

my $root = "$FindBin::Bin/../..";
my $arch = $ENV{ARCH} // (POSIX::uname())[4];
my $out = $ENV{KVMETER_OUT} // "$root/build/$arch";
my $bench = "$out/tests/page_table_test";
my $bare = "$out/check/limit/bare";

# The sizes that the project promises something for, or smaller ones for CI.
sub full { return $ENV{KVMETER_LIMIT_FULL} ? 1 : 0; }

sub setting {
	my ($name, $default, $full) = @_;
	return $ENV{"KVMETER_LIMIT_$name"} // (full() ? $full : $default);
}

# Why nothing can be measured here, or nothing.
sub programs_missing {
	for my $program (@_ ? @_ : ($bench)) {
		return "$program is not built: make check-programs"
			if !-x $program;
	}
	return '/dev/kvm cannot be opened'
		if !-r '/dev/kvm' || !-w '/dev/kvm';
	return;
}

sub bare_path { return $bare; }
sub bench_path { return $bench; }

# The standard output and exit code of a program.
sub output {
	my @command = @_;
	open(my $pipe, '-|', @command) or die "$command[0]: $!\n";
	local $/;
	my $text = <$pipe> // '';
	close $pipe;
	return ($text, $? >> 8, $? & 127);
}

# One point of page_table_test: its samples and its usage by stage, the wall
# time and the CPU time of the whole process. undef if it skipped.
sub bench {
	my @options = @_;
	my $file = File::Temp->new(SUFFIX => '.json');
	my ($wall, @cpu) = (time, (CORE::times)[2, 3]);
	my ($ktap, $code, $signal) = output($bench, @options, '-J', "$file");
	return if $code == 4;
	die "page_table_test @options: exit $code, signal $signal\n$ktap"
		if $code || $signal;

	open(my $json, '<', "$file") or die "$file: $!\n";
	local $/;
	my $point = decode_json(<$json>)->{points}[0];
	return {
		samples => { map { $_->{name} => $_->{samples} } @{ $point->{metrics} } },
		usage => $point->{usage},
		wall_ns => 1e9 * (time - $wall),
		cpu_ns => 1e9 * (sum0((CORE::times)[2, 3]) - sum0(@cpu)),
	};
}

# The same of one run of the bare program.
sub bare {
	my ($bytes) = @_;
	my ($text, $code, $signal) = output($bare, $bytes);
	die "bare $bytes: exit $code, signal $signal\n" if $code || $signal;
	my (%samples, %usage);
	for (split /\n/, $text) {
		my ($stage, $ns, $cpu_ns) = split;
		$samples{$stage} = [$ns];
		$usage{$stage} = { user_ns => $cpu_ns, sys_ns => 0 };
	}
	return { samples => \%samples, usage => \%usage };
}

# Linear between the two nearest.
sub quantile {
	my ($q, @v) = @_;
	@v = sort { $a <=> $b } @v;
	my $at = $q * $#v;
	my $low = int $at;
	my $high = $low < $#v ? $low + 1 : $low;
	return $v[$low] + ($at - $low) * ($v[$high] - $v[$low]);
}

sub median { return quantile(0.5, @_); }

sub within {
	my ($ratio, $share) = @_;
	return abs($ratio - 1) <= $share;
}

sub ms { return sprintf '%.2f ms', $_[0] / 1e6; }
sub us { return sprintf '%.1f us', $_[0] / 1e3; }

# CPU seconds of all that runs here, stolen ones too: proc(5), /proc/stat.
sub machine_cpu {
	open(my $stat, '<', '/proc/stat') or return 0;
	my (undef, $user, $nice, $system, undef, undef, $irq, $soft, $steal) =
		split ' ', scalar <$stat>;
	return sum0($user, $nice, $system, $irq, $soft, $steal // 0) /
		POSIX::sysconf(POSIX::_SC_CLK_TCK());
}

# How much of one CPU others have used while $code ran here.
sub foreign_cpu {
	my ($code) = @_;
	my ($wall, $machine, $own) = (time, machine_cpu(), sum0(CORE::times));
	$code->();
	$wall = time - $wall;
	$machine = machine_cpu() - $machine;
	$own = sum0(CORE::times) - $own;
	return ($machine - $own) / $wall;
}

1;
