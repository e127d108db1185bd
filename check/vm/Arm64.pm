# SPDX-License-Identifier: GPL-2.0-only
#
# What only arm64's KVM shows, and what a guest that breaks looks like there. Each
# judges what the script of check/vm/inside that it is named after has left.
package Arm64;
use strict;
use warnings;
use List::Util qw(min);
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../harness";
use Exporter 'import';
use Harness;
use Machine;
use Test::More;

our @EXPORT = qw(judge_modes judge_rings judge_splits judge_faults);

# judge_modes(DIR, ID...): the modes with these numbers are not there; all others
# pass.
sub judge_modes
{
	my ($dir, @missing) = @_;
	my (@missing_here, @names);

	for (split /\n/, read_file("$dir/modes") // '') {
		my ($id, $name, $why) = /^ +(\d+) (\S+) +\d+ physical bits(.*)/
			or die "modes: $_\n";
		push @names, $name;
		if ($why =~ /not here: \S/) {
			push @missing_here, $id;
		} else {
			judge_run(["mode-$id", 'page_table_test', "-v 2 -m $name"], $dir, {});
			judge_run(["tlb-mode-$id", 'tlb_stress_test', "-v 2 -m $name"], $dir, {});
		}
	}
	cmp_ok(@names, '>', 1, 'the guest has a choice of modes');
	is("@missing_here", "@missing", 'modes that this CPU has not');
	is(join(' ', grep { "@names" !~ /_$_\b/ } qw(4K 16K 64K)), '', 'granules are listed');
}

# ---- eager splits ----

no warnings 'portable'; # numbers of 64 bits

# Guest faults in the memory under test by fault status, as "STATUS:NUMBER ...":
# Arm ARM D19.2.37, ISS of a data abort.
use constant TEST_MEMORY => 8 << 30;

sub faults_of
{
	my ($file) = @_;
	my %count;

	for (split /\n/, read_file($file) // '') {
		my ($ipa, $esr) = map { oct("0x$_") } split;
		$count{ sprintf('%02x', $esr & 0x3f) }++ if $ipa >= TEST_MEMORY;
	}
	# where in the tables the first access of a block finds nothing
	delete @count{qw(04 05 06)};
	return join(' ', map { "$_:$count{$_}" } sort keys %count);
}

sub best
{
	my ($dir, $name, $metric) = @_;
	my $results = read_json("$dir/$name.json") // return 0;
	my ($found) = grep { $_->{name} eq $metric } @{ $results->{points}[0]{metrics} };

	return min(@{ $found->{samples} });
}

# A phase takes twice as long and more, at best, if splits are eager. What it would
# take without them is mostly waiting, which is long only sometimes.
sub takes_longer
{
	my ($dir, $bench, $metric) = @_;
	my ($lazy, $eager) = map { best($dir, "$bench-$_-time", $metric) } qw(lazy eager);

	cmp_ok($eager, '>', 2 * $lazy, "--eager-split moves the cost into $metric");
	note(sprintf('%s: %.3f ms, with --eager-split %.3f ms', $metric,
		     $lazy / 1e6, $eager / 1e6));
}

# Two blocks of 512 pages, written twice after dirty logging came. A lazy split is
# a permission fault on a block (level 2) that maps one page, and translation
# faults on all others; after an eager one there is nothing but pages without
# permission, so that nothing of it is left to the phase in which the guest writes.
sub judge_splits
{
	my ($dir) = @_;
	my %expected = ('pages-lazy' => '07:1022 0e:2 0f:1024', 'pages-eager' => '0f:2048',
			'log-lazy' => '07:1022 0e:2', 'log-eager' => '0f:1024');

	for my $bench (qw(pages log)) {
		my $program = { pages => 'page_table_test', log => 'dirty_log_perf_test' }->{$bench};
		for my $split ('lazy', 'eager', 'lazy-time', 'eager-time') {
			judge_run(["$bench-$split", $program, "$split splits"], $dir, {});
		}
	}
	for my $name (sort keys %expected) {
		is(faults_of("$dir/$name.faults"), $expected{$name}, "$name: who has split");
	}
	takes_longer($dir, 'pages', 'log_on');
	takes_longer($dir, 'log', 'first_clear_log');
}

# judge_rings(DIR): with a bitmap beside them rings lose nothing. Without one arm64's
# KVM (seen on 6.12 and 7.3) does not take the memslot for one that is logged, and maps
# blocks writable: a true loss, which has to be reported until a kernel has it mended.
sub judge_rings
{
	my ($dir) = @_;
	my $status = read_file("$dir/rings-blocks.status") // "none\n";
	my $tap = read_file("$dir/rings-blocks.tap") // '';

	judge_run(['rings-perf', 'dirty_log_perf_test', 'with a ring and a bitmap'], $dir, {});
	judge_run(['rings-lost', 'dirty_log_test', 'with a ring and a bitmap'], $dir, {});
	if ($status eq "0\n") {
		pass('a ring alone loses no page of a block');
		return;
	}
	is($status, "1\n", 'a ring alone loses pages of a block: exit 1');
	like($tap, qr/^not ok 1 - no dirty page is lost # page \d+ \(GPA 0x\w+, memslot \d+ from 0x\w+\): cleared with stamp \d+, then written \(stamp \d+\), and not in collection \d+$/m,
		'... and it is said which') or diag($tap);
}

# ---- broken guests ----

sub at { my ($f) = @_; return qr/^#   at 0x[0-9a-f]+ $f\+(0x)?[0-9a-f]+/m }
my $sync = 'synchronous exception from EL1t';
my $write = "unexpected exception: data abort \\(ESR class 0x25, ESR 0x9[0-9a-f]+, " .
	    "$sync\\): translation fault, level";
my $wild = qr/, faulting address 0x123456789000$/m;
my $gprs = qr/^#   x0  [0-9a-f]{16}  x1 .*\n(#.*\n)*.*x30 [0-9a-f]{16}$/m;
my $trap = qr/^#   sp [0-9a-f]{16}  flags [0-9a-f]+\n$gprs/m;
my $exit = qr/$gprs\n#   pc [0-9a-f]+  sp_el0 .*\n#   esr_el1 /m;
my @silent = (qr/^Bail out! no progress for 2 s/m, qr/^# vCPU 0: /m, $exit);

# name => what is to be seen. "silent" ones end at the deadline of 2 s.
my %broken = (
	'assertion' => [
		qr/^Bail out! vCPU 0: guest assertion failed: found == 0x63 \(0x2a, 0x63\)/m,
		qr/^#   at \S*fault_test\.c:\d+$/m ],
	'plain-assertion' => [ qr/vCPU 0: guest assertion failed: cpu->nr_cpus == 0/ ],
	'wild-pointer' => [
		qr/^Bail out! vCPU 0: $write 0 by a write/m, at('guest_wild_pointer'), $wild, $trap ],
	'null' => [ qr/vCPU 0: $write 3 by a read/, at('guest_null'),
		qr/, faulting address 0$/m, $trap ],
	'null-call' => [
		qr/vCPU 0: .*instruction abort \(ESR class 0x21, .*translation fault, level 3$/m,
		qr/^#   at 0, faulting address 0$/m, $trap ],
	'no-memslot' => [
		qr/vCPU 0: .*without a memslot \(KVM_EXIT_MMIO\), write to 0x[0-9a-f]+, 8 bytes/,
		at('guest_no_memslot'), $exit ],
	'endless-loop' => [ @silent, at('guest_endless_loop') ],
	'endless-of-4' => [ @silent, at('guest_endless_loop') ],
	'endless-run' => [ @silent, at('guest_endless_loop') ],
	'print-forever' => [ @silent ],
	'stack-overflow' => [
		qr/vCPU 0: $write 3 by a write/, at('recurse'),
		qr/, faulting address 0x[0-9a-f]*[26ae]f30$/m, $trap ],
	'kernel-fault' => [ qr/vCPU 0: $write 0 by a read/, at('wild_read'), $wild, $trap ],
	'trap-refused' => [ qr/vCPU 0: $write 0 by a write/, at('guest_trap_refused'),
		qr/, faulting address 0x123456789008$/m, $trap ],
	'trap-in-handler' => [
		qr/vCPU 0: unexpected exception: data abort .* from EL1h\): translation fault/,
		at('(wild_read|fault_again)'), qr/, faulting address 0x123456789008$/m ],
	'undefined' => [
		qr/undefined instruction\) \(ESR class 0, ESR 0x2000000, $sync\)/,
		at('guest_undefined'), $trap ],
	'breakpoint' => [
		qr/BRK \(ESR class 0x3c, ESR 0xf2000123, $sync\)/, at('guest_breakpoint'), $trap ],
	'supervisor-call' => [
		qr/SVC \(ESR class 0x15, ESR 0x56000000, $sync\)/, at('guest_supervisor'), $trap ],
	# QEMU does not check the stack's alignment
	'stack-alignment' => [ qr/misaligned stack pointer|: 0 of 1 vCPUs/ ],
	'broken-of-4' => [ qr/vCPU 2: $write 0 by a write/, at('guest_one_broken'), $wild, $trap ],
	'spinning-of-4' => [ qr/vCPU 2: $write 0 by a write/,
		at('guest_one_broken_others_spin'), $wild, $trap ],
	'done-again' => [ qr/^Bail out! vCPU 0 .*done/m ],
	'done-resumed' => [ qr/^Bail out! vCPU 0 .*done/m ],
	'sync-again' => [ qr/^Bail out! vCPU 0 is not idle/m ],
	'missing-function' => [ qr/^Bail out! .*function 'guest_that_is_not_there'/m ],
	'missing-symbol' => [ qr/^Bail out! .*symbol 'symbol_that_is_not_there'/m ],
	'wrong-size' => [ qr/^Bail out! .*'shared' has 24 bytes, the host expects 8/m ],
	'wrong-check' => [ qr/^not ok 1 - .* # 41 found, expected 42$/m ],
	'unchecked' => [ qr/^not ok 1 - /m ],
	'unsampled' => [ qr/^Bail out! metric 'work': run\(\) has not sampled it/m ],
	'sampled-left-out' => [ qr/^Bail out! metric 'work': sampled, although not applicable$/m ],
	'host-die' => [
		qr/^Bail out! the host half gives up\n# for a reason\n# of three lines$/m ],
	'ioctl-error' => [ qr/^Bail out! KVM_CREATE_VCPU \(0\): \S/m ],
);

# Those that work although they look odd.
my @working = qw(none slow print kernel-gate trap-handled done sync unverified not-applicable
	second-point odd-detail);

my $print = <<'END';
guest vCPU 0: d=-5 u=7 x=beef s=text
guest vCPU 0: lu=1234567890123 llx=0xfeedfacecafe c=z 100%
guest vCPU 0: [   42] [42   ] [0002a] AREA
guest vCPU 0: nothing
END

# Seconds within which it ends, and not before: twice of the native check's.
sub times_of
{
	my ($name) = @_;

	return (3, 12) if $name eq 'slow';
	return $name =~ /^(endless-|print-forever)/ ? (2, 10) : (0, 4);
}

sub judge_fault
{
	my ($dir, $name, $code, @out) = @_;
	my ($status, $time) = split ' ', read_file("$dir/$name.status") // 'none 0';
	my $tap = read_file("$dir/$name.tap") // '';
	my $results = read_json("$dir/$name.json") // {};
	my $verdict = $code ? 'fail' : 'pass';
	my ($least, $most) = times_of($name);
	my @wrong = tap_errors($tap);

	push @wrong, "exit status $status" if $status ne $code;
	push @wrong, "$time hundredths of a second"
		if $time < 100 * $least || $time > 100 * $most;
	push @wrong, map { "stdout lacks $_" } grep { $tap !~ $_ } @out;
	push @wrong, 'no verdict ' . $verdict if ($results->{verdict} // '') ne $verdict;
	if ($tap =~ /^Bail out! (.*)$/m) {
		my $reason = $1;
		push @wrong, 'another reason in JSON'
			if (split /\n/, $results->{reason} // '')[0] ne $reason;
		push @wrong, 'no reason on stderr'
			if index(read_file("$dir/$name.err") // '', "fault_test: $reason") < 0;
	}
	ok(!@wrong, "$name: exit $code" . ($code ? ' and a report' : ''))
		or diag(join("\n", @wrong, $tap));
}

sub judge_faults
{
	my ($dir) = @_;
	my %known = map { $_ => 1 } @working, keys %broken;

	$dir .= '/faults';
	judge_fault($dir, $_, 1, @{ $broken{$_} }) for sort keys %broken;
	judge_fault($dir, $_, 0, qr/^ok 1 - /m) for @working;
	is(read_file("$dir/print.err") =~ s/0x40[048c]000$/AREA/mr, $print, 'print: text');
	is(join(' ', grep { s/\.status$// && !$known{$_} } leftovers($dir)), '',
		'no fault is forgotten');
}

1;
