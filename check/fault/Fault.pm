# SPDX-License-Identifier: GPL-2.0-only
#
# Runs a scene in a directory of its own with a call failing in it, and judges
# how it took that.
package Fault;
use strict;
use warnings;
use Exporter 'import';
use Errno ();
use File::Basename qw(dirname);
use File::Copy qw(copy);
use File::Find qw(find);
use File::Path qw(make_path remove_tree);
use JSON::PP ();
use POSIX ();
use lib dirname(__FILE__) . '/../harness';
use Alive qw(alive);

# What cannot be killed has so many seconds beyond its limit: inject(1) gives up
# sooner, unless it is the one that hangs.
use constant PATIENCE => 30;

our @EXPORT = qw(record attempt judge errno_text);

my $json = JSON::PP->new->utf8;
my %number = map { $_ => Errno->$_() } grep { /^E/ } @Errno::EXPORT_OK;

sub errno_text
{
	return POSIX::strerror($number{ $_[0] } // die "$_[0]: no such errno\n");
}

sub slurp
{
	open(my $in, '<', $_[0]) or return '';
	local $/;
	return scalar(<$in>) // '';
}

# Files below a directory, with their content.
sub files_in
{
	my ($dir) = @_;
	my %found;

	find({ no_chdir => 1, wanted => sub {
		$found{ substr($_, length($dir) + 1) } = -f $_ ? slurp($_) : '' if $_ ne $dir;
	} }, $dir);
	return \%found;
}

# Waits for inject(1): its status, and what was alive just before its limit if it
# came so far.
sub wait_for
{
	my ($pid, $limit, $patience) = @_;
	my ($late, @alive);

	local $SIG{ALRM} = sub {
		if ($late) {
			kill('KILL', $pid);
			push @alive, 'inject(1) had to be killed';
		} else {
			$late = 1;
			alarm($patience);
			@alive = alive($pid);
		}
	};
	alarm($limit - 1);
	waitpid($pid, 0);
	my $status = $?;
	alarm(0);
	return ($status, @alive);
}

# Runs inject(1) on the scene with these options, for so many seconds at most. What
# a program leaves in memory or as a process is in the report; files are looked for
# here.
sub run
{
	my ($env, $scene, $limit, @options) = @_;
	my $dir = $env->{dir};
	my $results = "$dir/put/results";
	my %r;

	remove_tree($dir);
	make_path(map { "$dir/$_" } qw(work tmp put));
	copy("$env->{made}/$_", "$dir/work/$_") for @{ $scene->{copy} };
	my @command = map { s/RESULTS/$results/r =~ s/FILE/$dir\/work\/memory/r }
		@{ $scene->{command} };
	my $pid = fork() // die "fork: $!\n";
	if (!$pid) {
		chdir("$dir/work");
		open(STDIN, '<', '/dev/null');
		open(STDOUT, '>', "$dir/stdout");
		open(STDERR, '>', "$dir/stderr");
		delete @ENV{qw(KVMETER_STRICT KVMETER_TESTS)};
		$ENV{TMPDIR} = "$dir/tmp";
		$ENV{LC_ALL} = 'C';
		exec("$env->{out}/check/fault/inject", '--under', $env->{under} // $env->{out},
			'--report', "$dir/report", '--limit', $limit, @options, '--', @command)
			or POSIX::_exit(127);
	}
	my ($status, @alive) = wait_for($pid, $limit, $env->{patience} // PATIENCE);
	@r{qw(code out err)} = ($status >> 8, slurp("$dir/stdout"), slurp("$dir/stderr"));
	die "inject: $r{err}" if $r{code} == 120 || $r{code} == 127;
	my $report = slurp("$dir/report");
	$r{$1} = $2 while $report =~ /^(failed|at|files|signal|seen) ?(.*)$/mg;
	$r{hung} = join('; ', 'hung', @alive) if $report =~ /^hung$/m || $status & 127;
	$r{left} = [$report =~ /^left (.*)$/mg];
	$r{command} = join(' ', @command);
	$r{$_} = files_in("$dir/$_") for qw(work tmp put);
	return \%r;
}

# The calls that a scene makes: [{ kind, site, count, at, subject }], and how it
# went.
sub record
{
	my ($env, $scene) = @_;
	my $list = "$env->{scratch}/list.$$";
	my $r = run($env, $scene, $env->{record_limit} // 60, '--record', $list);
	my @calls;

	for (split /\n/, slurp($list)) {
		my %call;

		@call{qw(kind site count at subject)} = split / /, $_, 5;
		push @calls, \%call if $call{at} =~ m{/\Q$scene->{program}\E\+};
	}
	unlink $list;
	return (\@calls, $r);
}

# attempt(ENV, SCENE, { kind, site, nth, errno, on })
sub attempt
{
	my ($env, $scene, $fault) = @_;

	return run($env, $scene, $env->{limit} // 20, '--fail', $fault->{kind}, '--error',
		$number{ $fault->{errno} }, '--nth', $fault->{nth} // 1,
		$fault->{site} ? ('--site', $fault->{site}) : (), $fault->{on} ? '--on' : ());
}

# ---- judgement ----

# What may be where, by the run in which nothing failed: whole or not at all.
sub debris
{
	my ($r, $base) = @_;
	my @wrong;

	# what cannot be removed has to be named
	push @wrong, map { "temporary file left: $_" }
		grep { $r->{err} !~ /\Q$_\E.* left behind/ && $_ !~ m{/} } sort keys %{ $r->{tmp} };
	for my $where (qw(work put)) {
		push @wrong, map { "file left: $where/$_" }
			grep { !exists $base->{$where}{$_} && $r->{err} !~ /\Q$_\E.* left behind/ }
			sort keys %{ $r->{$where} };
	}
	my $results = $r->{put}{results};
	if (defined $results) {
		my $like = $base->{put}{results} // '';
		my $whole = $like =~ /^\{/ ? eval { $json->decode($results) }
					   : $results =~ /\S\n\z/ && $results =~ m{</\w+>\s*\z};
		push @wrong, 'half a file of results' if !$whole;
		push @wrong, "verdict pass, exit $r->{code}"
			if ref $whole && ($whole->{verdict} // '') eq 'pass' && $r->{code}
			&& $r->{err} !~ /writing the report: /;
	} elsif ($r->{code} == 0 && defined $base->{put}{results}) {
		push @wrong, 'exit 0 without results';
	}
	return @wrong;
}

# Words by which a message tells which call it was.
my %words = (
	'clone3(thread)' => qr/thread/, pread64 => qr/\bpread\b/, 'clone3(process)' => qr/fork|cannot be started|start/,
	'clone(process)' => qr/fork|cannot be started|start/,
	'mmap(anonymous)' => qr/mapping|memory|address space|mmap|thread/,
	'mmap(file)' => qr/mapping|memory|ring|mmap/, brk => qr/memory/,
	mprotect => qr/memory|mprotect|thread/, madvise => qr/madvise|populating/i,
	userfaultfd => qr/userfaultfd/, eventfd2 => qr/eventfd/, memfd_create => qr/memfd/,
	perf_event_open => qr/perf_event_open|tracepoint/, 'write(stdout)' => qr/output|report/,
	openat => qr/open|cannot be read|cannot be started|this kernel has no|no such benchmark/, pipe2 => qr/pipe|cannot be started/,
	dup2 => qr/cannot be started|gnuplot/, lseek => qr/cannot be read/, read => qr/\bread\b/,
	getdents64 => qr/no benchmarks|results/, newfstatat => qr/no benchmarks|results|looked at/,
	mkdir => qr/director/, getcwd => qr/results/, fcntl => qr/cannot be (?:read|started)/,
	execve => qr/cannot be started|hook/, readlink => qr/results|cannot be started|gnuplot/, prlimit64 => qr/open files|limit/,
);

# What stands for an errno's own text where more is known.
my %other_words = (
	EWOULDBLOCK => qr/another kvmeter/, EPERM => qr/no permission|run as root/, EACCES => qr/no permission|run as root/,
	ENOSYS => qr/this kernel has no/, ENOENT => qr/which is not here|this kernel has no|no such benchmark/,
);

sub is_named
{
	my ($text, $fault, $r) = @_;
	my $subject = $r->{failed} // '';
	# the first of all that failed need not be the one that mattered
	return 1 if $fault->{on} || ($fault->{kind} =~ /stat\b|statat/ && $subject eq '');
	my ($request) = $fault->{kind} =~ /^ioctl\((.*)\)$/;

	return 1 if $request && $text =~ /\b\Q$request\E\b/;
	$subject =~ s/\.[0-9a-f]+\.tmp\z| \(deleted\)\z//;
	return 1 if length $subject && index($text, $subject) >= 0;
	# a file that had no name yet
	return 1 if $subject =~ m{/#\d+\z};
	return 1 if $subject =~ m{([^/]{3,})\z} && index($text, $1) >= 0;
	return 1 if $subject =~ m{\A(/.{8,})/} && index($text, $1) >= 0;
	my $words = $words{ $fault->{kind} } // qr/\b\Q$fault->{kind}\E\b/;
	return $text =~ $words || $fault->{kind} =~ /^\w+/ && $text =~ /\b$&\b/;
}

# Lines of the message that the errno's text stands in, else all of it.
sub message_faults
{
	my ($scene, $fault, $r) = @_;
	my $text = "$r->{err}\n$r->{out}";
	my $reason = errno_text($fault->{errno});
	my @wrong;

	return if $fault->{kind} eq 'write(stderr)';
	if ($text !~ /\S/) {
		return "exit $r->{code} without a message";
	}
	# pthread_create() has but one errno for what it lacks
	$reason = errno_text('EAGAIN') if $fault->{kind} =~ /^(clone3|mmap|mprotect|clone)\b/
		&& $text =~ /\bthread\b/ && $text !~ /\Q$reason\E/;
	# a directory that cannot be looked at is taken for one of somebody else's
	return if $text =~ /another user has put it there/;
	# whether something is there and allowed has but two answers
	return if $fault->{kind} =~ /access/;
	# what kvmeter doctor finds has a field for the remedy
	return if $scene->{name} =~ /^kvmeter doctor/ && $text =~ /\Q$reason\E/;
	# two of our workers have met
	return if $text =~ /another kvmeter changes it/;
	# nor does it matter why a hierarchy cannot be seen: mounting it anew helps
	return if $text =~ /no memory cgroup can be seen/;
	if ($text !~ /\Q$reason\E/ && $text !~ ($other_words{ $fault->{errno} } // qr/(?!)/)) {
		push @wrong, "the message does not say '$reason'";
	} elsif ($text =~ /\Q$reason\E/ && $text !~ /^ +> \S/m && $text !~ /\Q$reason\E\)?[:;,] +\S.{5,}/) {
		push @wrong, 'the message does not say what to do';
	}
	push @wrong, "the message does not name $fault->{kind}"
		. ($r->{failed} ? " of $r->{failed}" : '') if !is_named($text, $fault, $r);
	return @wrong;
}

my %outcome = (0 => 'tolerated', 1 => 'failed', 2 => 'refused', 4 => 'skipped');

# kvmeter-bisect(1): 1 is a verdict, as is 0, and may come from no error.
my %outcome_of_step = (125 => 'failed', 128 => 'failed');

# judge(): (outcome, what is wrong...)
sub judge
{
	my ($scene, $fault, $r, $base) = @_;
	my @wrong = map { "process left: $_" } @{ $r->{left} };

	return ('unreached') if !defined $r->{failed} && !$r->{hung} && !$r->{signal};
	push @wrong, $r->{hung} if $r->{hung};
	push @wrong, "signal $r->{signal}" if $r->{signal};
	return ('broken', @wrong) if $r->{hung} || $r->{signal};
	push @wrong, debris($r, $base);
	my $codes = $scene->{name} =~ /^kvmeter bisect step/ ? \%outcome_of_step : \%outcome;
	my $outcome = $r->{code} == $base->{code} ? 'tolerated'
		: $codes->{ $r->{code} } // 'odd';
	if ($outcome eq 'tolerated') {
		push @wrong, "$r->{files} files open at the end, else $base->{files}"
			if $fault->{kind} ne 'close' && defined $r->{files} && !$r->{code} &&
			   $r->{files} > $base->{files};
	} elsif ($outcome eq 'odd') {
		push @wrong, "exit $r->{code}";
	} else {
		push @wrong, message_faults($scene, $fault, $r);
	}
	return ($outcome, @wrong);
}

1;
