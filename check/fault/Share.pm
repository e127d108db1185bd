# SPDX-License-Identifier: GPL-2.0-only
#
# Which faults to try of all those that there are, and trying them, several at a
# time since nothing is measured.
package Share;
use strict;
use warnings;
use Exporter 'import';
use File::Basename qw(dirname);
use Digest::MD5 qw(md5);
use File::Path qw(remove_tree);
use JSON::PP ();
use POSIX ();
use Time::HiRes qw(time);
use lib dirname(__FILE__);
use Fault;
use Kinds qw(kind_of);

our @EXPORT = qw(symbols all_faults fair_share in_mixed_order try_all);

my $json = JSON::PP->new->canonical;

# Functions of a program, by address: [[address, name]...]
sub functions
{
	my ($program) = @_;
	our %known;

	return $known{$program} //= [
		map { /^([0-9a-f]+) [tTwW] (\S+)/ ? [hex $1, $2] : () }
		qx(nm -n --defined-only $program 2>/dev/null)
	];
}

# "PROGRAM+0x12,0x34" -> "inner < outer", whose order is that on the stack.
sub symbols
{
	my ($program, @at) = split /[+,]/, $_[0];
	my $functions = functions($program);
	my @names;

	for my $at (map { hex $_ } @at) {
		my ($low, $high) = (0, scalar @$functions);

		while ($low + 1 < $high) {
			my $middle = ($low + $high) >> 1;

			if ($functions->[$middle][0] < $at) {
				$low = $middle;
			} else {
				$high = $middle;
			}
		}
		push @names, $functions->[$low][1] // '?';
	}
	return join(' < ', @names);
}

sub occurrences
{
	my ($count) = @_;
	my %nth = map { $_ => 1 } grep { $_ >= 1 } 1, 2, $count >> 1, $count;

	return sort { $a <=> $b } grep { $_ <= $count } keys %nth;
}

# A call to close() that fails has closed: what is made to fail here has not,
# which only matters to what waits for the other end of a pipe.
sub is_fair
{
	my ($call) = @_;

	return $call->{kind} ne 'close' || $call->{subject} =~ m{/(?:put|work)/};
}

# All faults of a scene: each call site, at some of its occurrences, with each
# errno; and each kind with its first errno at every call.
sub all_faults
{
	my ($scene, $calls) = @_;
	my (@faults, %kinds);

	for my $call (grep { is_fair($_) } @$calls) {
		my $kind = kind_of($call->{kind}) or next;
		my $errnos = $kind->{errnos};

		$kinds{ $call->{kind} } = $errnos->[0] if $errnos->[0] && $call->{kind} ne 'close';
		for my $nth (occurrences($call->{count})) {
			push @faults, map { {
				scene => $scene, kind => $call->{kind}, site => $call->{site},
				nth => $nth, errno => $_, symbols => symbols($call->{at}),
			} } @$errnos;
		}
	}
	for my $kind (sort keys %kinds) {
		next if $kinds{$kind} =~ /^(EINTR|EAGAIN)$/;
		push @faults, { scene => $scene, kind => $kind, nth => 1, on => 1,
				errno => $kinds{$kind}, symbols => 'everywhere' };
	}
	return @faults;
}

# One fault of each kind from each path through the code, whichever program it
# is in; of these no two neighbours alike, so that any part is a mixture.
sub fair_share
{
	my (%of, %seen);

	push @{ $of{"$_->{kind} $_->{symbols}"} }, $_ for grep { $_->{nth} == 1 } @_;
	my @keys = sort { hash($a) <=> hash($b) } keys %of;
	return map { $of{$_}[hash($_) % @{ $of{$_} }] } @keys;
}

# All of them, so that those that are first are of all kinds and scenes.
sub in_mixed_order
{
	my @order = sort { $a->[0] <=> $b->[0] }
		map { [hash("$_[$_]{scene}{name} $_[$_]{kind} $_[$_]{symbols} $_[$_]{errno} $_[$_]{nth}"), $_[$_]] }
		0 .. $#_;

	return map { $_->[1] } @order;
}

sub hash
{
	return unpack('N', md5($_[0]));
}

sub worker
{
	my ($env, $faults, $number, $of, $deadline, $out) = @_;
	my %env = (%$env, dir => "$env->{dir}.$number");

	for (my $i = $number; $i < @$faults && time < $deadline; $i += $of) {
		my $fault = $faults->[$i];
		my $r = attempt(\%env, $fault->{scene}, $fault);
		my ($outcome, @wrong) = judge($fault->{scene}, $fault, $r,
					      $fault->{scene}{base});

		print $out $json->encode({ index => $i, outcome => $outcome, wrong => \@wrong,
			said => @wrong ? substr("$r->{err}$r->{out}", 0, 1000) : '' }), "\n";
	}
	remove_tree($env{dir});
}

# Tries these faults, as long as there are seconds. Returns those that were, with
# their outcome and what is wrong with it.
sub try_all
{
	my ($env, $faults, $seconds, $workers) = @_;
	my $deadline = time + $seconds;
	my (@files, @pids, @tried);

	for my $number (0 .. $workers - 1) {
		open(my $file, '+>', undef) or die "temporary file: $!\n";
		push @files, $file;
		my $pid = fork() // die "fork: $!\n";
		if (!$pid) {
			$file->autoflush(1);
			worker($env, $faults, $number, $workers, $deadline, $file);
			POSIX::_exit(0);
		}
		push @pids, $pid;
	}
	for my $number (0 .. $#pids) {
		waitpid($pids[$number], 0);
		die "a worker ended with $?\n" if $?;
		seek($files[$number], 0, 0);
		my $file = $files[$number];
		while (my $line = <$file>) {
			my $result = $json->decode($line);

			push @tried, { %{ $faults->[$result->{index}] }, %$result };
		}
	}
	return sort { $a->{index} <=> $b->{index} } @tried;
}

1;
