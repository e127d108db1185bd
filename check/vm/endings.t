#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# tools/vm/run tells apart how things end in a machine: a command that succeeds or
# fails, a benchmark that finds a fault, a machine that panics or hangs, and one
# that cannot be started. What goes in (arguments, files, kvm's parameters) and
# what comes out is what it should be.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../harness";
use Harness;
use Machine;
use Test::More;

my $vm = $ENV{VM} || 'x86_64-npt';
my $dir = results_of('endings');
my @setup = ($vm, 'KERNEL=' . kernel(), 'LIMIT=120');

sub ends
{
	my ($name, $r, $status, @said) = @_;
	my @wrong;

	push @wrong, "status $r->{status}, not $status" if $r->{status} ne $status;
	push @wrong, map { "nothing says $_" } grep { $r->{text} !~ $_ } @said;
	ok(!@wrong, $name) or diag(join("\n", @wrong));
}

# what goes in and comes out
write_file(scratch('added'), "was added\n");
write_file(scratch('script'), <<'END');
cat added
echo to stderr >&2
cat /proc/cmdline
echo "crashes: $(cat /proc/sys/debug/exception-trace)"
for module in kvm kvm_amd; do
	for name in eager_page_split nested; do
		file=/sys/module/$module/parameters/$name
		[ ! -e $file ] || echo "$module.$name=$(cat $file)"
	done
done
page_table_test -b 2M -R 2 -s anonymous_thp
mkdir $OUTPUT/dir
echo kept >$OUTPUT/dir/file
exit 7
END
my $r = in_machine(@setup, 'ADD=' . scratch('added'), 'SCRIPT=' . scratch('script'),
		   "OUTPUT=$dir", 'CPUS=1', 'MEMORY=1024', 'CMDLINE=kvmeter=here',
		   'KVM_PARAMS=eager_page_split=N kvm_amd.nested=0');
ends('a script: its output and status', $r, 7, qr/^was added$/m,
     qr/^to stderr$/m, qr/exited with 7/, qr/kvmeter=here/);
is(read_file("$dir/dir/file"), "kept\n", 'what it leaves in /output comes back');
like(read_file("$dir/dmesg"), qr/Linux version/, 'the messages of the kernel too');
ends('the kernel tells where programs crash', $r, 7, qr/^crashes: 1$/m);
SKIP: {
	skip 'kvm is no module there', 2 if $vm !~ /^x86_64/;
	ends('parameters reach kvm', $r, 7, qr/^kvm\.eager_page_split=N$/m,
	     qr/^kvm_amd\.nested=0$/m);
	ends('eager_page_split=N: a write splits', $r, 7,
	     qr/^ok \d+ - update: mappings # split 1 x 2M to 512 x 4K/m);
}

# how a command ends
$r = in_machine(@setup, '--', 'sh', '-c', <<'END', 'x', "two words", "it's");
printf '<%s>' "$@"
echo
page_table_test -b 2M -R 2 -s anonymous_thp
page_table_test -b 64K -R 2 --inject lost-page
echo "exit $?"
page_table_test -b 64K -R 2 --inject wrong-count
END
ends('a benchmark that finds a fault fails', $r, 1, qr/^exit 1$/m,
     qr/^not ok \d+ - .*dirty log/m, qr/^not ok \d+ - .*mappings/m);
ends('arguments arrive as they are', $r, 1, qr/^<two words><it's>$/m);
SKIP: {
	skip 'KVM for arm64 splits when told to', 1 if $vm !~ /^x86_64/;
	ends('eager_page_split=Y: nothing is left for a write to split', $r, 1,
	     qr/^ok \d+ - update: mappings # kept 512 x 4K/m);
}

# how a machine ends
$r = in_machine(@setup, '--', 'sh', '-c',
		'echo before the end; echo c >/proc/sysrq-trigger; sleep 60');
ends('a panic is a crash of the machine', $r, 125, qr/^before the end$/m,
     qr/crashed .* while the command ran/, qr/\| .*Kernel panic - not syncing/);
$r = in_machine(@setup, '--', 'poweroff', '-f');
ends('so is an end without a status', $r, 125, qr/crashed/);
# on a busy machine the shorter one may not get to the command
my $limit;
for (30, 120) {
	$limit = $_;
	$r = in_machine(@setup, "LIMIT=$limit", '--', 'sh', '-c', 'echo waiting; sleep 1000');
	last if $r->{text} =~ /^waiting$/m;
}
ends('a hang is a time-out', $r, 124, qr/^waiting$/m,
     qr/time-out after $limit s, while the command ran/,
     qr/\| .*the time is nearly up/);
ok($r->{seconds} < $limit + 30, '... that comes in time');
$r = in_machine(@setup, 'CMDLINE=rdinit=/nothing', '--', 'true');
ends('a kernel that does not get to the command', $r, 125,
     qr/before the command ran/, qr/\| .*panic/);

# what the emulator does, and what the programs do
my $made_up = scratch('made-up');
my $arm64 = <<'END';
[  9.1] name[1955]: unhandled exception: DABT (lower EL), ESR 0x0000000092000004
[  9.1] pc : 0000000000405b88
[  9.1] x2 : 00000000000000f4 x1 : %s x0 : 0000000000000148
END
my $x86_64 = "[  9.1] name[74]: segfault at 0 ip 401b00 sp 7ff error 4 in name[401000+1000]\n";

mkdir $made_up;
for (['a crash on arm64', sprintf($arm64, '0000000000000000'), 1, qr/^$/],
     ['a register of a guest in the host', sprintf($arm64, '1de7ec7edbadc0de'), 1, qr/register/],
     ['a crash on x86_64', $x86_64, 1, qr/^$/],
     ['no crash', "[  9.1] Linux version 1de7ec7edbadc0de\n", 0, qr/^$/]) {
	my ($name, $dmesg, $crashes, $fault) = @$_;

	write_file("$made_up/dmesg", "[  1.0] before\n$dmesg\[  9.2] behind\n");
	is(scalar(my @found = crashes($made_up)), $crashes, "$name: is found");
	like(emulator_fault({ status => 0, text => '' }, $made_up), $fault,
	     '... and whose fault it is');
}
for (['a CPU that stands still', 125, qr/hard LOCKUP/], ['... in a test that fails', 1, qr/^$/]) {
	my ($name, $status, $fault) = @$_;

	like(emulator_fault({ status => $status, text => "watchdog: hard LOCKUP on cpu 1\n" },
			    $made_up), $fault, $name);
}

# what is never started
for (['no such machine', 'pdp11'], ['no such kernel', $vm, 'KERNEL=2.4'],
     ['no such setting', $vm, 'KERNAL=6.12'], ['a command without --', $vm, 'true'],
     ['a limit that is no number', $vm, 'LIMIT=soon'],
     ['no such image', $vm, 'KERNEL_IMAGE=/nonexistent'],
     ['no machine', '--help'],
     ['a mistake in QEMU_ARGS', @setup, 'QEMU_ARGS=-nonsense', '--', 'true']) {
	my ($name, @arguments) = @$_;
	ends("$name: not started", in_machine(@arguments), 126);
}
done_testing();
