# SPDX-License-Identifier: GPL-2.0-only
#
# Runs check/vm/inside in an emulated machine and judges what comes back: exit
# codes, KTAP, JSON, and what the machine's kernel has said. KERNEL selects
# Debian's kernel; results stay in $KVMETER_OUT/vm/VM-KERNEL/.
package Machine;
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../harness";
use Exporter 'import';
use Harness;
use POSIX qw(uname);
use Test::More;
use Time::HiRes qw(time);

our @EXPORT = qw(in_machine check_machine judge_run judge_stale results_of kernel crashes
		 emulator_fault);

my $out = ($ENV{KVMETER_OUT} // 'build/' . (uname())[4]) . '/vm';

sub kernel { return $ENV{KERNEL} || '6.12' }

# in_machine(ARGUMENT...) of tools/vm/run: exit status, time, and all output, which
# is also shown as it comes. A log that is read while a machine hangs should say
# how far it came.
sub in_machine
{
	my $start = time;
	my %r = (text => '');

	open(my $from, '-|', 'sh', '-c', 'exec "$@" 2>&1 </dev/null', 'sh',
	     'tools/vm/run', @_) or die "sh: $!\n";
	while (my $line = <$from>) {
		$r{text} .= $line;
		print "# $line";
	}
	close($from);
	$r{status} = $? & 127 ? "signal " . ($? & 127) : $? >> 8;
	$r{seconds} = time - $start;
	return \%r;
}

# Where the results of a machine are kept.
sub results_of
{
	my ($vm) = @_;

	return "$out/$vm-" . kernel();
}

# The rows of check/vm/inside/runs that are for a machine, as
# [ name, benchmark, arguments ].
sub runs
{
	my ($vm) = @_;
	my @rows;

	for (split /\n/, read_file("check/vm/inside/runs")) {
		next if /^#/;
		my ($name, $arch, undef, $bench, $arguments) = split ' ', $_, 5;
		next if $arch ne 'any' && $vm !~ /^$arch\b/;
		push @rows, [ $name, $bench, $arguments ];
	}
	return @rows;
}

# What a row is there to show: name => [ check, detail ]. x86_64's KVM drops the
# pages of a block when logging ends, so that adjust finds none to coalesce.
my %shows = (
	'pages-4k' => [ 'create: mappings', qr/^created 1024 x 4K\b/ ],
	'pages-thp' => [ 'create: mappings', qr/^created 4 x 2M\b/ ],
	'pages-2m' => [ 'create: mappings', qr/^created 4 x 2M\b/ ],
	'pages-64k' => [ 'create: mappings', qr/^created 512 x 4K\b/ ],
	'pages-sparse' => [ 'adjust: mappings', qr/^(?:coalesced \d+ x 4K to|created) 4 x 2M\b/ ],
	'pages-granule' => [ 'update: dirty log', qr/^logged exactly the 4 pages expected/ ],
	'pages-odd' => [ 'create: mappings', qr/^created 512 x 4K\b/ ],
	'zap-4k' => [ 'refault: working set',
		qr/^\d+ (?:x 4K mapped again|faults), of a working set of 512 x 4K (?:all|none) is/ ],
	'zap-thp' => [ 'refault: working set', qr/^[^,]+, of a working set of 4 x 2M (?:all|none) is/ ],
	'zap-kept' => [ 'idle_zap: mappings dropped', qr/^none but the slot's own 16 are to go/ ],
	'pages-high' => [ 'create: mappings', qr/^created 2 x 2M\b/ ],
);

sub shown_faults
{
	my ($name, $results) = @_;
	my ($what, $detail) = @{ $shows{$name} // return () };
	my @checks = grep { $_->{name} eq $what } map { @{ $_->{checks} } }
			@{ $results->{points} };

	return ("no $what") if !@checks;
	return map { "$what: $_->{detail}, not $detail" }
		grep { $_->{detail} !~ $detail } @checks;
}

# How many checks of a results file are "not verified" is counted in %$excused,
# if they are in it: what is excused is known by its name.
sub check_faults
{
	my ($results, $excused) = @_;
	my @wrong;

	for my $point (@{ $results->{points} }) {
		for my $check (@{ $point->{checks} }) {
			my ($name, $result) = @$check{qw(name result)};

			next if $result eq 'ok';
			if ($result eq 'not verified' && exists $excused->{$name}) {
				$excused->{$name}++;
				next;
			}
			push @wrong, "$name: $result: " . ($check->{detail} // '');
		}
	}
	return @wrong;
}

sub results_faults
{
	my ($row, $results, $excused) = @_;
	my ($name, $bench, $arguments) = @$row;
	my $vcpus = $arguments =~ /-v (\S+)/ ? () = $1 =~ /\d+/g : 1;
	my $kernel = kernel();

	return ('no results') if !$results;
	my @wrong = check_faults($results, $excused);
	push @wrong, shown_faults($name, $results);
	push @wrong, "verdict $results->{verdict}" if $results->{verdict} ne 'pass';
	push @wrong, "results of $results->{bench}" if $results->{bench} ne $bench;
	push @wrong, "kernel $results->{host}{kernel}"
		if $results->{host}{kernel} !~ /^\Q$kernel\E\./;
	my $points = @{ $results->{points} };
	# one for each variant
	push @wrong, "$points points for $vcpus numbers of vCPUs"
		if !$points || $points % $vcpus;
	return @wrong;
}

# What a benchmark says of its failure: a report follows "Bail out!".
sub own_words
{
	my ($tap) = @_;

	return ($tap =~ /^not ok .*$/mg, $tap =~ /^Bail out!.*/ms ? $& : ());
}

# Where programs have crashed, as the kernel says it.
sub crashes
{
	my ($dir) = @_;
	my @lines = split /\n/, read_file("$dir/dmesg") // '';
	my @at = grep { $lines[$_] =~ /unhandled exception|segfault at|trap \S+ ip:/ } 0 .. $#lines;

	return map { join("\n", grep { defined } @lines[$_ .. $_ + 18]) } @at;
}

# What an emulated machine does now and then, and what KVM would do each time if it
# were KVM's: empty, or what it was.
#
# QEMU's multi-threaded TCG leaves a CPU without interrupts a few times in some
# hundred boots. Once in some hundred runs on arm64 a thread comes out of its first
# KVM_RUN with the TPIDR_EL0 of the guest, which is what KVM gives a register that
# nobody has written, and its first use of thread-local memory is a SIGSEGV.
sub emulator_fault
{
	my ($r, $dir) = @_;

	return 'a CPU of the emulator stood still (hard LOCKUP)'
		if $r->{status} eq '125' && $r->{text} =~ /hard LOCKUP on cpu/i;
	return "a thread of the host was left with a guest's register"
		if grep { /: (0x)?1de7ec7edbadc0de\b/i } crashes($dir);
	return '';
}

# judge_run([ name, benchmark, arguments ], DIR, \%excused) returns its results.
sub judge_run
{
	my ($row, $dir, $excused) = @_;
	my ($name, $bench, $arguments) = @$row;
	my $status = read_file("$dir/$name.status") // "none\n";
	my $tap = read_file("$dir/$name.tap") // '';
	my $results = read_json("$dir/$name.json");
	my @wrong;

	push @wrong, "exit status $status" if $status ne "0\n";
	push @wrong, map { "KTAP: $_" } tap_errors($tap);
	push @wrong, results_faults($row, $results, $excused);
	push @wrong, own_words($tap) if @wrong;
	push @wrong, crashes($dir) if $status =~ /^(13[2-9]|12[89])$/;
	ok(!@wrong, "$bench $arguments") or diag(join("\n", @wrong));
	return $results;
}

# judge_stale(DIR, FAULT-WAY...): what the script "stale" left out was noticed, by a
# guest that has read what is no longer there.
sub judge_stale
{
	my ($dir, @left_out) = @_;

	for my $name (@left_out) {
		my $tap = read_file("$dir/$name.tap") // '';
		my $seen = $name =~ /^no-shootdown/
			? qr/process \d+, page of vCPU \d that was moved \d+ times: seen 0x\w+ by a stale translation/
			: qr/process \d+, shared page: expected 0x\w+, seen 0x\w+/;

		like($tap, qr/^Bail out! vCPU \d: guest assertion failed: $seen/m,
			"$name: a stale translation is noticed");
		is(read_file("$dir/$name.status") // 'none', "1\n", "$name: exit 1");
	}
}

# check_machine(VM, also => [ scripts of check/vm/inside beside "benchmarks" ],
#		settings => [ more NAME=VALUE for tools/vm/run ],
#		judge => sub { judges what these have left in the directory },
#		says => what its kernel says of KVM,
#		results => sub { true if a results file shows the right KVM },
#		not_verified => { "name of a check" => why it cannot be })
sub check_machine
{
	my ($vm, %opt) = @_;
	my $dir = results_of($vm);
	my %excused = map { $_ => 0 } keys %{ $opt{not_verified} // {} };
	my @runs = runs($vm);
	my $results;

	my @run = ($vm, 'KERNEL=' . kernel(), "OUTPUT=$dir",
		   @{ $opt{settings} // [] }, '--', 'sh', '-c',
		   'for part; do sh inside/$part || exit; done', 'sh',
		   'benchmarks', @{ $opt{also} // [] });
	my $r = in_machine(@run);

	my $why = emulator_fault($r, $dir);
	if ($why) {
		diag("$vm: $why: once more");
		$r = in_machine(@run);
	}
	is($r->{status}, 0, "$vm: the machine runs to its end");
	for my $row (@runs) {
		$results = judge_run($row, $dir, \%excused) // $results;
	}
	$opt{judge}->($dir) if $opt{judge};
	my $dmesg = read_file("$dir/dmesg") // '';
	like($dmesg, $opt{says}, 'the kernel has the KVM that is meant')
		if $opt{says};
	ok($results && $opt{results}->($results), 'results show the KVM that is meant')
		if $opt{results};
	my @complaints = $dmesg =~ /^.*(?:WARNING: |BUG: |UBSAN: |detected stalls).*$/mg;
	is(join("\n", @complaints), '', 'the kernel complains about nothing');
	for my $name (sort keys %excused) {
		ok($excused{$name}, "still not verified: $name: $opt{not_verified}{$name}")
			or diag('it can be verified now: strike it off the list');
	}
	done_testing();
}

1;
