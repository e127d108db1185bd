# SPDX-License-Identifier: GPL-2.0-only
#
# Runs a program of kvmeter the way a test runner would, and judges what came
# out: exit code or signal, time, standard output as KTAP, results as JSON.
#
# KVMETER_OUT names the directory of the binaries, build/ARCH by default.
package Harness;
use strict;
use warnings;
use Cwd qw(abs_path);
use Exporter 'import';
use File::Basename qw(dirname);
use File::Temp qw(tempdir);
use lib dirname(__FILE__);
use Groups;
use JSON::PP ();
use POSIX qw(WNOHANG uname setsid);
use Test::More;
use Time::HiRes qw(time sleep);

our @EXPORT = qw(binary scratch run run_ok judge_tap tap_errors read_json
		 read_file write_file leftovers help_options in_namespace
		 without_kvm host_lacks memory_group in_control_group);

my $root = abs_path(dirname(__FILE__) . '/../..');
my $out = $ENV{KVMETER_OUT} // "build/" . (uname())[4];
my $scratch;
chdir $root or die "$root: $!\n";

# In the same stream as its point, or a log may hold a detail elsewhere.
Test::More->builder->failure_output(Test::More->builder->output);

# The path of a program, or an end to this script if it is not built.
sub binary
{
	my ($name) = @_;
	my $path = "$out/$name";

	BAIL_OUT("$path is not built: make harness") unless -x $path;
	return abs_path($path);
}

# A directory of this script's own, or a path in it.
sub scratch
{
	$scratch //= tempdir('kvmeter-harness-XXXXXX', TMPDIR => 1, CLEANUP => 1);
	return $scratch . (@_ ? "/$_[0]" : '');
}

# A device such as /dev/full would never end.
sub read_file
{
	my ($path) = @_;

	return undef unless -f $path;
	open my $in, '<', $path or return undef;
	local $/;
	my $text = <$in>;
	return $text // '';
}

sub write_file
{
	my ($path, $text) = @_;

	open my $file, '>', $path or die "$path: $!\n";
	print $file $text;
	close $file or die "$path: $!\n";
}

sub leftovers
{
	my ($dir) = @_;

	opendir my $d, $dir or return ();
	return sort grep { !/^\.\.?$/ } readdir $d;
}

sub become
{
	my ($cmd, $opt) = @_;

	setsid();
	open STDIN, '<', '/dev/null';
	open STDOUT, '>', $opt->{stdout} // scratch('out') or die "$!";
	open STDERR, '>', scratch('err') or die "$!";
	delete $ENV{KVMETER_STRICT};
	%ENV = (%ENV, %{ $opt->{env} // {} });
	# a shell has its background jobs ignore some of them
	$SIG{$_} = 'DEFAULT' for qw(HUP INT QUIT TERM PIPE);
	exec { $cmd->[0] } @$cmd or POSIX::_exit(127);
}

# run([command], timeout => s, env => {}, stdout => path,
#     meanwhile => sub { my ($pid, $seconds) = @_; true: call no more },
#     step => s, between two calls)
#
# Returns { code, signal, hung, seconds, out, err }. The program leads a
# session of its own; nothing of it survives the call, and "orphans" counts
# what it left running.
sub run
{
	my ($cmd, %opt) = @_;
	scratch();
	my $start = time;
	my $limit = $opt{timeout} // 30;
	my %r = (hung => 0, command => join(' ', @$cmd));
	# a program that ends before it has begun has said nothing
	unlink(scratch('out'), scratch('err'));
	my $pid = fork // die "fork: $!\n";

	become($cmd, \%opt) unless $pid;
	while (waitpid($pid, WNOHANG) == 0) {
		my $seconds = time - $start;
		if ($opt{meanwhile} && $opt{meanwhile}->($pid, $seconds)) {
			delete $opt{meanwhile};
		}
		if ($seconds > $limit && !$r{hung}++) {
			kill 'KILL', -$pid;
		}
		sleep($opt{step} // 0.01);
	}
	@r{qw(code signal seconds)} = ($? >> 8, $? & 127, time - $start);
	$r{orphans} = kill(0, -$pid) ? 1 : 0;
	kill 'KILL', -$pid;
	$r{out} = read_file($opt{stdout} // scratch('out')) // '';
	$r{err} = read_file(scratch('err')) // '';
	return \%r;
}

sub show
{
	my ($r) = @_;

	diag "$r->{command}: code $r->{code}, signal $r->{signal}, ",
		sprintf('%.1f s', $r->{seconds}), ($r->{hung} ? ', hung' : ''),
		"\n", substr($r->{out}, 0, 2000), "--\n",
		substr($r->{err}, 0, 2000);
}

# One assertion about a run: exit code, patterns that must and must not be
# there, time, and that nothing stays behind.
sub run_ok
{
	my ($name, $r, %want) = @_;
	my @wrong;

	push @wrong, 'hung' if $r->{hung};
	push @wrong, "code $r->{code}, signal $r->{signal}"
		unless $r->{signal} == ($want{signal} // 0) &&
		       $r->{code} == ($want{code} // 0);
	push @wrong, sprintf('took %.1f s', $r->{seconds})
		if defined $want{within} && $r->{seconds} > $want{within};
	push @wrong, sprintf('took only %.1f s', $r->{seconds})
		if defined $want{at_least} && $r->{seconds} < $want{at_least};
	push @wrong, 'left processes' if $r->{orphans};
	for (@{ $want{out} // [] }) {
		push @wrong, "stdout lacks $_" unless $r->{out} =~ $_;
	}
	for (@{ $want{err} // [] }) {
		push @wrong, "stderr lacks $_" unless $r->{err} =~ $_;
	}
	push @wrong, tap_errors($r->{out}) if $want{tap} // 1;
	push @wrong, 'stdout is not silent' if $want{silent} && $r->{out} ne '';
	my $good = ok(!@wrong, $name);
	unless ($good) {
		diag join("\n", @wrong);
		show($r);
	}
	return $good;
}

# What a runner would find wrong with KTAP version 1: see
# Documentation/dev-tools/ktap.rst.
sub tap_errors
{
	my ($text) = @_;
	my @lines = split /\n/, $text;
	my ($plan, $seen, $bailed, @wrong) = (undef, 0, 0);

	push @wrong, 'no version line'
		unless @lines && shift(@lines) eq 'KTAP version 1';
	for (@lines) {
		if (/^1\.\.(\d+)( # SKIP \S.*)?$/) {
			push @wrong, 'second plan' if defined $plan;
			push @wrong, 'plan after results' if $seen;
			push @wrong, '1..0 without a reason' if !$1 && !$2;
			$plan = $1;
		} elsif (/^(?:not )?ok (\d+) - ([^#\s][^#]*?)(?: # (\S.*))?$/) {
			push @wrong, "unescaped '#'" if ($3 // '') =~ /(?<!\\)(?:\\\\)*#/;
			push @wrong, "result $1, expected $seen"
				unless $1 == ++$seen;
			push @wrong, 'result after Bail out!' if $bailed;
		} elsif (/^Bail out! \S/) {
			push @wrong, 'second Bail out!' if $bailed++;
		} elsif (!/^#/) {
			push @wrong, "no KTAP: $_";
		}
	}
	push @wrong, 'no plan' unless defined $plan;
	push @wrong, "$seen results, $plan planned"
		if defined $plan && ($bailed ? $seen > $plan : $seen != $plan);
	push @wrong, 'does not end with a newline'
		if length $text && $text !~ /\n\z/;
	return @wrong;
}

sub judge_tap
{
	my ($name, $text) = @_;

	is(join("\n", tap_errors($text)), '', $name);
}

# The results as a reader gets them, or undef.
sub read_json
{
	my ($path) = @_;
	my $text = read_file($path);

	return defined $text
		? eval { JSON::PP->new->utf8->decode($text) } : undef;
}

# Options of a program as its help lists them: long name => takes a value.
sub help_options
{
	my ($program) = @_;
	my $r = run([$program, '--help']);
	my %takes_value;

	$takes_value{$1} = defined $2
		while $r->{out} =~ /^  (?:-\w, |    )--([\w-]+)(?: ([A-Z]+))?/mg;
	return \%takes_value;
}

# A command in front of a command, to run it in a mount namespace of its own
# after a shell script; empty where that is not allowed.
sub in_namespace
{
	my ($script) = @_;
	our $allowed //= $> == 0 && !system('unshare -m true 2>/dev/null');

	return $allowed
		? ('unshare', '-m', '/bin/sh', '-ec', "$script\nexec \"\$@\"", 'sh')
		: ();
}

# A control group with a limit of memory, to be removed: its directory and the
# limit's name. Empty: none can be made here.
sub memory_group
{
	my $dir = Groups::make("kvmeter-$$") // return;

	return ($dir, Groups::limit_file($dir));
}

# A command in a control group.
sub in_control_group
{
	my ($dir, @command) = @_;

	return ('/bin/sh', '-ec', "echo \$\$ > $dir/cgroup.procs; exec \"\$@\"", 'sh', @command);
}

# Where /dev/kvm is not what it should be. Empty: it is missing anyway, or
# nobody can take it away.
sub without_kvm
{
	return -e '/dev/kvm' ? in_namespace('mount --bind /dev/null /dev/kvm') : ();
}

# Ends the script by a skip if this host cannot run it.
sub host_lacks
{
	plan skip_all => '/dev/kvm cannot be opened: see kvm(4)'
		unless -r '/dev/kvm' && -w '/dev/kvm';
}

1;
