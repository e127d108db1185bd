#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# What this host lacks ends in exit 4 with the remedy, and --strict makes it a
# failure. The remedy for hugetlb pages is then tried: it must work.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Harness;
use Host;
use Test::More;

my @programs = map { binary("tests/$_") } qw(page_table_test dirty_log_perf_test);
my $results = scratch('skip.json');
my $head = "KTAP version 1\n1..1\n";

sub skipped
{
	my ($what, $cmd, %want) = @_;
	my $strict = delete $want{strict};
	my $r = run([@$cmd, '-J', $results, $strict ? '--strict' : ()], env => $want{env});

	run_ok($what, $r, code => $strict || $want{env} ? 1 : 4, within => 5,
		out => [ $strict || $want{env} ? qr/\A${head}not ok 1 - \w+ # \S.*\n\z/
					       : qr/\A${head}ok 1 - \w+ # SKIP \S.*\n\z/ ],
		err => $want{err});
	my $json = read_json($results) // {};
	is($json->{verdict}, $strict || $want{env} ? 'fail' : 'skip', "$what: verdict");
	is(scalar @{ $json->{points} // [1] }, 0, "$what: nothing measured");
	my ($reason) = split /\n/, $json->{reason} // 'none';
	like($r->{out}, qr/(?: # SKIP| #) \Q$reason\E$/m, "$what: reason in JSON");
	unlink $results;
}

sub skipped_in_all_ways
{
	my ($what, $before, $err) = @_;

	for my $program (@programs) {
		my ($name) = $program =~ m{([^/]+)$};

		skipped("$name: $what", [@$before, $program], err => [ $err ]);
		skipped("$name: $what, --strict", [@$before, $program], strict => 1,
			err => [ $err, qr/strict/ ]);
		skipped("$name: $what, KVMETER_STRICT=1", [@$before, $program],
			env => { KVMETER_STRICT => 1 }, err => [ $err, qr/strict/i ]);
	}
}

# ---- no KVM ----

my @no_kvm = without_kvm();

SKIP: {
	skip '/dev/kvm cannot be hidden: not root, or unshare -m is refused', 1
		if -e '/dev/kvm' && !@no_kvm;
	skipped_in_all_ways('no KVM behind /dev/kvm', \@no_kvm, qr{/dev/kvm is not KVM}) if @no_kvm;

	# a /dev that has the other devices
	my @no_file = -e '/dev/kvm' ? in_namespace(<<'EOT') : ();
dir=$(mktemp -d); mount -t tmpfs none $dir
for d in null zero full random urandom; do touch $dir/$d; mount --bind /dev/$d $dir/$d; done
mount --rbind $dir /dev; umount -R -l $dir; rmdir $dir
EOT
	skipped_in_all_ways('no /dev/kvm', \@no_file, qr{/dev/kvm: No such file.*modprobe kvm}s);
}

SKIP: {
	skip 'permission can only be taken away by root', 1 if $> || !-e '/dev/kvm' || !@no_kvm;
	skip 'no setpriv (util-linux)', 1 if system('setpriv --version >/dev/null 2>&1');
	# binaries and results may lie where nobody can look
	my $bin = scratch('bin');
	my $prepare = <<"EOT";
mkdir -p $bin; mount -t tmpfs -o mode=1777 none $bin
mknod $bin/kvm c \$(stat -c '0x%t 0x%T' /dev/kvm); chmod 600 $bin/kvm
mount --bind $bin/kvm /dev/kvm
chmod 755 @{[ scratch() ]}
EOT
	for my $program (@programs) {
		my ($name) = $program =~ m{([^/]+)$};
		my @as_nobody = (in_namespace("$prepare\ncp $program $bin/$name"),
			qw(setpriv --reuid 65534 --regid 65534 --clear-groups), "$bin/$name");
		my $r = run([@as_nobody]);

		run_ok("$name: no permission", $r, code => 4,
			out => [ qr{^ok 1 - \w+ # SKIP open /dev/kvm: Permission denied: \S}m ],
			err => [ qr{run as root, or have root say setfacl -m u:65534:rw /dev/kvm} ]);
		run_ok("$name: no permission, --strict", run([@as_nobody, '--strict']), code => 1);
	}
	# who may use KVM, but not have the kernel wait for a page
	skip 'anybody may', 1 if (read_file('/proc/sys/vm/unprivileged_userfaultfd') // 0) == 1;
	my $async_pf_test = binary('tests/async_pf_test');
	my $allowed = $prepare =~ s/chmod 600/chmod 666/r;
	my @as_nobody = (in_namespace("$allowed\ncp $async_pf_test $bin/async_pf_test"),
		qw(setpriv --reuid 65534 --regid 65534 --clear-groups), "$bin/async_pf_test");
	run_ok('async_pf_test: no permission for userfaultfd', run([@as_nobody]), code => 4,
		out => [ qr{^ok 1 - \w+ # SKIP --slow uffd:500: userfaultfd: no permission}m ],
		err => [ qr{sysctl vm\.unprivileged_userfaultfd=1} ]);
	run_ok('async_pf_test: no permission for a cgroup',
		run([@as_nobody, '--slow', 'swap', '-b', '16M']), code => 4,
		out => [ qr{^ok 1 - \w+ # SKIP --slow swap: making a memory cgroup needs root}m ]);
}

# ---- swap ----

SKIP: {
	skip 'no /dev/kvm', 1 unless -w '/dev/kvm';
	skip 'there is swap space', 1 if (read_file('/proc/meminfo') // '') !~ /^SwapFree:\s+0 kB/m;
	skipped('async_pf_test: no swap space',
		[ binary('tests/async_pf_test'), '--slow', 'swap', '-b', '16M' ],
		err => [ qr/--slow swap: .*swapon a file or a device/ ]);
}

# ---- what KVM lacks ----

SKIP: {
	skip 'no /dev/kvm', 1 unless -w '/dev/kvm';
	for my $program (@programs) {
		my ($name) = $program =~ m{([^/]+)$};

		skipped("$name: more vCPUs than KVM has", [$program, '-v', '60000', '-b', '4K'],
			err => [ qr/vcpus 60000: .*at most \d+/ ]);
		skipped("$name: more in the second point", [$program, '-v', '1,60000', '-b', '4K'],
			err => [ qr/vcpus 60000: / ]);
		skipped("$name: more memory than there is", [$program, '-b', '16T'],
			err => [ qr/--bytes|16T|memory/ ]);
		skipped("$name: more slots than KVM has", [$program, '-b', '256M', '-x', '32767'],
			err => [ qr/slots/ ]);
	}
}

# ---- a control group of 64M: too little, the printed command, enough ----

my ($group, $limit);
END { rmdir $group if $group }

sub in_group { return in_control_group($group, @_) }

SKIP: {
	skip 'no /dev/kvm', 1 unless -w '/dev/kvm';
	($group, $limit) = memory_group();
	skip 'no control group with a limit of memory can be made here', 1 unless $group;
	write_file("$group/$limit", 64 << 20);
	for my $program (@programs) {
		my ($name) = $program =~ m{([^/]+)$};
		my $what = "$name: 64M in a control group of 64M";
		my @cmd = in_group($program, '-b', '64M');
		my $err = qr{6\dM of memory needed, the control group leaves \d+[KM] of 64M: echo \d+ > \S+};

		skipped($what, \@cmd, err => [ $err ]);
		skipped("$what, --strict", \@cmd, strict => 1, err => [ $err ]);
		skipped("$what, second point", [in_group($program, '-b', '1M,64M')], err => [ $err ]);
	}
	my @cmd = in_group($programs[0], '-b', '64M', '-R', 1, '-q');
	run_ok('what fits is run', run([in_group($programs[0], '-b', '32M', '-R', 1, '-q')]));
	run_ok('32 vCPUs do not fit', run([in_group($programs[0], qw(-b 48M -v 32))]), code => 4,
		err => [ qr/the control group leaves/ ]);
	my ($command) = run(\@cmd)->{err} =~ /: (echo \d+ > \Q$group\E\S+), or/;
	ok($command, 'a command is printed');
	system $command if $command;
	run_ok('after it, 64M are run', run(\@cmd));
	ok(rmdir $group, 'the group is empty') and undef $group;
}

# ---- a file: its file system is too small, or files may not be that large ----

SKIP: {
	my @small = in_namespace("mkdir -p @{[ scratch('small') ]};
		mount -t tmpfs -o size=8M none @{[ scratch('small') ]}");
	skip 'no /dev/kvm', 1 unless -w '/dev/kvm';
	skip 'no file system can be mounted here', 1 unless @small;
	my $file = scratch('small') . '/memory';
	my @cmd = (@small, $programs[0], '-s', $file, '-R', 1, '-q');

	skipped('a file system of 8M', [@cmd, '-b', '16M'],
		err => [ qr{16M needed, \S+/small has 8M left: mount -o remount,size=16M \S+/small$}m ]);
	run_ok('what fits is run', run([@cmd, '-b', '8M']));
	my ($remedy) = run([@cmd, '-b', '16M'])->{err} =~ /: (mount .*)$/m;
	run_ok('after the remedy, 16M are run', run([@small, '/bin/sh', '-ec',
		($remedy // 'false') . '; exec "$@"', 'sh', $programs[0], '-s', $file,
		qw(-R 1 -q -b 16M)]));
	for my $backing ('memfd', scratch('file')) {
		my @limited = ('/bin/sh', '-c', 'ulimit -S -f 8192; exec "$@"', 'sh', $programs[0],
			'-s', $backing, qw(-R 1 -q -b 16M));

		skipped("files of 4M at most, $backing", \@limited,
			err => [ qr/16M in a file needed, the limit is 4M: ulimit -f unlimited$/m ]);
	}
}

# ---- hugetlb pages: none, the printed command, enough, as before ----

my $pool = '/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages';
my $page_table_test = $programs[0];
my @huge = ($page_table_test, '-s', 'anonymous_hugetlb_2mb', '-R', 1);

my $restore;

sub release
{
	system "echo 0 > $pool" if $restore;
	$restore = 0;
}
END { release() }
$SIG{$_} = sub { exit 1 } for qw(INT TERM HUP);

sub reserved { return read_file($pool) =~ /(\d+)/ ? $1 : -1 }

SKIP: {
	skip 'no hugetlb pages of 2M', 1 unless -e $pool;
	skip 'no /dev/kvm', 1 unless -w '/dev/kvm';
	skip '2M pages are reserved, maybe in use', 1 if reserved() > 0;

	my $what = 'hugetlb without reserved pages';
	my $err = qr{huge pages of 2M.*\b4 needed, 0 free: echo 4 > \S+/nr_hugepages$}m;
	skipped($what, [@huge, '-b', '8M'], err => [ $err ]);
	skipped("$what, --strict", [@huge, '-b', '8M'], strict => 1, err => [ $err ]);
	skipped("$what, second point", [@huge, '-b', '2M,8M'], err => [ $err ]);
	skipped('no such huge page size', [$page_table_test, '-s', 'anonymous_hugetlb_16gb', '-b', '16G'],
		err => [ qr/no huge pages of 16G/ ]);

	skip 'pages can only be reserved by root', 1 if $>;
	my ($command) = run([@huge, '-b', '8M'])->{err} =~ /: (echo \d+ > \S+)$/m;
	ok($command, 'a command is printed');
	$restore = 1;
	system $command if $command;
	my $got = reserved();
	my $r = run([@huge, '-b', '8M']);
	my $too_many = run([@huge, '-b', '10M']);
	release();
	is(reserved(), 0, 'the pool is as it was');
	skip "memory is in pieces: $got huge pages of 4 came", 3 if $got < 4;
	is($got, 4, 'the command reserves what it says');
	run_ok('after it: 4 blocks of 2M', $r, out => [
		qr/^ok 1 - create: mappings # created 4 x 2M$/m,
		splits_when_logged() ? qr/^ok 2 - update: mappings # kept 2048 x 4K$/m
				     : qr/^ok 2 - update: mappings # split 4 x 2M to 2048 x 4K$/m,
		qr/^ok 5 - adjust: mappings # \w+ (2048 x 4K to )?4 x 2M$/m ]);
	run_ok('one page too few', $too_many, code => 4,
		err => [ qr/huge pages of 2M.*\b5 needed, 4 free: echo 5 > / ]);
}

done_testing();
