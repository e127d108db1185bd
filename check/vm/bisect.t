#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# A bisection from end to end: the commits of a small repository change how an
# emulated machine boots. One of them turns nested paging off, which makes faults
# slower; another does not boot. "git bisect run kvmeter bisect step" names the
# former, with a fresh machine for each step, and in another repository, the other
# way round, the commit that makes them faster.
#
# Blocks of 2M under a guest that maps pages of 4K: with nested paging two faults
# create all mappings of 4M, with shadow paging more than a hundred do, and "create"
# takes some fifty times as long.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Path qw(make_path remove_tree);
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../harness";
use Harness;
use Machine;
use POSIX ();
use Test::More;

my $top = abs_path('.');
my $out = abs_path($ENV{KVMETER_OUT} // 'build/' . (split ' ', `uname -m`)[0]);
my $tool = "$out/tools/kvmeter/kvmeter";
my $dir = "$out/vm/bisect";
my $tree = `tools/vm/build x86_64-npt`;
$? == 0 or die "tools/vm/build failed\n";
chomp($tree);
# Its clock counts instructions: what else this computer does is not in the times.
my @machine = ('x86_64-npt', 'KERNEL=' . kernel(), qw(CPUS=1 MEMORY=1024 LIMIT=300),
	       "TREE=$tree", 'QEMU_ARGS=-icount shift=2,sleep=off');
my @bench = qw(page_table_test --bytes 4M --runs 6 --backing anonymous_thp
	       --guest-page 4K --quiet);

plan(skip_all => 'kvmeter is not built: it needs jansson (libjansson-dev)') if !-x $tool;
plan(skip_all => 'no git: apt-get install git') if system('git --version >/dev/null 2>&1');
$| = 1;
remove_tree($dir);
make_path($dir);
chdir($dir) or die "$dir: $!\n";
# whoever runs this may have settings of their own, and none of an author
$ENV{GIT_CONFIG_GLOBAL} = $ENV{GIT_CONFIG_SYSTEM} = '/dev/null';
$ENV{"GIT_${_}_NAME"} = 'A', $ENV{"GIT_${_}_EMAIL"} = 'a@example.org'
	for qw(AUTHOR COMMITTER);
delete @ENV{qw(GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE)};

# Output of both kinds, also shown, and exit status.
sub run_in {
	my ($where, @command) = @_;
	my $text = '';

	open(my $from, '-|', 'sh', '-c', 'cd "$1" && shift && exec "$@" 2>&1 </dev/null',
	     'sh', $where, @command) or die "sh: $!\n";
	while (my $line = <$from>) {
		$text .= $line;
		print "# $line";
	}
	close($from);
	# git ends without one, and a result must begin a line
	print "\n" if $text ne '' && $text !~ /\n\z/;
	return ($text, $? & 127 ? 128 + ($? & 127) : $? >> 8);
}

sub succeeds {
	my ($where, @command) = @_;
	my ($text, $code) = run_in($where, @command);

	is($code, 0, "@command[0 .. ($#command < 2 ? $#command : 2)]") or diag($text);
	return $text;
}

# [subject, settings ...], a commit each.
sub make_repository {
	my ($name, @commits) = @_;
	my %hashes;

	make_path($name);
	system('git', 'init', '-q', $name) == 0 or die "git init\n";
	for (@commits) {
		my ($subject, @settings) = @$_;

		# of two commits that halve the rest git takes one by its hash
		$ENV{"GIT_${_}_DATE"} = 1e9 + 60 * keys(%hashes) . ' +0000'
			for qw(AUTHOR COMMITTER);
		write_file("$name/boot.conf", "# $subject\n" . join("\n", @settings) . "\n");
		system("cd $name && git add boot.conf && git commit -q -m '$subject'") == 0
			or die "git commit\n";
		$hashes{$subject} = `cd $name && git rev-parse HEAD` =~ s/\n//r;
	}
	return \%hashes;
}

# Results of so many machines that boot with these settings.
sub measure {
	my ($name, $nr, @settings) = @_;

	make_path($name);
	for my $i (1 .. $nr) {
		local $ENV{KVMETER_RESULT} = "$dir/$name/$i.json";

		my (undef, $code) = run_in($dir, "$top/tools/bisect/boot-qemu", @machine,
					   @settings, '--', @bench);
		return $code if $code;
	}
	return 0;
}

sub bisect {
	my ($name, $first, $last, @terms) = @_;

	succeeds($name, qw(git bisect start), @terms, $last, $first);
	my ($text, $code) = run_in($name, 'git', 'bisect', 'run', $tool, 'bisect', 'step');
	return ($code, $text);
}

sub found {
	my ($text, $what) = @_;

	return $text =~ /^([0-9a-f]{40}) is the first \Q$what\E commit$/m ? $1 : 'none';
}

my $hook = join(' ', "$top/tools/bisect/boot-qemu -f boot.conf", (map { "'$_'" } @machine),
		'--', @bench);
my $commits = make_repository('repository',
	['Boot quietly', 'CMDLINE=quiet'],
	['Split late', 'CMDLINE=quiet', 'KVM_PARAMS=kvm.eager_page_split=N'],
	['Split early again', 'CMDLINE=quiet', 'KVM_PARAMS=kvm.eager_page_split=Y'],
	['Start what is not there', 'CMDLINE=rdinit=/nothing'],
	['Start init again', 'CMDLINE=quiet'],
	['Do without nested paging', 'KVM_PARAMS=kvm_amd.npt=0'],
	['Look at more', 'CMDLINE=loglevel=5', 'KVM_PARAMS=kvm_amd.npt=0'],
	['Name a host', 'CMDLINE=kvmeter.host=here', 'KVM_PARAMS=kvm_amd.npt=0']);

# Good and bad at a time, a CPU each.
my $pid = fork() // die "fork: $!\n";
POSIX::_exit(measure('bad', 2, 'KVM_PARAMS=kvm_amd.npt=0')) if !$pid;
is(measure('good', 2), 0, 'good, from two machines');
waitpid($pid, 0);
is($? >> 8, 0, 'bad, from two');
my $text = succeeds('repository', $tool, qw(bisect record --good ../good --bad ../bad
		    --metric create --hook-timeout 400 --run), $hook);
like($text, qr/^  create of page_table_test vcpus=1 bytes=4M: bad from \+\d+/m,
	'recorded, with a threshold');
my ($code, $said) = bisect('repository', $commits->{'Boot quietly'}, $commits->{'Name a host'});
is($code, 0, 'git bisect run ends');
is(found($said, 'bad'), $commits->{'Do without nested paging'}, 'and names the commit');
# a row in a line
$text = succeeds('repository', $tool, qw(bisect log)) =~ s/\n +/ /gr;
like($text, qr/^[0-9a-f]{12}  can't tell  run hook: exit 125; Start what is not there$/m,
	'one did not boot, and was skipped');
like($text, qr/^[0-9a-f]{12}  bad  +create [+x]\d.*Do without nested paging$/m,
	'what was bad is so by its time');
like($text, qr/^[0-9a-f]{12}  good  +create [-+]\d.*Start init again$/m,
	'what was good, too');

# The same results with a threshold that nothing comes near name another commit: what
# names the right one is times. It may ask for a commit that the way before has
# passed by: one without nested paging, as is all that was bad.
write_file('replay', <<'END');
#!/bin/sh
from=../kept/$(echo $KVMETER_COMMIT | cut -c 1-12)-1.json
[ -e $from ] || ! grep -q npt=0 boot.conf || from=../bad/1.json
exec cp $from $KVMETER_RESULT
END
chmod(0755, 'replay');
succeeds('repository', qw(mv .kvmeter-bisect.results ../kept));
succeeds('repository', qw(git bisect reset));
succeeds('repository', $tool, qw(bisect record --good ../good --threshold 100000
	 --metric create --run ../replay));
($code, $said) = bisect('repository', $commits->{'Boot quietly'}, $commits->{'Name a host'});
is(found($said, 'bad'), $commits->{'Name a host'},
	'with a threshold that is too high, it is the one that bad was said to be');

# The other way round, with git's other words.
$commits = make_repository('reverse',
	['Start without nested paging', 'KVM_PARAMS=kvm_amd.npt=0'],
	['Change a word', 'CMDLINE=loglevel=5', 'KVM_PARAMS=kvm_amd.npt=0'],
	['Use nested paging', 'KVM_PARAMS=kvm_amd.npt=1'],
	['Change it back', 'CMDLINE=quiet']);
succeeds('reverse', $tool, qw(bisect record --find faster --old ../bad --new ../good
	 --metric create --run), $hook);
($code, $said) = bisect('reverse', $commits->{'Start without nested paging'},
	$commits->{'Change it back'}, qw(--term-old slow --term-new fast));
is($code, 0, 'looking for what is faster');
is(found($said, 'fast'), $commits->{'Use nested paging'}, 'names that commit');

done_testing();
