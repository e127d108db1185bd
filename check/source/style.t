#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# Licence tags, lengths of files and functions, formatting, scripts: what can be
# told without understanding. CONTRIBUTING.md has the rest.
use strict;
use warnings;
use File::Temp qw(tempdir);
use Test::More;

# Files that git knows or could be told of, without binary ones.
my @files = grep { -f && -T } split /\n/,
	`git ls-files --cached --others --exclude-standard 2>/dev/null`
	|| `find . -path ./build -prune -o -type f -print | sed 's,^\\./,,'`;
my $scratch = tempdir(CLEANUP => 1);

sub lines_of {
	my ($path) = @_;

	open(my $in, '<', $path) or die "$path: $!\n";
	my @lines = <$in>;
	return @lines;
}

# A file of the scratch directory with this text.
sub sample {
	my ($name, $text) = @_;

	open(my $out, '>', "$scratch/$name") or die "$name: $!\n";
	print $out $text;
	close $out;
	return "$scratch/$name";
}

sub none_of {
	my ($what, @faults) = @_;

	is(join("\n", @faults), '', $what);
}

# ---- licence ----

# Prose and data say nothing; LICENSE says it all.
sub needs_licence {
	return $_[0] !~ m{\A(LICENSE|\.gitignore)\z|\.(md|json|txt|[1-8])\z};
}

sub licence_faults {
	my ($path) = @_;
	my @lines = lines_of($path);
	my $first = join('', @lines[0 .. ($#lines < 1 ? $#lines : 1)]);

	return if $first =~ m{SPDX-License-Identifier: GPL-2\.0-only\b};
	return "$path: no SPDX-License-Identifier in its first two lines";
}

none_of('licence', map { licence_faults($_) } grep { needs_licence($_) } @files);
like((licence_faults(sample('a.c', "int a;\n")))[0], qr/no SPDX/, 'a file without one');

# ---- lengths ----

sub longest_file {
	return $_[0] =~ m{(\A|/)tests/} ? 299 : 499;
}

sub length_faults {
	my ($path) = @_;
	my $lines = () = lines_of($path);

	return if $lines <= longest_file($path);
	return "$path: $lines lines, at most " . longest_file($path);
}

# [name, lines] of each function of formatted C: from its name to its brace.
sub functions {
	my ($path) = @_;
	my ($head, $start, @functions) = ('');
	my $number = 0;

	for my $line (lines_of($path)) {
		$number++;
		if ($line =~ /^\w.*\(/) {
			($head, $start) = ($line, $number);
		} elsif ($line =~ /^}/ && defined $start) {
			my ($name) = $head =~ /(\w+)\s*\(/;
			push @functions, ["$path:$start: $name", $number - $start + 1];
			$start = undef;
		} elsif ($line =~ /^\S.*;$/) {
			$start = undef;
		}
	}
	return @functions;
}

my @code = grep { m{\A(include|lib|arch|tests)/.*\.[ch]\z} } @files;
my @functions = map { functions($_) } @code;
my $long = grep { $_->[1] > 35 } @functions;

none_of('files below 500 lines, tests below 300',
	map { length_faults($_) } grep { /\.([chSt]|mk|lds|sh|pm)\z|\Acheck\/run\z/ } @files);
none_of('functions of at most 60 lines',
	map { "$_->[0]: $_->[1] lines" } grep { $_->[1] > 60 } @functions);
cmp_ok($long, '<=', @functions / 10, 'a tenth of them longer than 35 lines, no more');
cmp_ok(scalar @functions, '>', 100, 'they are seen');
is((functions(sample('f.c', "#define A(x) \\\n\tx\nint g(void);\n\nstatic int f(int a,\n"
			 . "\t     int b)\n{\n" . "\ta++;\n" x 56 . "\treturn a;\n}\n")))[0][1],
	61, 'a function of 61 lines is counted so');
like((length_faults(sample('long.c', "\n" x 500)))[0], qr/500 lines/, 'a file of 500 lines');

# ---- tools ----

sub have {
	my ($tool) = @_;

	return grep { -x "$_/$tool" } split /:/, $ENV{PATH};
}

sub output {
	my (@command) = @_;

	open(my $pipe, '-|', @command) or die "$command[0]: $!\n";
	local $/;
	my $text = <$pipe> // '';
	close $pipe;
	return $text;
}

# Other versions format otherwise.
my $format = have('clang-format-14') ? 'clang-format-14' : 'clang-format';

sub format_faults {
	my (@paths) = @_;

	return grep { output($format, '--style=file', $_) ne join('', lines_of($_)) } @paths;
}

SKIP: {
	my $version = have($format) ? output($format, '--version') : 'none';

	skip "formatting: clang-format 14 is the one, not $version", 2
		if $version !~ /version 14\./;
	none_of('formatting', format_faults(grep { /\.[ch]\z/ } @files));
	system('cp', '.clang-format', $scratch);
	isnt(join('', format_faults(sample('bad.c', "int a ;\n"))), '', 'bad formatting');
}

sub script_of {
	my ($shell) = @_;

	return grep { (lines_of($_))[0] =~ m{\A\#!.*\b$shell\b} } @files;
}

my @shell = (script_of('(?:ba)?sh'), grep { /\.sh\z/ } @files);
my @perl = (script_of('perl'), grep { /\.pm\z/ } @files);

# SC2187: busybox's shell is checked as dash.
sub shell_faults {
	my (@scripts) = @_;

	return 'no shellcheck: apt-get install shellcheck' if !have('shellcheck');
	return output('shellcheck', '-x', '-e', 'SC2187', '--', @scripts) if @scripts;
	return;
}

none_of('shell scripts', shell_faults(@shell));
isnt(join('', shell_faults(sample('bad.sh', "#!/bin/sh\necho \$1\n"))), '',
	'a shell script with a fault');
none_of('Perl scripts', grep { !/syntax OK/ }
	map { `TMPDIR=$scratch perl -c $_ 2>&1` } @perl);

# ---- white space ----

sub space_faults {
	my ($path) = @_;
	my @lines = lines_of($path);
	my @bad = grep { $lines[$_ - 1] =~ /[ \t]+$/ } 1 .. @lines;

	push @bad, 'end' if @lines && $lines[-1] !~ /\S\n\z/;
	return map { "$path:$_: white space" } @bad;
}

none_of('no white space at ends', map { space_faults($_) } grep { $_ ne 'LICENSE' } @files);
is(scalar(space_faults(sample('s.c', "a \nb\n\n"))), 2, 'white space at ends');
done_testing();
