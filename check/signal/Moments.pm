# SPDX-License-Identifier: GPL-2.0-only
#
# A program gets a signal, or loses the reader of its standard output, at some
# moment: what is wrong with how it ends?
#
# A row is a program: { name, command => [...], kind => what it prints (ktap, run,
# json, html, text), says => 0 if nothing, codes => [how it ends if nothing happens,
# beside 0], unread => how if nobody reads its output, 1, keeps => [regular expressions of files that stay], settle => seconds that
# the host may take to be as it was, prepare => sub { } in its empty working directory,
# tells => 1 if it makes the file $READY when the signal may come }.
package Moments;
use strict;
use warnings;
use Exporter 'import';
use File::Basename qw(dirname);
use File::Path qw(make_path remove_tree);
use JSON::PP ();
use POSIX ();
use Time::HiRes qw(sleep time);
use lib dirname(__FILE__), dirname(__FILE__) . '/../harness';
use Harness;
use HostState;

our @EXPORT = qw(trial undisturbed);

# It is to end so soon after a signal that asks for it.
use constant LIMIT => 2;
# A program that ends as ever, so long after the signal, has not heard of it.
use constant LATE => 1;

my %number = (HUP => 1, INT => 2, QUIT => 3, KILL => 9, TERM => 15);
# They leave it no time to tidy up.
my %sudden = (QUIT => 1, KILL => 1);

my $decoder = JSON::PP->new->utf8;

sub is_json { return eval { $decoder->decode($_[0]); 1 } }

# ---- running ----

# In its own directory; what the program prints goes into a pipe if its reader is
# to leave.
sub run_in {
	my ($row, $dir, $signal, $at) = @_;
	my ($sent, $pipe);
	my %opt = (timeout => 90, step => 0.002,
		   env => { TMPDIR => "$dir/tmp", KVMETER_STRICT => 0, READY => "$dir.ready" });

	chdir($dir) or die "$dir: $!\n";
	if (($signal // '') eq 'PIPE') {
		POSIX::mkfifo("$dir.fifo", 0600) or die "$dir.fifo: $!\n";
		sysopen($pipe, "$dir.fifo", POSIX::O_RDONLY | POSIX::O_NONBLOCK) or die "fifo: $!\n";
		$opt{stdout} = "$dir.fifo";
	}
	$opt{meanwhile} = sub {
		my ($pid, $seconds) = @_;

		return if $seconds < $at || $row->{tells} && !-e "$dir.ready";
		$sent = time;
		$pipe ? close($pipe) : kill($signal, $pid);
		return 1;
	} if $signal;
	my $r = run($row->{command}, %opt);
	chdir('/');
	unlink("$dir.fifo");
	$r->{after} = defined $sent ? time - $sent : undef;
	return $r;
}

sub files_in {
	my ($dir) = @_;

	return sort map { s{^\Q$dir\E/}{}r } split /\n/, `find $dir -mindepth 1 -not -path $dir/tmp`;
}

# ---- judging ----

# A program with KTAP ends with all that it planned, or says that it does not.
sub ktap_ends {
	my ($text) = @_;
	my ($plan) = $text =~ /^1\.\.(\d+)/m;
	my $seen = () = $text =~ /^(?:not )?ok \d/mg;

	return 'nothing' if $text eq '';
	return 'bails out' if $text =~ /^Bail out! \S.*\n/m;
	return 'whole' if defined $plan && $plan == $seen;
	return 'cut';
}

# What is wrong with what it has printed. A consumer must see what is not whole.
sub output_faults {
	my ($row, $r, $signal) = @_;
	my $text = $r->{out};
	my $ends;

	return if $signal eq 'PIPE' || $row->{kind} eq 'text' || $text eq '';
	if ($row->{kind} =~ /^(?:ktap|run)$/) {
		$ends = ktap_ends($text);
		return 'KTAP is cut without a word' if $ends eq 'cut' && !$sudden{$signal};
		return map { "KTAP: $_" } $row->{kind} eq 'ktap' && !$sudden{$signal} ? tap_errors($text) : ();
	}
	return 'half a JSON object on standard output' if $row->{kind} eq 'json' && !is_json($text);
	return 'half a page on standard output'
		if $row->{kind} eq 'html' && $text !~ m{</html>\s*\z};
	return;
}

# What is wrong with files of results.
sub file_faults {
	my ($dir, $r) = @_;
	my @wrong;

	for my $name (grep { /\.(?:json|xml|html)\z/ && -f "$dir/$_" } files_in($dir)) {
		my $text = read_file("$dir/$name");

		push @wrong, "$name is half a file" if $name =~ /json\z/ && !is_json($text);
		push @wrong, "$name is half a page" if $name =~ /html\z/ && $text !~ m{</html>\s*\z};
		push @wrong, "$name is half a file" if $name =~ /xml\z/ && $text !~ m{</testsuites>\s*\z};
	}
	my $results = read_json("$dir/r.json");
	push @wrong, "r.json says $results->{verdict}, though it ended by $r->{code}"
		if $results && $r->{code} && $r->{code} >= 128 && $results->{verdict} ne 'fail';
	return @wrong;
}

sub left_files {
	my ($row, $dir) = @_;
	my @keeps = ('tmp', 'r\.json', @{ $row->{keeps} // [] });

	return grep { my $name = $_; !grep { $name =~ /\A(?:$_)\z/ } @keeps } files_in($dir);
}

# Has it done what it was to do, before the signal came?
sub has_said_all {
	my ($row, $r) = @_;

	return ktap_ends($r->{out}) eq 'whole' if $row->{kind} =~ /^(?:ktap|run)$/;
	return $r->{out} ne '' || !($row->{says} // 1);
}

sub status_faults {
	my ($row, $r, $signal) = @_;
	my $number = $number{$signal} // 13;
	my $as_ever = !$r->{signal} && grep { $_ == $r->{code} } 0, @{ $row->{codes} // [] };

	return "does not end within " . LIMIT . " s of SIG$signal: " . sprintf('%.1f s', $r->{after})
		if $signal ne 'PIPE' && defined $r->{after} && $r->{after} > LIMIT;
	return if $as_ever && ($signal eq 'PIPE' ||
			       (($r->{after} // 0) < LATE && has_said_all($row, $r)));
	return if $signal eq 'PIPE' && ($r->{signal} == 13 || $r->{code} == ($row->{unread} // 1));
	return if $r->{signal} == $number || (!$sudden{$signal} && $r->{code} == 128 + $number);
	return "exit code $r->{code}, signal $r->{signal}";
}

sub next_faults {
	my ($row, $dir, $before) = @_;
	my $r = run_in($row, $dir);
	my @wrong;

	push @wrong, "the next run: exit code $r->{code}, signal $r->{signal}: $r->{err}"
		if $r->{signal} || !grep { $_ == $r->{code} } 0, @{ $row->{codes} // [] };
	push @wrong, map { "the next run leaves $_" } left_files($row, $dir);
	push @wrong, map { "after the next run: $_" } settled_changes($before, $row->{settle} // 3);
	return @wrong;
}

# ---- a trial ----

sub in_fresh_directory {
	my ($row, $what) = @_;
	my $dir = scratch('trial');

	remove_tree($dir);
	unlink("$dir.ready");
	make_path("$dir/tmp");
	if ($row->{prepare}) {
		chdir($dir) or die "$dir: $!\n";
		$row->{prepare}->();
		chdir('/');
	}
	return $what->($dir);
}

# A machine that is busy otherwise is no fault of the program: it has to be late at
# this moment again.
use constant TRIES => 3;

# trial(ROW, SIGNAL, SECONDS): what run() returns, with faults => [...], left =>
# [files that stayed], tries
sub trial {
	my ($row, $signal, $at) = @_;
	my ($r, $tries) = (undef, 0);

	do {
		$r = try_once($row, $signal, $at);
		$r->{tries} = ++$tries;
	} while ($tries < TRIES && "@{ $r->{faults} }" =~ /\Adoes not end within [^:]*: [\d.]+ s\z/);
	return $r;
}

sub try_once {
	my ($row, $signal, $at) = @_;

	return in_fresh_directory($row, sub {
		my ($dir) = @_;
		my $before = host_state();
		my $r = run_in($row, $dir, $signal, $at);
		my @wrong = (status_faults($row, $r, $signal), output_faults($row, $r, $signal),
			     file_faults($dir, $r));
		my @left = map { "leaves $_" } left_files($row, $dir);
		my @changes = settled_changes($before, $row->{settle} // 3);

		if ($sudden{$signal}) {
			# what nobody could put back, the next run does
			push @wrong, grep { !/^control groups/ } @changes;
			push @wrong, next_faults($row, $dir, $before);
		} else {
			push @wrong, @left, @changes;
		}
		return { %$r, faults => \@wrong, left => \@left };
	});
}

# The seconds that it takes, and what is wrong with it when nothing happens.
sub undisturbed {
	my ($row) = @_;

	return in_fresh_directory($row, sub {
		my ($dir) = @_;
		my $before = host_state();
		my $r = run_in($row, $dir);
		my @wrong = file_faults($dir, $r);

		push @wrong, "exit code $r->{code}, signal $r->{signal}: $r->{err}"
			if $r->{signal} || !grep { $_ == $r->{code} } 0, @{ $row->{codes} // [] };
		push @wrong, map { "leaves $_" } left_files($row, $dir);
		push @wrong, settled_changes($before, 3);
		return { %$r, faults => \@wrong };
	});
}

1;
