# SPDX-License-Identifier: GPL-2.0-only
#
# Words for command lines: values that an option may take, and all else that
# people and programs have ever typed in their place. Everything is drawn from
# the random numbers of one seed: the same seed gives the same words.
package Values;
use strict;
use warnings;
use Exporter 'import';

our @EXPORT = qw(pick chance below odd_value fair_value hostile);

sub below {
	my ($nr) = @_;

	return int(rand($nr));
}

sub pick {
	return $_[int(rand(@_))];
}

sub chance {
	my ($percent) = @_;

	return rand(100) < $percent;
}

# ---- strings ----

# Files of the directory where lines are tried (Lines.pm makes them), and what
# stands for files elsewhere.
my @paths = ('a.json', 'b.json', 'broken.json', 'skip.json', 'a.suite', 'state', 'log', 'results',
	'empty', 'new', 'new.json', 'none/file', '', '.', '..', '/', '-', '--', './-', 'results/',
	'a.json/', '/dev/null', '/dev/full', '/dev/zero', '/dev/kvm', '/proc/self/exe', '/proc/none',
	'/proc/self/mem', '/sys/kernel/mm/ksm/run', '/dev/hugepages', '~', '*', 'a b', 'link', 'loop');

my @hostile = ("\e[2J\e]0;x\a", "\a\b\r", "a\nb", "\n", "\t", "\x7f", "\x01", "\xc2\x9b31m",
	"\xff\xfe", "\xc0\x80", "\xed\xa0\x80", "\xf5\x80\x80\x80", "\xc3", "\xe2\x80\xae1",
	"\xd9\xa1\xd9\xa2", "\xef\xbc\x91", "\xf0\x9f\x92\xa9", "\xef\xbb\xbf1", '%s%n%s%n',
	'%999999999d', '%', '${HOME}', '`id`', '$(id)', ';true', '|true', '&', '<a>', '"', "'", '\\',
	'"a', '#', '=', '==', ',', ',,', ':', '::', '.', '/', '@', '!', 'none', 'null', 'help', 'all',
	'HELP', 'help ', 'nan', 'inf', '-inf', 'NaN', 'infinity', '1e400', '0x1p3', '1e-400', 'true',
	'kvm.', '.x', 'kvm.none=1', 'kvm.nx_huge_pages=Y', '/none=1', 'a=b,c=d', '=1', 'a=', 'uffd',
	'uffd:', 'uffd:50', 'uffd:50,2', 'swap', 'swap:1', 'anonymous_thp', 'memfd', 'PXXV48', '0', '1');

sub long_text {
	my $unit = pick('A', '1', '9', '0', ',', '1,', '1-2,', '-', ' ', "\xc3\xa4", "\xff", '%s', '/a',
		'a=b,', 'a ', '"', "\\", "\n");
	my $bytes = pick(31, 32, 33, 63, 64, 65, 127, 128, 255, 256, 1023, 1024, 4095, 4096, 5000,
		60000, 120000);

	return substr($unit x (1 + $bytes / length $unit), 0, $bytes);
}

sub random_bytes {
	return join('', map { chr(1 + below(255)) } 0 .. below(12));
}

sub hostile {
	my $kind = below(12);

	return long_text() if $kind == 0;
	return random_bytes() if $kind == 1;
	return pick(@paths) if $kind < 5;
	return pick(@hostile) . pick(@hostile) if $kind == 5;
	return pick(@hostile);
}

# ---- numbers ----

# 2^N as a string: more than perl's integers hold.
sub power_of_two {
	my ($n) = @_;
	my @digits = (1);

	for (1 .. $n) {
		my $carry = 0;

		for my $d (@digits) {
			$d = 2 * $d + $carry;
			$carry = $d > 9;
			$d %= 10;
		}
		push @digits, 1 if $carry;
	}
	return join('', reverse @digits);
}

my @limits = (map({ power_of_two($_) } 0 .. 17, 20, 21, 30 .. 33, 40, 52, 53, 62 .. 65, 127, 128),
	qw(65535 65537 4095 4097 4294967295 4294967297 9223372036854775807 9223372036854775809
	   18446744073709551615 18446744073709551614 18446744073709551617 100 99 101 1000 1000000
	   1000001 999999999999999999999999999999));

sub number {
	my $kind = below(10);

	return below(5) if $kind < 3;
	return below(100000) if $kind == 3;
	return sprintf('0x%x', below(1 << 30)) if $kind == 4;
	return pick(@limits);
}

my @spoilt = ('-1', '-0', '+1', '1.5', '.5', '1e3', '1E9', '0x', '0xg', '010', '08', ' 1', '1 ',
	"1\n", '1_000', '1k', '1K', '0b1', '1/2', '1%', '1-', '-', '--1', '1;2', '1 2', '00000000000000001',
	'-18446744073709551615', '-9223372036854775808', '0x10000000000000000',
	'0xffffffffffffffff', '1' . '0' x 400);

my @suffixes = ('', '', 'K', 'M', 'G', 'T', 'k', 'm', 'g', 'KiB', 'MB', 'b', 'P', 'E', 'KK', 'Ki', 'B', '%',
	' K', 'KB ', '.5K', 'iB', 'KiBB', "K\n", "\xc2\xb5");

sub size {
	return number() . pick(@suffixes);
}

my @separators = (',', ',', ',', ',,', ', ', ';', ' ', "\n", '.', '-', '--');
my @ranges = ('1-18446744073709551615', '0-18446744073709551615', '18446744073709551615-0', '4-1', '1-4',
	'2-2', '0-0', '1-2-3', '1--2', '-1-2', '1-', '-', '1-4096', '1-4097', '1-65536', '1-0x10',
	'18446744073709551614-18446744073709551615', '18446744073709551615-18446744073709551615',
	'9223372036854775807-9223372036854775809', '4K-8K', '1K-64M', '1G-1', '4K-', '1,2-3,4', '1-4,2-8');

sub list {
	my ($element) = @_;
	my $kind = below(10);

	return pick(@ranges) if $kind < 3;
	return $element->() if $kind < 5;
	return join(',', map { $element->() } 0 .. below(5)) if $kind < 8;
	return join(pick(@separators), map { $element->() } 0 .. below(5)) . pick('', ',', '-') if $kind == 8;
	return join(',', map { pick(1, '1-2', number()) } 0 .. pick(40, 400, 4000, 5000, 20000));
}

# ---- of an option ----

my %kinds = (
	N => \&number,
	MS => \&number,
	SECONDS => \&number,
	PERCENT => \&number,
	SIZE => \&size,
	ADDRESS => \&size,
	LIST => sub { return list(chance(50) ? \&number : \&size) },
	PCT => sub { return pick(number(), '1.5', '99.999', '100', '1e-300', hostile()) },
	P => sub { return pick('0.01', '0.5', '0.50001', '1e-300', '0', '1', number(), hostile()) },
	FILE => sub { return pick(@paths) },
	DIR => sub { return pick(@paths) },
	PATH => sub { return pick(@paths) },
	'NAME=VALUE' => sub { return pick(@hostile) },
	CMD => sub { return pick('true', 'false', 'none', './none', 'true {}', "'", '', 'true "a b"', hostile()) },
);

sub spoil {
	my ($text) = @_;
	my $at = below(1 + length $text);
	my $kind = below(4);

	return substr($text, 0, $at) if $kind == 0;
	return substr($text, 0, $at) . pick(@hostile) . substr($text, $at) if $kind == 1;
	return uc $text if $kind == 2;
	return $text . $text;
}

# A value that the option's row in --completion may allow.
sub fair_value {
	my ($row) = @_;
	my @choices = @{ $row->{choices} };
	my $kind = $kinds{ $row->{arg} };

	return join(',', map { pick(@choices) } 0 .. ($row->{kind} eq 'list' ? below(3) : 0)) if @choices;
	return $kind ? $kind->() : pick(@hostile, @paths);
}

# One that most do not.
sub odd_value {
	my ($row) = @_;
	my $kind = below(8);

	return hostile() if $kind < 2;
	return pick(@spoilt) if $kind == 2;
	return spoil(fair_value($row)) if $kind == 3;
	return list(pick(\&number, \&size, \&hostile)) if $kind == 4;
	return pick(number(), size()) if $kind == 5;
	return fair_value($row);
}

1;
