#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# A guest that breaks ends in a readable report and exit 1, and within the
# deadline; one that only looks broken does not.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Harness;
use Test::More;

host_lacks();
my $fault_test = binary('check/harness/fault_test');
my $results = scratch('faults.json');

sub at { my ($f) = @_; return qr/^#   at 0x[0-9a-f]+ $f\+(0x)?[0-9a-f]+/m }
my $pf = 'page fault \(#PF, vector 14, error code';
my $trap_regs = qr/^#   rax [0-9a-f]{16}  rbx .*\n(#.*\n)*.*r15 [0-9a-f]{16}/m;
my $exit_regs = qr/^#   rip [0-9a-f]{16}  rflags [0-9a-f]+  cs /m;
my $timeout = qr/^Bail out! no progress for 2 s/m;

# name => what the report holds, and what else is to be seen
my @broken = (
	['assertion', out => [
		qr/^Bail out! vCPU 0: guest assertion failed: found == 0x63 \(0x2a, 0x63\)/m,
		qr/^#   at \S*fault_test\.c:\d+$/m ] ],
	['plain-assertion', out => [
		qr/^Bail out! vCPU 0: guest assertion failed: cpu->nr_cpus == 0/m ] ],
	['wild-pointer', trap => 1, out => [
		qr/vCPU 0: .*$pf 0x6\): user write to an unmapped page/,
		at('guest_wild_pointer'), qr/faulting address 0x123456789000$/m ] ],
	['null', trap => 1, out => [
		qr/vCPU 0: .*$pf 0x4\): user read of an unmapped page/,
		at('guest_null'), qr/faulting address 0(x0)?$/m ] ],
	['null-call', trap => 1, out => [
		qr/vCPU 0: .*$pf 0x14\): user instruction fetch from an unmapped page/,
		qr/^#   at 0(x0)?, faulting address 0(x0)?$/m ] ],
	['no-memslot', exit => 1, out => [
		qr/vCPU 0: .*without a memslot \(KVM_EXIT_MMIO\), write to 0x[0-9a-f]+, 8 bytes/,
		at('guest_no_memslot') ] ],
	['endless-loop', exit => 1, slow => 1, out => [
		$timeout, qr/^# vCPU 0: /m, at('guest_endless_loop') ] ],
	['endless-run', exit => 1, slow => 1, out => [
		$timeout, qr/^# vCPU 0: /m, at('guest_endless_loop') ] ],
	['print-forever', exit => 1, slow => 1, out => [ $timeout ] ],
	['stack-overflow', trap => 1, out => [
		qr/vCPU 0: .*$pf 0x6\): user write to an unmapped page/, at('recurse') ] ],
	['kernel-fault', trap => 1, out => [
		qr/vCPU 0: .*$pf (0x)?0\): kernel read of an unmapped page/,
		at('wild_read'), qr/faulting address 0x123456789000$/m ] ],
	['trap-refused', trap => 1, out => [
		qr/vCPU 0: .*$pf 0x6\): user write to an unmapped page/,
		at('guest_trap_refused'), qr/faulting address 0x123456789008$/m ] ],
	['trap-in-handler', trap => 1, out => [
		qr/vCPU 0: .*$pf (0x)?0\): kernel read of an unmapped page/,
		at('(wild_read|fault_again)'), qr/faulting address 0x123456789008$/m ] ],
	['triple-fault', exit => 1, out => [
		qr/vCPU 0: .*triple fault \(KVM_EXIT_SHUTDOWN\)/, at('empty_idt'), qr/\(CPL 0\)/ ] ],
	['privileged', trap => 1, out => [
		qr/vCPU 0: .*general protection \(#GP, vector 13, error code (0x)?0\)/,
		at('guest_privileged') ] ],
	['halt', trap => 1, out => [
		qr/general protection \(#GP, vector 13/, at('guest_halt') ] ],
	['kernel-halt', exit => 1, out => [
		qr/vCPU 0: unexpected exit 5: halt \(KVM_EXIT_HLT\)/, at('halt_in_kernel') ] ],
	['kernel-sleep', exit => 1, slow => 1, out => [ $timeout, at('halt_in_kernel') ] ],
	['kernel-spin', exit => 1, slow => 1, out => [ $timeout, at('spin_in_kernel') ] ],
	['undefined', trap => 1, out => [
		qr/invalid opcode \(#UD, vector 6/, at('guest_undefined') ] ],
	['divide', trap => 1, out => [
		qr/divide error \(#DE, vector 0/, at('guest_divide') ] ],
	['non-canonical', trap => 1, out => [
		qr/general protection \(#GP, vector 13/, at('guest_non_canonical') ] ],
	['stack-segment', trap => 1, out => [
		qr/stack fault \(#SS, vector 12/, at('guest_stack_segment') ] ],
	# PVM makes it an invalid opcode: the host's own vector 128 is in the way
	['software-interrupt', trap => 1, out => [
		qr/#GP, vector 13, error code 0x402\): IDT entry 128|#UD, vector 6/,
		at('guest_software_interrupt') ] ],
	['breakpoint', trap => 1, out => [
		qr/breakpoint \(#BP, vector 3/, at('guest_breakpoint') ] ],
	['odd-port', any => 1, out => [
		qr/vCPU 0: unexpected (exit 2: .*KVM_EXIT_IO|exception: general protection)/,
		at('guest_odd_port') ] ],
	['unknown-ucall', exit => 1, out => [ qr/vCPU 0: unknown ucall 77/ ] ],
	['done-again', out => [ qr/^Bail out! vCPU 0 .*done/m ] ],
	['done-resumed', out => [ qr/^Bail out! vCPU 0 .*done/m ] ],
	['sync-again', out => [ qr/^Bail out! vCPU 0 is not idle/m ] ],
	['missing-function', out => [ qr/^Bail out! .*function 'guest_that_is_not_there'/m ] ],
	['missing-symbol', out => [ qr/^Bail out! .*symbol 'symbol_that_is_not_there'/m ] ],
	['wrong-size', out => [ qr/^Bail out! .*'shared' has 24 bytes, the host expects 8/m ] ],
	['host-die', out => [
		qr/^Bail out! the host half gives up\n# for a reason\n# of three lines$/m ] ],
	['ioctl-error', out => [ qr/^Bail out! KVM_CREATE_VCPU \(0\): \S/m ] ],
);

sub judge_broken
{
	my ($name, $row, @options) = @_;
	my @out = @{ $row->{out} };
	my ($json, $first);

	push @out, $trap_regs if $row->{trap};
	push @out, $exit_regs if $row->{exit};
	my $r = run([$fault_test, '--fault', $name, '--timeout', 2, '-J', $results, @options]);
	run_ok("$name: exit 1 and a report", $r, code => 1, out => \@out,
		err => [ qr/^fault_test: \S/m ], within => $row->{slow} ? 5 : 2,
		at_least => $row->{slow} ? 2 : 0);
	$json = read_json($results) // {};
	($first) = $r->{out} =~ /^Bail out! (.*)$/m;
	is($json->{verdict}, 'fail', "$name: verdict in JSON");
	is((split /\n/, $json->{reason} // '')[0], $first, "$name: reason in JSON");
	unlink $results;
}

for my $row (@broken) {
	my ($name, %row) = @$row;

	judge_broken($name, \%row);
}

# One of four: the report names it, and does not wait for the others.
for my $name ('one-broken', 'one-broken-others-spin') {
	judge_broken($name, { trap => 1, out => [
		qr/^Bail out! vCPU 2: .*page fault/m, qr/faulting address 0x123456789000$/m ] },
		'-v', 4);
}
judge_broken('endless-loop', { exit => 1, slow => 1, out => [ $timeout ] }, '-v', 4);

# A silent guest has 10 s by default.
run_ok('endless-loop: 10 s by default', run([$fault_test, '--fault', 'endless-loop']),
	code => 1, at_least => 10, within => 13,
	out => [ qr/^Bail out! no progress for 10 s/m, qr/--timeout/ ]);

# What works although it looks odd.
for my $row (['none'], ['none', '-v', 4], ['none', '-m', 9], ['done'], ['done', '-R', 3],
	     ['sync'], ['sync', '-v', 4], ['kernel-gate'], ['kernel-gate', '-v', 1, '-R', 3],
	     ['trap-handled'], ['trap-handled', '-v', 2],
	     ['print', '-v', 2]) {
	run_ok("@$row: exit 0", run([$fault_test, '--fault', @$row]), within => 3,
		out => [ qr/^ok 1 - /m ]);
}
run_ok('slow: works for longer than --timeout',
	run([$fault_test, '--fault', 'slow', '--seconds', 3, '--timeout', 1]),
	at_least => 3, within => 6, out => [ qr/^ok 1 - /m ]);

# guest_print() goes to standard error, expanded by the host.
my $r = run([$fault_test, '--fault', 'print']);
is($r->{err}, <<'EOT' =~ s/AREA/($r->{err} =~ m{ (0x[0-9a-f]+)$}m)[0]/er, 'print: text');
guest vCPU 0: d=-5 u=7 x=beef s=text
guest vCPU 0: lu=1234567890123 llx=0xfeedfacecafe c=z 100%
guest vCPU 0: [   42] [42   ] [0002a] AREA
guest vCPU 0: nothing
EOT

# Every fault in the program's table is looked at here or in endings.t.
my %elsewhere = map { $_ => 1 } qw(none slow print sync done kernel-gate trap-handled
	one-broken one-broken-others-spin wrong-check unverified not-applicable unchecked
	odd-detail unsampled sampled-left-out second-point host-crash host-hang);
my ($list) = run([$fault_test, '--help'])->{out} =~ /what goes wrong\s+\((.*?)\)/s;
my %rows = (%elsewhere, map { $_->[0] => 1 } @broken);
is(join(' ', grep { !$rows{$_} } split /[,\s]+/, $list), '', 'no fault is forgotten');

done_testing();
