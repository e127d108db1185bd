# SPDX-License-Identifier: GPL-2.0-only
#
# A command line is run and judged: the exit code, how long it took, what it
# said, what it left. A fault is a sentence that is the same for all lines with
# it, so that a line can be cut down to what it takes.
package Trial;
use strict;
use warnings;
use Encode ();
use Exporter 'import';
use File::Path qw(make_path remove_tree);
use POSIX ();
use Time::HiRes qw(alarm sleep time);

our @EXPORT = qw(prepare try_line fault_of minimise shown);

our $refusal_seconds = 5;
use constant LINES_MAX => 6;
use constant BYTES_MAX => 4000;

# Sanitizers end a program by this, which is no exit code of kvmeter's.
use constant REPORTED => 99;
my %sanitizers = (
	ASAN_OPTIONS => 'exitcode=99:allocator_may_return_null=1:malloc_context_size=8',
	UBSAN_OPTIONS => 'exitcode=99:print_stacktrace=1',
	LSAN_OPTIONS => 'exitcode=99',
);

# What kvmeter bisect step promises git, besides: it refuses by the last one.
use constant STEP_ABORT => 128;
my %codes = map { $_ => 1 } 0, 1, 2, 4;
my %step_codes = (%codes, 125 => 1, 128 => 1);

# prepare(DIRECTORY, { NAME => TEXT }): lines run in DIRECTORY/cwd, which has
# these files whenever one begins.
my ($top, $files);

sub write_file {
	my ($path, $text) = @_;

	open(my $out, '>', $path) or die "$path: $!\n";
	print $out $text;
	close $out or die "$path: $!\n";
}

sub make_files {
	for my $name (keys %$files) {
		make_path("$top/cwd/$1") if $name =~ m{(.+)/};
		write_file("$top/cwd/$name", $files->{$name});
	}
	make_path("$top/cwd/empty");
	symlink('a.json', "$top/cwd/link");
	symlink('loop', "$top/cwd/loop");
}

sub prepare {
	($top, $files) = @_;
	make_path("$top/cwd");
	make_files();
}

# Names with sizes and times of what is there: the same, nothing was touched.
sub listing {
	my ($dir) = @_;
	my @all;

	opendir(my $d, $dir) or return '';
	for my $name (sort grep { !/\A\.\.?\z/ } readdir $d) {
		my @st = lstat("$dir/$name");

		push @all, join(' ', $name, @st[2, 7, 9]);
		push @all, listing("$dir/$name") if -d _;
	}
	return join("\n", @all);
}

sub read_all {
	my ($path) = @_;

	open(my $in, '<', $path) or return '';
	local $/;
	return scalar(<$in>) // '';
}

sub become {
	my ($line) = @_;

	setpgrp(0, 0);
	chdir("$top/cwd") or POSIX::_exit(127);
	open(STDIN, '<', '/dev/null');
	open(STDOUT, '>', "$top/out");
	open(STDERR, '>', "$top/err");
	%ENV = (%ENV, %sanitizers, TMPDIR => $top, LC_ALL => 'C');
	no warnings 'exec';
	exec { $line->{program} } $line->{program}, @{ $line->{args} } or POSIX::_exit(126);
}

# Waits; 'TERM' is sent to a line that is still at it after {patience} seconds,
# KILL to one that takes no notice.
sub wait_for {
	my ($pid, $line, $r) = @_;
	my @signals = $line->{patience} ? ('TERM', 'KILL') : ('KILL');
	my $seconds = $line->{patience} // 4 * $refusal_seconds;

	local $SIG{ALRM} = sub {
		my $signal = shift(@signals) // 'KILL';

		$r->{sent} = $signal;
		kill($signal, $signal eq 'TERM' ? $pid : -$pid);
		alarm(2 * $refusal_seconds);
	};
	alarm($seconds);
	1 while waitpid($pid, 0) < 0 && $!{EINTR};
	alarm(0);
}

# Of { program =>, args =>, patience => }: { code, signal, sent, seconds, out,
# err, touched }
sub try_line {
	my ($line) = @_;
	my %r = (sent => '');
	my $before = listing("$top/cwd");
	my $start = time;
	my $pid = fork() // die "fork: $!\n";

	become($line) if !$pid;
	wait_for($pid, $line, \%r);
	@r{qw(code signal seconds)} = ($? >> 8, $? & 127, time - $start);
	kill('KILL', -$pid);
	@r{qw(out err)} = (read_all("$top/out"), read_all("$top/err"));
	$r{touched} = listing("$top/cwd") ne $before;
	if ($r{touched}) {
		remove_tree("$top/cwd", { keep_root => 1 });
		make_files();
	}
	return \%r;
}

# ---- judging ----

# Is a word of the line, or the option that it gives, named?
sub names_a_word {
	my ($err, $line) = @_;

	for my $word (@{ $line->{args} }) {
		my ($option) = $word =~ /\A(--[^=]*|-.)/s;

		for my $part (grep { defined && /\S/ } $option, $word, $word =~ /=(.*)/s, $word =~ /\A-.(.+)/s,
			      split(/[,=:\s-]+/, $word)) {
			# the beginning of it, as far as it is text
			my ($text) = substr($part, 0, 20) =~ /\A([ -~]+)/;

			return 1 if !defined $text || index($err, $text) >= 0;
		}
	}
	# by its long name what was abbreviated, by its letter what is one of several
	for my $row (@{ $line->{rows} }) {
		return 1 if $err =~ /--\Q$row->{name}\E\b/ || $err =~ /: -\Q$row->{letter}\E\b/;
	}
	return !@{ $line->{args} };
}

# All lines of a suite that are no good, say: each begins with where it is.
sub is_list {
	return !grep { !/\A(?:kvmeter \w+: )?\S+:\d+: \S/ } split /\n/, $_[0];
}

# Of a message for people.
sub text_fault {
	my ($text, $line) = @_;
	my $copy = $text;
	# each file that is of no use has one
	my $lines_max = LINES_MAX + @{ $line->{args} };

	return 'says nothing on standard error' if $text !~ /\S/;
	return 'says more than a few lines' if ($text =~ tr/\n//) > $lines_max && !is_list($text)
		|| length $text > BYTES_MAX;
	return 'says it in no UTF-8' if !defined eval { Encode::decode('UTF-8', $copy, Encode::FB_CROAK) };
	return 'has control characters in what it says'
		if Encode::decode('UTF-8', $text) =~ /[^\P{Cc}\n\t]/;
	return;
}

sub refusal_fault {
	my ($r, $line) = @_;
	my $text = text_fault($r->{err}, $line);

	return "refuses, but writes on standard output" if $r->{out} ne '';
	return "refuses, but $text" if $text;
	return 'refuses without naming an option or a value' if !names_a_word($r->{err}, $line);
	# of what a benchmark refuses kvmeter learns by running it
	return 'refuses, but has left or changed files'
		if $r->{touched} && $r->{err} !~ /: invocation 1 \(A\): /;
	return 'refuses too late' if $r->{seconds} > $refusal_seconds;
	return;
}

sub end_fault {
	my ($r, $line) = @_;
	# git bisect run calls it, without a word too few or too many
	my $codes = join(' ', @{ $line->{args} }) =~ /\Abisect(?!\s+(?:record|log)\b)/ ? \%step_codes : \%codes;

	return "makes a sanitizer report $1"
		if $r->{err} =~ m{((?:\S+: runtime error|ERROR: \w+Sanitizer): .{0,60})};
	return 'makes a sanitizer report something' if $r->{code} == REPORTED;
	return 'does not end' if $r->{sent} eq 'KILL';
	return "is killed by signal $r->{signal}" if $r->{signal};
	return if $r->{sent} eq 'TERM' && $r->{code} == 143;
	return "exits by $r->{code}" if !$codes->{ $r->{code} };
	return;
}

# NULL if there is none.
sub fault_of {
	my ($r, $line) = @_;
	my $fault = end_fault($r, $line);

	return $fault if $fault;
	return refusal_fault($r, $line) if $r->{code} == 2 || $r->{code} == STEP_ABORT;
	# a report on standard output is a reason, too
	return 'does not say why' if $r->{code} && "$r->{err}$r->{out}" !~ /\S/;
	return;
}

# ---- shorter lines ----

# How often one is tried: a line may need most of its 100000 characters.
use constant TRIALS_MAX => 300;
my $trials;

sub has_fault {
	my ($line, $fault, $args) = @_;
	my %shorter = (%$line, args => $args);

	return 0 if $trials++ > TRIALS_MAX;
	return (fault_of(try_line(\%shorter), \%shorter) // '') eq $fault;
}

# Cuts @$list down to what it takes; @join makes arguments of it.
sub cut {
	my ($line, $fault, $join, @list) = @_;

	for (my $size = int((1 + @list) / 2); $size >= 1; $size = int($size / 2)) {
		for (my $at = 0; $at < @list;) {
			my @less = @list;

			splice(@less, $at, $size);
			if (has_fault($line, $fault, [$join->(@less)])) {
				@list = @less;
			} else {
				$at += $size;
			}
		}
	}
	return @list;
}

# The shortest line found that has the same fault: fewer words, then shorter
# ones.
sub minimise {
	my ($line, $fault) = @_;
	my @args = @{ $line->{args} };
	my $nr;

	$trials = 0;
	do {
		$nr = @args;
		@args = cut($line, $fault, sub { @_ }, @args);
	} while (@args < $nr);

	for my $i (0 .. $#args) {
		my @rest = @args;

		$args[$i] = join('', cut($line, $fault, sub { @rest[$i] = (join '', @_); @rest },
					 split //, $args[$i]));
	}
	return { %$line, args => \@args };
}

# As one would type it, in bash.
sub shown {
	my ($line) = @_;
	my @words = map {
		m{\A[\w./,=:+@%-]+\z} ? $_
			: /[^ -~]/ ? "\$'" . s/([^ -~]|['\\])/sprintf('\\x%02x', ord $1)/ger . "'"
			: "'" . s/'/'\\''/gr . "'"
	} $line->{program} =~ s{.*/}{}r, @{ $line->{args} };

	return join ' ', map { length > 300 ? substr($_, 0, 300) . '...' : $_ } @words;
}

1;
