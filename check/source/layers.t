#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# Includes go downwards only, options and what is below know nothing of KVM, and
# neutral code knows no architecture: what makes the lower layers testable
# anywhere, and a port a directory of its own.
use strict;
use warnings;
use File::Basename qw(basename dirname);
use File::Path qw(make_path);
use File::Temp qw(tempdir);
use Test::More;

# From the bottom; a file (lib/NAME.c, include/NAME.h) may include those of its
# own layer and of those below.
my @layers = (
	[qw(types version)],
	[qw(util bitmap units remedy startup rlimit escape)],
	[qw(better random spread rank_test student joint_test bootstrap detectable
	   grouping judge steady threshold turns)],
	[qw(cgroup clock patience stops futex kick thread_start pin watchdog
	   id_pool interrupt timing steal progress stats scaling json troff host
	   kvm_module cpus
	   memory_room tracepoint lock_wait lock_records histogram option_row
	   options crew outfile)],
	[qw(compat kvm_ioctl kvm_stats populate uffd memory_limit slow_memory)],
	[qw(arch image vm guest_format vcpu mmio spaces memslot backing
	   backing_file mapping mode quirks testmem faults dirty_ring option_rom)],
	[qw(gang plan dirty dirty_options)],
	[qw(metrics)],
	[qw(bench kernel_log bench_options bench_man bench_describe run
	   check_mappings point report report_scaling report_tail report_locks
	   results variants)],
	[qw(workload dirty_proof stalls dirty_calls load slow_load change async_pf
	   processes process_proof rom_bench writers zap_proof dirty_watch
	   disturber)],
);
my $last_without_kvm = 3;

my %layer_of;
for my $i (0 .. $#layers) {
	$layer_of{$_} = $i for @{ $layers[$i] };
}

my $arch_name = qr/(?<![a-z])(?:x86|i386|amd64|aarch64|arm64|riscv|s390|powerpc|
		       loongarch|mips)|__(?:x86_64|aarch64|riscv)\w*/xi;

sub slurp {
	my ($path) = @_;

	open(my $in, '<', $path) or die "$path: $!\n";
	local $/;
	return scalar <$in>;
}

sub without_comments {
	my ($text) = @_;

	return $text =~ s{(/\*.*?\*/)}{$1 =~ tr/\n//cdr}gers;
}

sub name_of {
	return basename($_[0]) =~ s/\.[ch]\z//r;
}

sub layer_faults {
	my ($file, $text) = @_;
	my $layer = $layer_of{ name_of($file) };
	my @faults;

	return "$file: in no layer of check/source/layers.t" if !defined $layer;
	push @faults, "$file: $1"
		if $layer <= $last_without_kvm && $text =~ m{<((?:linux|asm)/kvm\w*\.h)>};
	for my $header ($text =~ /^\s*#\s*include\s*"([^"]+)"/mg) {
		my $other = $layer_of{ name_of($header) };
		push @faults, "$file: $header is above it"
			if !defined $other || $other > $layer;
	}
	return @faults;
}

# Comments may name architectures as examples; code may not.
sub arch_faults {
	my ($file, $text) = @_;
	my $number = 0;
	my @faults;

	for my $line (split /\n/, without_comments($text)) {
		$number++;
		push @faults, "$file:$number: $1" if $line =~ /($arch_name)/;
		# a type that some hosts do not take: arch_vm_type() knows
		push @faults, "$file:$number: $1" if $line =~ /(KVM_CREATE_VM, \d+)\)/;
	}
	return @faults;
}

sub faults {
	my ($root) = @_;
	my @faults;

	for my $path (glob("$root/lib/*.[ch] $root/include/*.h")) {
		my $file = $path =~ s{\A\Q$root\E/}{}r;
		push @faults, layer_faults($file, slurp($path));
	}
	for my $path (glob("$root/lib/*.[chS] $root/lib/guest/* $root/tests/* "
			   . "$root/include/*.h $root/include/guest/*.h")) {
		my $file = $path =~ s{\A\Q$root\E/}{}r;
		push @faults, arch_faults($file, slurp($path));
	}
	return @faults;
}

# A tree of one file.
sub faults_of {
	my ($file, $text) = @_;
	my $root = tempdir(CLEANUP => 1);

	make_path(dirname("$root/$file"));
	open(my $out, '>', "$root/$file") or die "$root/$file: $!\n";
	print $out $text;
	close $out;
	return join("\n", faults($root));
}

is(join("\n", faults('.')), '', 'this tree');

my $kvm = "#include <linux/kvm.h>\n";
is(faults_of('lib/vm.c', $kvm . "#include \"vm.h\"\n/* x86_64 */"), '', 'what is allowed');
is(faults_of('lib/gang.c', '#include "report.h"'), 'lib/gang.c: report.h is above it',
	'upwards');
is(faults_of('include/gang.h', '#include "bench.h"'), 'include/gang.h: bench.h is above it',
	'upwards in a header');
is(faults_of('lib/host.c', $kvm), 'lib/host.c: linux/kvm.h', 'KVM below options');
is(faults_of('lib/host.c', '#include "compat.h"'), 'lib/host.c: compat.h is above it',
	'KVM below options, by another header');
like(faults_of('lib/new.c', ''), qr/in no layer/, 'a file that nobody has placed');
is(faults_of('lib/vm.c', "/* on x86_64:\n */\n#ifdef __x86_64__\n"),
	'lib/vm.c:3: __x86_64__', '#ifdef');
is(faults_of('tests/a_test.c', 'if (!strcmp(arch, "aarch64"))'),
	'tests/a_test.c:1: aarch64', 'by name');
is(faults_of('lib/vm.c', 'fd = kvm_ioctl(kvm_fd, KVM_CREATE_VM, 0);'),
	'lib/vm.c:1: KVM_CREATE_VM, 0', 'by type of VM');
is(faults_of('lib/guest/a.c', 'arm64_x();'), 'lib/guest/a.c:1: arm64', 'in a guest');
done_testing();
