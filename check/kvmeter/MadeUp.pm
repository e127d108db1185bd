# SPDX-License-Identifier: GPL-2.0-only
#
# Results files that nobody has measured, and kvmeter run on them. The scratch
# directory, where all of it happens, is the working directory from here on.
#
# KVMETER_OUT names the directory of the build, build/ARCH by default.
package MadeUp;
use strict;
use warnings;
use Cwd qw(abs_path);
use Exporter 'import';
use File::Path qw(make_path);
use File::Temp qw(tempdir);
use JSON::PP;
use POSIX ();
use Test::More;

our @EXPORT = qw($top $tool kvmeter metric results runs wide_lines write_text);

our $top = abs_path('.');
my $out = abs_path($ENV{KVMETER_OUT} // 'build/' . (POSIX::uname())[4]);
our $tool = "$out/tools/kvmeter/kvmeter";
my $json = JSON::PP->new->canonical;

if (!-x $tool) {
	plan(skip_all => 'kvmeter is not built: it needs jansson (libjansson-dev)');
}
chdir(tempdir(CLEANUP => 1)) or die "scratch: $!\n";
# File::Temp, whose own END comes later, does not remove where we are.
END { chdir('/') }

# Standard output, standard error, exit code.
sub kvmeter {
	my (@arguments) = @_;
	my $pid = fork() // die "fork: $!\n";

	if (!$pid) {
		open(STDOUT, '>', '.out');
		open(STDERR, '>', '.err');
		exec { $tool } 'kvmeter', @arguments or POSIX::_exit(127);
	}
	waitpid($pid, 0);
	my $code = $? & 127 ? 'signal ' . ($? & 127) : $? >> 8;
	return (read_text('.out'), read_text('.err'), $code);
}

sub read_text {
	open(my $in, '<', $_[0]) or die "$_[0]: $!\n";
	local $/;
	return scalar(<$in>) // '';
}

sub write_text {
	my ($path, $text) = @_;

	make_path($1) if $path =~ m{(.+)/};
	open(my $to, '>', $path) or die "$path: $!\n";
	print $to $text;
	close $to;
}

# Samples about $middle that spread over $percent, the same ones each time.
sub runs {
	my ($middle, $percent, $nr) = @_;

	return [map { int($middle * (1 + $percent / 100
			* (($_ * 7919 % 97) / 48 - 1))) } 1 .. $nr];
}

sub metric {
	my ($name, $samples, %other) = @_;

	return { name => $name, unit => 'ns', better => 'lower', samples => $samples,
		 samples_per_run => 1, %other };
}

# A file of one point, or of {vcpus} points; all else is replaced by what is given.
sub results {
	my ($path, $metrics, %other) = @_;
	my $checks = delete $other{checks} // [];
	my $config = delete $other{config} // {};
	my $host = delete $other{host} // {};
	my $vcpus = delete $other{vcpus} // [1];
	my $point = delete $other{point} // {};

	write_text($path, $json->encode({
		schema => 'kvmeter/1',
		bench => 'page_table_test',
		version => '1.0',
		started => '2026-11-30T09:00:00Z',
		boot_id => '11111111-1111-1111-1111-111111111111',
		config => { vcpus => $vcpus, bytes => [67108864], runs => 9,
			    backing => 'anonymous', %$config },
		host => { kernel => '6.18.1', cpu => 'made up',
			  kvm => { module => 'kvm_intel',
				   parameters => { 'kvm.tdp_mmu' => 'Y' } }, %$host },
		points => [map { { config => { vcpus => $_, bytes => 67108864,
						  %$point },
				   metrics => $metrics, checks => $checks } } @$vcpus],
		verdict => 'pass',
		reason => undef,
		%other,
	}));
}

# Lines of more than 72 characters.
sub wide_lines {
	return grep { length > 72 } split /\n/, $_[0];
}

1;
