#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# clang-tidy by .clang-tidy on all that is compiled: host and guest halves, for
# both architectures. Its path-sensitive half takes most of the time, so without
# KVMETER_LONG it looks only at what reads text that others have written.
use strict;
use warnings;
use File::Temp qw(tempdir);
use POSIX ();
use Test::More;

my $long = $ENV{KVMETER_LONG};
my $host = (POSIX::uname())[4];
my $cpus = `nproc` + 0;
my $scratch = tempdir(CLEANUP => 1);
my $paths = 'clang-analyzer-*';

# What parses options, suites, results, tables of the kernel and output.
my @parsers = qw(lib/options.c lib/option_row.c lib/units.c lib/json.c lib/escape.c lib/outfile.c
		 lib/lock_records.c lib/guest_format.c lib/image.c
		 tools/kvmeter/words.c tools/kvmeter/suite.c tools/kvmeter/ktap.c
		 tools/kvmeter/input.c tools/kvmeter/foreign.c tools/kvmeter/side.c
		 tools/kvmeter/html_svg.c tools/kvmeter/child.c);

sub tool {
	for my $name ("$_[0]-14", $_[0]) {
		return $name if grep { -x "$_/$name" } split /:/, $ENV{PATH};
	}
	plan(skip_all => "no $_[0]: apt-get install $_[0]");
}
my $tidy = tool('clang-tidy');

sub flags_of {
	my ($arch, $half) = @_;
	my @flags = ('-std=gnu11', qw(-Wall -Wextra -Wshadow -Iinclude), "-Iarch/$arch",
		     "-Iarch/$arch/include");

	push @flags, "--target=$arch-linux-gnu" if $arch ne $host;
	return $half eq 'guest' ? (@flags, qw(-DKVMETER_GUEST -ffreestanding -fno-builtin))
				: (@flags, qw(-D_GNU_SOURCE -pthread));
}

# What clang-tidy says of these files that is a fault, a line each.
sub faults {
	my ($checks, $flags, @files) = @_;
	my (@pipes, @faults);

	for my $part (0 .. $cpus - 1) {
		my @share = @files[grep { $_ % $cpus == $part } 0 .. $#files] or next;
		open(my $pipe, '-|', $tidy, '--quiet', "--checks=$checks", @share, '--', @$flags)
			or die "$tidy: $!\n";
		push @pipes, $pipe;
	}
	for my $pipe (@pipes) {
		push @faults, grep { /: (?:error|warning): / } <$pipe>;
		# no fault, and yet it failed: it has looked at nothing
		close($pipe) || @faults || push @faults, "$tidy: exit " . ($? >> 8) . "\n";
	}
	my %seen;
	return grep { !$seen{$_}++ } @faults;
}

sub none_of {
	my ($what, @faults) = @_;

	is(join('', @faults), '', $what);
}

open(STDERR, '>', '/dev/null');
my %halves = (host => ['lib/*.c', 'arch/ARCH/*.c', 'tests/*.c'],
	      guest => ['lib/guest/*.c', 'arch/ARCH/guest/*.c', 'tests/*.c']);

for my $arch (map { s{\Aarch/}{}r } grep { -e "$_/include/guest_arch.h" } glob('arch/*')) {
	SKIP: {
		skip("$arch: no headers of its libc in /usr/$arch-linux-gnu", 2)
			if $arch ne $host && !-e "/usr/$arch-linux-gnu/include/stdio.h";
		for my $half (sort keys %halves) {
			my @files = map { glob(s/ARCH/$arch/r) } @{ $halves{$half} };
			push @files, glob('tools/kvmeter/*.c') if $arch eq $host && $half eq 'host';
			none_of("$arch, $half: " . scalar(@files) . ' files',
				faults($long ? '' : "-$paths", [flags_of($arch, $half)], @files));
		}
	}
}
none_of('on all paths: ' . scalar(@parsers) . ' files that read what others wrote',
	faults('', [flags_of($host, 'host')], @parsers)) if !$long;

# ---- the same judgement of what is wrong ----

sub sample {
	my ($name, $text) = @_;

	open(my $out, '>', "$scratch/$name") or die "$name: $!\n";
	print $out $text;
	close $out;
	return "$scratch/$name";
}
system('cp', '.clang-tidy', $scratch);

my %wrong = (
	'bugprone-suspicious-memset-usage' => 'char c[8]; memset(c, sizeof(c), 0);',
	'bugprone-unused-return-value' => 'char c[8]; read(0, c, sizeof(c));',
	'cert-env33-c' => 'return system("true");',
	'misc-redundant-expression' => 'return n > 1 && n > 1;',
	'clang-analyzer-core.NullDereference' => 'int *p = 0; if (n) p = &n; return *p;',
	'clang-analyzer-unix.Malloc' => 'char *p = malloc(n); if (!p) return 1; return *p = 1;',
);
for my $check (sort keys %wrong) {
	my $path = sample('wrong.c', "#include <stdlib.h>\n#include <string.h>\n"
		. "#include <unistd.h>\nint f(int n);\nint f(int n)\n{\n$wrong{$check}\nreturn n;\n}\n");
	like(join('', faults($check, ['-std=gnu11'], $path)), qr/\Q[$check,/, "finds: $check");
}
like(join('', faults('', ['-std=gnu11'], sample('none.c', "int a\n"))), qr/error/,
	'a file that does not compile');

# ---- what is not looked for has its reason ----

sub lacks_reason {
	my ($text) = @_;
	my ($checks) = $text =~ /^Checks: >-\n((?:  .*\n)+)/m;
	my @off = grep { $_ ne '*' } $checks =~ /^\s+-([\w.*-]+)/mg;

	return join(' ', grep { $text !~ /^# (?:[\w.-]+, )*\Q$_\E(?:, [\w.-]+)*: \S/m } @off);
}

sub read_text {
	open(my $in, '<', $_[0]) or die "$_[0]: $!\n";
	local $/;
	return scalar <$in>;
}
my $config = read_text('.clang-tidy');
is(lacks_reason($config), '', 'a check that is off has a reason');
is(lacks_reason($config =~ s/^# cert-dcl16-c: .*\n//mr), 'cert-dcl16-c', '... or is found out');

sub bare_suppressions {
	return grep { /NOLINT(?!END)/ && !/NOLINT\w*\([\w.*, -]+\): \w/ }
		map { my $path = $_; map { "$path: $_" } split /\n/, read_text($path) } @_;
}
is(join("\n", bare_suppressions(map { glob($_) } qw(include/*.h include/guest/*.h lib/*.c lib/guest/*.c
	tests/*.c tools/kvmeter/*.[ch] arch/*/*.[ch] arch/*/guest/*.c arch/*/include/*.h))), '',
	'and so has each place where one is off');
isnt(join('', bare_suppressions(sample('bare.c', "int a; /* NOLINT */\n"))), '', '... or is found out');
done_testing();
