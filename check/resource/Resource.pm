# SPDX-License-Identifier: GPL-2.0-only
#
# Surroundings that lack something, each made for one command and gone with it,
# and rows that say what a benchmark or the tool does there:
#
#	['what', { surroundings }, [options], exit code, qr/message/, more => ...]
#
# Whatever the row, it is no crash and no hang; standard output is KTAP; the file
# of results is whole or is not there, and nothing lies beside it.
package Resource;
use strict;
use warnings;
use Exporter 'import';
use File::Path qw(make_path remove_tree);
use FindBin;
use lib "$FindBin::Bin/../harness";
use Harness;
use Test::More;

our @EXPORT = qw(@benches $long @all placed surround bench_run kvm_node benchmarks tool faults_of results
		 is_root report_tried with_fake two_results);

our $long = $ENV{KVMETER_LONG};
our @benches = qw(page_table_test dirty_log_perf_test dirty_log_test async_pf_test
		  tlb_stress_test memslot_zap_test);

# As little as each can do.
my %small = (
	page_table_test => [qw(-b 256K)],
	dirty_log_perf_test => [qw(-b 256K)],
	dirty_log_test => [qw(-b 256K --seconds 1 -M clear-log)],
	async_pf_test => [qw(-b 64K)],
	tlb_stress_test => [qw(--processes 10 --invalidate page)],
	memslot_zap_test => [qw(-b 64K --op toggle)],
);

# Nobody else's, so that no limit of a user counts what others run.
our $uid = 64321;
my ($tried, $in_row) = (0, 0);

sub is_root { return $> == 0 && scalar in_namespace('true') }

# A program where an ordinary user can look.
sub placed
{
	my ($name) = @_;
	my $to = scratch($name =~ s{.*/}{}r);

	return $to if -e $to;
	chmod 0755, scratch();
	system('cp', binary($name), $to) && die "cp $name\n";
	return $to;
}

# Where results go: anybody may write there.
sub results
{
	my $dir = scratch('results');

	make_path($dir);
	chmod 0777, $dir;
	return "$dir/r.json";
}

# A shell's lines that put another node for KVM at /dev/kvm, in a namespace.
sub kvm_node
{
	my ($mode, $owner) = @_;
	my $dir = scratch('dev');

	make_path($dir);
	$owner //= '0:0';
	return <<"EOT";
mount -t tmpfs -o mode=755 none $dir
mknod $dir/kvm c \$(stat -c '0x%t 0x%T' /dev/kvm)
chown $owner $dir/kvm; chmod $mode $dir/kvm; mount --bind $dir/kvm /dev/kvm
EOT
}

# A shell's lines that have a file say something else, in a namespace.
sub with_fake
{
	my ($path, $text) = @_;
	our $fakes //= 0;
	my $file = scratch('fake-' . $fakes++);

	write_file($file, $text);
	return "mount --bind $file $path\n";
}

# surround({ mount => SCRIPT, group => DIR, without => [WHAT], user => 1,
#	     limit => [OPTIONS of prlimit], env => [VARIABLE=VALUE], pipes => 1,
#	     shell => SCRIPT }, COMMAND...)
#
# The command with others in front of it, from the outermost to the innermost.
# pipes: its output goes through pipes, which no limit of file sizes concerns.
sub surround
{
	my ($in, @command) = @_;
	my @words;

	push @words, in_namespace($in->{mount}) if $in->{mount};
	push @words, '/bin/bash', '-c', 'set -o pipefail
		{ "$@" 2>&1 1>&3 | cat >&2; } 3>&1 | cat', 'bash' if $in->{pipes};
	push @words, in_control_group($in->{group}) if $in->{group};
	push @words, (placed('check/resource/without'), @{ $in->{without} }, '--') if $in->{without};
	push @words, ('setpriv', '--reuid', $uid, '--regid', $uid, '--clear-groups') if $in->{user};
	push @words, ('prlimit', @{ $in->{limit} }) if $in->{limit};
	push @words, ('env', @{ $in->{env} }) if $in->{env};
	push @words, ('/bin/bash', '-c', "$in->{shell}", 'bash') if $in->{shell};
	return (@words, @command);
}

# Two files of results in a directory that is made, of so many runs; the second is
# the first one, a minute later.
sub two_results
{
	my ($dir, $runs) = @_;
	my @files = map { "$dir/$_.json" } qw(a b);

	make_path($dir);
	run([placed('tests/page_table_test'), qw(-b 256K -q -R), $runs, '-J', $files[0]]);
	my $text = read_file($files[0]) // die "page_table_test has no results\n";
	$text =~ s/("started": *"[^"]*:)(\d\d)(:\d\dZ")/sprintf '%s%02d%s', $1, ($2 + 1) % 60, $3/e
		or die "no time of start\n";
	write_file($files[1], $text);
	return @files;
}

# What is wrong with how a benchmark ended. want: code, says, json (false: there
# is no such file), tap.
sub faults_of
{
	my ($r, %want) = @_;
	my $file = $want{file} // results();
	my $json = read_json($file);
	my @wrong;

	push @wrong, 'hung' if $r->{hung};
	push @wrong, "signal $r->{signal}" if $r->{signal};
	push @wrong, "code $r->{code}, not $want{code}" if $r->{code} != $want{code};
	push @wrong, "message lacks $want{says}" if $want{says} && $r->{err} !~ $want{says};
	push @wrong, 'says nothing' if $r->{code} && $r->{err} !~ /\S/ && !$want{silent};
	push @wrong, 'left processes' if $r->{orphans};
	push @wrong, tap_errors($r->{out}) if ($want{tap} // 1) && $want{code} != 2;
	push @wrong, 'half a file of results' if -e $file && !$json;
	push @wrong, 'no results' if $want{json} && !-e $file;
	push @wrong, 'results, though nothing was run' if !$want{json} && -e $file;
	if ($json && $want{json}) {
		my $verdict = { 0 => 'pass', 4 => 'skip' }->{ $want{code} } // 'fail';

		push @wrong, "verdict $json->{verdict}, not $verdict"
			if ($want{verdict} // $verdict) ne $json->{verdict};
	}
	my @left = grep { $_ ne 'r.json' } leftovers($file =~ s{/[^/]*\z}{}r);
	push @wrong, "left @left" if @left;
	return @wrong;
}

sub show
{
	my ($r) = @_;

	diag("$r->{command}\ncode $r->{code}, signal $r->{signal}: ", substr($r->{out}, 0, 1500),
		"--\n", substr($r->{err}, 0, 1500));
}

# A benchmark that does as little as it can, there.
sub bench_run
{
	my ($in, $bench, $options, $timeout, $no_json) = @_;
	my $file = results();

	remove_tree($file =~ s{/[^/]*\z}{}r, { keep_root => 1 });
	return run([surround($in, placed("tests/$bench"), @{ $small{$bench} },
		qw(-R 1 --warmup 0 -q), $no_json ? () : ('-J', $file), @$options)], timeout => $timeout);
}

sub run_bench
{
	my ($what, $in, $bench, $options, %want) = @_;
	my $r = bench_run($in, $bench, $options, $want{timeout} // 60, $want{no_json});
	my @wrong = faults_of($r, json => $want{code} != 2 && !$want{no_json}, %want);

	$tried++;
	ok(!@wrong, "$bench, $what: exit $want{code}") or diag(join "\n", @wrong) || show($r);
	return $r;
}

# Who is asked: all that there are, or in CI page_table_test, which has most of
# what all share, and another one for each row.
sub asked
{
	my ($row) = @_;
	my @of = @{ $row->{of} // \@benches };

	return @of if $long || @of < 3 || $row->{all};
	my @others = grep { $_ ne 'page_table_test' } @of;
	return ('page_table_test', $others[$in_row++ % @others]);
}

# benchmarks(ROW...): more is
#	of => [benchmarks], all => 1 (in CI as well),
#	but => { benchmark => [code, qr/message/] }, json => 0, tap => 0, no_json => 1,
#	cure => sub { (surroundings, options) }: called with the message's captures;
#		where these are, exit 0.
sub benchmarks
{
	for (@_) {
		my ($what, $in, $options, $code, $says, %more) = @$_;

		for my $bench (asked(\%more)) {
			my ($but, @also) = @{ ($more{but} // {})->{$bench} // [] };
			my $r = run_bench($what, $in, $bench, $options, %more,
				code => $but // $code, says => defined $but ? $also[0] : $says);
			next if !$more{cure} || defined $but;
			my @found = $r->{err} =~ $says;
			my ($cured, @then) = $more{cure}->(@found);
			run_bench("$what: after the remedy", $cured, $bench, [@$options, @then],
				code => 0);
		}
	}
}

# tool(ROW...): options are the words behind "kvmeter". more: out => qr//,
# left => [paths that must not be there], tap => 1.
sub tool
{
	for (@_) {
		my ($what, $in, $words, $code, $says, %more) = @$_;
		my $r = run([surround($in, placed('tools/kvmeter/kvmeter'), @$words)],
			timeout => 60, %{ $more{run} // {} });
		my @wrong;

		push @wrong, 'hung' if $r->{hung};
		push @wrong, "signal $r->{signal}" if $r->{signal};
		push @wrong, "code $r->{code}, not $code" if $r->{code} != $code;
		push @wrong, "message lacks $says" if $says && $r->{err} !~ $says;
		push @wrong, "output lacks $more{out}" if $more{out} && $r->{out} !~ $more{out};
		push @wrong, "left $_" for grep { -e } map { glob } @{ $more{left} // [] };
		push @wrong, 'left processes' if $r->{orphans};
		$tried++;
		ok(!@wrong, "kvmeter @{$words}[0], $what: exit $code")
			or diag(join "\n", @wrong) || show($r);
		next if !$more{cure};
		my ($cured, @then) = $more{cure}->($r->{err} =~ $says);
		$r = run([surround($cured, placed('tools/kvmeter/kvmeter'), @$words, @then)]);
		is($r->{code}, 0, "kvmeter @{$words}[0], $what: after the remedy, exit 0") or show($r);
		$tried++;
	}
}

# The table of doc/robustness.md is made of these.
sub report_tried
{
	note("$tried invocations tried");
}

1;
