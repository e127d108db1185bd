# SPDX-License-Identifier: GPL-2.0-only
#
# Command lines at random, from what programs say of their own options: a new
# option is tried without anybody's doing. Line number N of a seed is always
# the same one.
package Lines;
use strict;
use warnings;
use Exporter 'import';
use FindBin;
use lib $FindBin::Bin;
use Values;

our @EXPORT = qw(read_rows new_line);

# What this option lists if asked: names, some with a number before them.
sub answers {
	my (@command) = @_;

	open(my $in, '-|', @command, 'help') or die "$command[0]: $!\n";
	my @names = map { /\A\s*(?:\d+\s+)?(\S+)/ ? $1 : () } <$in>;
	close $in or die "@command help: status $?\n";
	return grep { $_ ne 'PATH' } @names;
}

# What a program, and a word of its command line if there is one, answers to
# --completion: { name =>, letter =>, arg =>, kind =>, choices => } of options,
# and what operands are.
sub read_rows {
	my (@command) = @_;
	my (@rows, $operands);

	open(my $in, '-|', @command, '--completion') or die "$command[0]: $!\n";
	while (defined(my $line = <$in>)) {
		chomp($line);
		my ($word, $letter, $name, $rest) = split / /, $line, 4;

		$operands = $1 if $line =~ /^operands (.*)/;
		next if $word ne 'option';
		# "FILE..." has no blanks in it, nor has any other
		my ($arg, $kind, @choices) = split / /, $rest;
		push @rows, { letter => $letter, name => $name, arg => $arg =~ s/\W+\z//r,
			      kind => $kind, choices => \@choices };
	}
	close $in or die "@command --completion: status $?\n";
	die "@command --completion: no options\n" if !@rows;
	$_->{choices} = [answers(@command, "--$_->{name}")] for grep { $_->{kind} eq 'ask' } @rows;
	return { rows => \@rows, operands => $operands };
}

# ---- an option ----

# Words that give it: as people type it, and in other ways.
sub typed {
	my ($row, $value) = @_;
	my $name = $row->{name};
	my $letter = $row->{letter} eq '-' ? undef : $row->{letter};

	# an abbreviation, which may be that of several
	$name = substr($name, 0, 1 + below(length $name)) if chance(8);
	$name = pick(uc $name, $name =~ tr/-/_/r, "no-$name", "$name-", " $name") if chance(3);
	return chance(5) ? ("--$name=" . hostile()) : $letter && chance(50) ? "-$letter" : "--$name"
		if !defined $value;
	return ("--$name") if chance(2);
	return pick("-$letter$value", "-$letter=$value") if $letter && chance(20);
	return ("-$letter", $value) if $letter && chance(40);
	return chance(60) ? ("--$name=$value") : ("--$name", $value);
}

sub option {
	my ($row, $odd_percent) = @_;

	return typed($row) if $row->{kind} eq 'flag';
	return typed($row, 'help') if $row->{kind} eq 'ask' && chance(10);
	return typed($row, chance($odd_percent) ? odd_value($row) : fair_value($row));
}

# Options that end all else at once come seldom.
sub some_option {
	my ($rows) = @_;

	for (1 .. 3) {
		my $row = pick(@$rows);

		return $row if $row->{name} !~ /\A(?:help|version)\z/;
	}
	return pick(@$rows);
}

# ---- a line ----

sub noise {
	my ($rows) = @_;
	my $row = some_option($rows);
	my $kind = below(9);

	return ('--' . hostile()) if $kind == 0;
	return ('-' . join('', map { chr(33 + below(94)) } 0 .. below(6))) if $kind == 1;
	return ('--', option($row, 50)) if $kind == 2;
	return hostile() if $kind == 3;
	return map { option($row, 30) } 0 .. pick(1, 2, 60) if $kind == 4;
	return pick('--', '-', '---', '--=', '-=', '--no-', '--completion', '--man', '--describe') if $kind == 5;
	return ('-' . join('', map { $_->{letter} } map { some_option($rows) } 0 .. below(8))) if $kind == 6;
	# its argument is missing, or what follows it
	return ("--$row->{name}");
}

sub options {
	my ($rows) = @_;
	my $kind = below(10);

	# one value at a time, or several that may contradict, or anything
	return option(some_option($rows), 80) if $kind < 3;
	return map { option(some_option($rows), 10) } 0 .. 1 + below(6) if $kind < 6;
	return map { option(some_option($rows), 40) } 0 .. below(5) if $kind < 8;
	return ((map { option(some_option($rows), 20) } 0 .. below(3)), noise($rows),
		(map { option(some_option($rows), 20) } 0 .. below(2)));
}

my @files = qw(a.json b.json a.json b.json broken.json skip.json results none.json empty /dev/null);

# What a command of kvmeter works on, as its usage line has it. Other options
# behind -- are those of a benchmark.
sub operands {
	my ($text, $tests) = @_;
	my @words;

	return chance(5) ? hostile() : () if !defined $text;
	return hostile(), hostile() if chance(5);
	push @words, chance(90) ? pick(qw(a.suite a.suite broken.suite none)) : pick(qw(quick a.json))
		if $text =~ /SUITE/;
	push @words, pick((map { $_->{name} } @$tests), 'none_test', './a.json') if $text =~ /BENCH/;
	push @words, map { pick(@files) } 0 .. pick(0, 1, 1, 1, 2, 26) if $text =~ /\bA\b/;
	push @words, '--', options(pick(@$tests)->{rows}) if $text =~ /--/ && chance(50);
	return @words;
}

# { program =>, args => [] } for number @n of @seed; @programs are
# { program =>, name =>, rows =>, words => [] , operands =>, tests => [] }.
sub new_line {
	my ($programs, $seed, $n) = @_;

	# drand48(), which perl has on every machine, has 48 bits of state
	srand(($seed * 1_000_003 + $n) % 4_294_967_296);
	rand() for 1 .. 4;
	my $p = pick(@$programs);
	my @words = @{ $p->{words} // [] };

	# never what it draws or measures for long: Trial.pm bounds the rest
	push @words, '--no-figures' if "@words" eq 'report' && chance(90);
	push @words, '-n' if "@words" eq 'run' && chance(60);
	push @words, options($p->{rows}) if chance(92);
	splice(@words, chance(90) ? scalar @words : below(1 + @words), 0, operands($p->{operands}, $p->{tests} // []));
	# the kernel takes neither zero bytes nor words beyond this size
	@words = map { substr($_ =~ tr/\0//dr, 0, 120_000) } grep { defined } @words;
	return { program => $p->{program}, rows => $p->{rows}, args => \@words };
}

1;
