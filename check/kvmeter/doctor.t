#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# kvmeter doctor sees what is wrong with a host, says what helps, and that helps.
# Each fault is made in a mount namespace, by a limit or in a control group of
# its own; what it is judged by must not hold of the host as it is. The doctor
# itself changes nothing.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../harness";
use Harness;
use JSON::PP;
use Test::More;

my $out = $ENV{KVMETER_OUT} // 'build/' . (POSIX::uname())[4];
plan(skip_all => 'kvmeter is not built: it needs jansson (libjansson-dev)')
	unless -x "$out/tools/kvmeter/kvmeter";

# Binaries may lie where an ordinary user cannot look.
my $tool = scratch('kvmeter');
system('cp', binary('tools/kvmeter/kvmeter'), $tool);
chmod 0755, scratch(), $tool;

# What the doctor finds after a command in front of it: by name.
sub examine
{
	my ($before, @options) = @_;
	my $r = run([@$before, $tool, 'doctor', '-f', 'json', @options]);
	my $json = eval { decode_json($r->{out}) } // {};

	diag("@$before: code $r->{code}: $r->{err}") unless $json->{schema};
	return ({ map { $_->{name} => $_ } @{ $json->{findings} // [] } }, $r, $json);
}

# ---- the host as it is ----

# Lines, sorted, that match.
sub lines
{
	my ($pattern, $text) = @_;

	return join("\n", sort grep { /$pattern/ } split /\n/, $text // '');
}

# What it or this check would change, if they changed anything: others on the host
# load modules, mount, and make devices and control groups meanwhile.
sub settings
{
	my @files = (glob('/sys/kernel/mm/transparent_hugepage/*'), glob('/sys/kernel/mm/ksm/run'),
		glob('/sys/kernel/mm/hugepages/*/nr_hugepages'),
		glob('/proc/sys/vm/{overcommit_memory,nr_hugepages,unprivileged_userfaultfd}'),
		'/proc/sys/kernel/perf_event_paranoid', '/proc/sys/fs/file-max',
		glob('/sys/module/kvm*/parameters/*'));
	my %have = map { $_ => read_file($_) // '' } @files;
	my $scratch = scratch();

	# name, type and size, without what is used of it
	$have{swap} = join("\n", map { join ' ', (split)[0 .. 2] } split /\n/, read_file('/proc/swaps') // '');
	$have{modules} = lines(qr/^kvm/, (read_file('/proc/modules') // '') =~ s/^(\S+).*/$1/mgr);
	# on what is used here; debugfs and tracefs come when somebody looks
	$have{mounts} = lines(qr{^\S+ (?:/dev|/dev/(?:kvm|shm|null)|/proc/(?:misc|meminfo|sys/vm/\S+)
		|/sys|/sys/module|/sys/kernel/mm\S*|/sys/fs/cgroup/\S+|\Q$scratch\E\S*)\ }x, read_file('/proc/mounts'));
	for my $dir ('/dev', '/dev/shm', glob('/sys/fs/cgroup{,/*}')) {
		# not of another kvmeter that runs
		my @names = grep { !/-(\d+)\z/ || $1 == $$ || !-d "/proc/$1" } leftovers($dir);

		$have{$dir} = lines(qr/kvm/, join("\n", @names));
	}
	$have{'/dev/kvm'} = join(' ', map { $_ // 'none' } (stat '/dev/kvm')[2, 4, 5]);
	return \%have;
}

# What is not as it was before.
sub changes
{
	my ($before) = @_;
	my $now = settings();

	return join("\n", map { "$_: '$now->{$_}', was '" . ($before->{$_} // '') . "'" }
		grep { $now->{$_} ne ($before->{$_} // '') } sort keys %$now);
}

my $before = settings();
my ($host, $r, $json) = examine([]);
is(changes($before), '', 'nothing is changed, nothing is left behind');
is($json->{schema}, 'kvmeter-doctor/1', 'json: schema');
is($r->{err}, '', '... and nothing else is said');
my $can_run = $json->{can_run};
is($r->{code}, $can_run ? 0 : 4, 'exit code: ' . ($can_run ? 'benchmarks run' : 'none can run'));
my %count;
$count{ $_->{state} }++ for @{ $json->{findings} };
is_deeply([grep { !/^(ok|no|noisy|unknown)$/ } keys %count], [], 'states have names');
is("$json->{hinder} $json->{disturb}", join(' ', map { $_ // 0 } @count{qw(no noisy)}), 'counts');
is_deeply([grep { $_->{state} eq 'no' && !($_->{remedy} && $_->{hinders}) }
	@{ $json->{findings} }], [], 'what hinders has a remedy, and says what it hinders');
is_deeply([grep { $_->{state} eq 'ok' && $_->{remedy} } @{ $json->{findings} }], [],
	'what is ok needs none');
is(scalar keys %$host, scalar @{ $json->{findings} }, 'no name comes twice');

my $text = run([$tool, 'doctor']);
is(join(' ', $text->{out} =~ /^(ok|no|noisy|unknown) /mg),
	join(' ', map { $_->{state} } @{ $json->{findings} }), 'text: the same states');
is_deeply([map { index($text->{out}, "> $_->{remedy}\n") < 0 ? $_->{name} : () }
	grep { $_->{remedy} } @{ $json->{findings} }], [], 'text: every remedy, whole');
is_deeply([grep { length > 80 && !/^ +(?:> |\S+$)/ } split /\n/, $text->{out}], [], 'text: 80 columns');
like($text->{out}, qr/\n\n[A-Z][^\n]+(?:\n[^\n]+)*\.\n\z/, 'text: a sentence at the end');

is(run([$tool, 'doctor', '--strict'])->{code}, $can_run ? ($count{no} || $count{noisy} ? 1 : 0) : 4,
	'--strict: 1 if anything hinders or disturbs');
is(run([$tool, 'doctor', 'x'])->{code}, 2, 'an operand: exit 2');
is(run([$tool, 'doctor'], stdout => '/dev/full')->{code}, 1, 'a full disk: exit 1');

# A run by default must fit what is asked for.
my $list = decode_json(run([binary('tools/kvmeter/kvmeter'), qw(list -f json)])->{out});
for my $bench (@{ $list->{benchmarks} }) {
	my %default = map { $_->{name} => $_->{default} } @{ $bench->{description}{options} };
	my $bytes = $default{bytes}[0] * $default{vcpus}[0];

	cmp_ok($bytes, '<=', 256 << 20, "$bench->{name}: takes no more memory than is asked for");
}

# ---- faults ----

# fault(WHAT, BEFORE, NAME, STATE, SEEN, REMEDY, CODE): found after BEFORE, but
# not on the host as it is. Returns the remedy.
sub fault
{
	my ($what, $in, $name, $state, $seen, $remedy, $code) = @_;
	my ($found, $run) = examine($in);
	my $f = $found->{$name} // {};
	my $judge = sub {
		my ($g) = @_;
		return ($g->{state} // '') eq $state && ($g->{seen} // '') =~ $seen &&
			($g->{remedy} // '') =~ $remedy;
	};

	ok($judge->($f), "$what: $name") or diag(explain($f));
	ok(!$judge->($host->{$name} // {}), '... which is not so of the host as it is');
	is($run->{code}, $code, "... exit $code") if defined $code;
	return $f->{remedy} // 'false';
}

# After the remedy, by a shell in the same surroundings, all is well.
sub cured
{
	my ($what, $in, $name, $remedy, @then) = @_;
	my ($after) = examine([@$in, '/bin/sh', '-ec', "($remedy) >/dev/null; exec \"\$@\"", 'sh',
		@then]);

	is($after->{$name}{state}, 'ok', "$what: its remedy helps") or diag($remedy);
}

my $root = $> == 0 && scalar in_namespace('true');
my $kvm = -c '/dev/kvm' && -w '/dev/kvm';
my @nobody = qw(setpriv --reuid 65534 --regid 65534 --clear-groups --);
my $dir = scratch('dev');

# A node for KVM of that mode and group where /dev/kvm is.
sub kvm_node
{
	my ($mode, $group) = @_;

	return in_namespace("mkdir -p $dir; mount -t tmpfs -o mode=755 none $dir
		mknod $dir/kvm c \$(stat -c '0x%t 0x%T' /dev/kvm)
		chown 0:$group $dir/kvm; chmod $mode $dir/kvm; mount --bind $dir/kvm /dev/kvm");
}

SKIP: {
	skip 'no namespaces: not root, or unshare -m is refused', 1 unless $root;
	skip 'no /dev/kvm', 1 unless $kvm;

	# a /dev without it; the driver is there, as /proc/misc tells
	my @bare = in_namespace("mkdir -p $dir; mount -t tmpfs none $dir
		for d in null zero full random urandom; do
			touch $dir/\$d; mount --bind /dev/\$d $dir/\$d
		done; mount --bind $dir /dev");
	my $remedy = fault('no /dev/kvm', \@bare, '/dev/kvm', 'no', qr/No such file/,
		qr{^mknod /dev/kvm c 10 \d+}, 4);
	cured('no /dev/kvm', \@bare, '/dev/kvm', $remedy =~ s/,.*//r);
	fault('no driver', [in_namespace("mkdir -p $dir; mount -t tmpfs none $dir
		echo '229 fuse' > $dir/misc; mount --bind $dir/misc /proc/misc
		touch $dir/null; mount --bind /dev/null $dir/null; mount --bind $dir /dev")],
		'/dev/kvm', 'no', qr/No such file/, qr/modprobe|firmware|hypervisor/, 4);
	my ($found) = examine(\@bare);
	is(join(' ', map { $found->{$_}{state} } 'KVM API', 'a VM', 'a vCPU', 'dirty ring'),
		'unknown unknown unknown unknown', 'no /dev/kvm: what it would tell is unknown');
	fault('another device', [without_kvm()], 'KVM API', 'no', qr/is not KVM/, qr/10, 232/, 4);

	skip 'no setpriv (util-linux)', 1 if system('setpriv --version >/dev/null 2>&1');
	my @as_nobody = (kvm_node(600, 0), @nobody);
	$remedy = fault('no permission', \@as_nobody, '/dev/kvm', 'no', qr/no permission: mode 0600/,
		qr{^setfacl -m u:\w+:rw /dev/kvm$}, 4);
	my $acl = !system('command -v setfacl >/dev/null 2>&1');
	cured('no permission', [kvm_node(600, 0)], '/dev/kvm', $acl ? $remedy : 'chmod 666 /dev/kvm',
		@nobody);
	fault('not of the group', [kvm_node(660, 1), @nobody], '/dev/kvm', 'no',
		qr/mode 0660, user 0, group 1$/, qr/^usermod -aG daemon nobody\b/, 4);

	# what else an ordinary user lacks
	my @user = (kvm_node(666, 0), @nobody);
	($found, $r) = examine(\@user);
	is($r->{code}, 0, 'an ordinary user who may use KVM: exit 0');
	is($found->{'a vCPU'}{state}, 'ok', '... has vCPUs');
	$remedy = fault('... and 16 files', [kvm_node(666, 0), '/bin/sh', '-c',
		'ulimit -n 16; exec "$@"', 'sh', @nobody], 'open files', 'no',
		qr/^16 at most: enough for 0 vCPUs/, qr/: prlimit --pid \$\$ --nofile=\d+$/, 0);
	SKIP: {
		skip 'root may not raise limits here (CAP_SYS_RESOURCE)', 1
			if system(q{/bin/sh -c 'ulimit -n 16; ulimit -n 128' 2>/dev/null});
		cured('... and 16 files', [kvm_node(666, 0), '/bin/sh', '-c',
			'ulimit -n 16; exec "$@"', 'sh'], 'open files', $remedy =~ s/^as root: //r, @nobody);
	}
	fault('... and control groups', \@user, 'control groups', 'no',
		qr/cannot be written|none that has memory/, qr/systemd-run|mount/);
	fault('... and tracepoints', \@user, 'tracepoint lock/contention_begin', 'no', qr/./,
		qr/root/) if $host->{'tracepoint lock/contention_begin'}{state} eq 'ok';
	fault('... and userfaultfd', \@user, 'userfaultfd', 'no', qr/Operation not permitted/,
		qr/sysctl vm\.unprivileged_userfaultfd=1/)
		if (read_file('/proc/sys/vm/unprivileged_userfaultfd') // 1) == 0;
}

# ---- limits of the process ----

my @sh = ('/bin/sh', '-c');
fault('files of 4M', [@sh, 'ulimit -f 8192; exec "$@"', 'sh'], 'file size', 'no', qr/^4M$/,
	qr/^ulimit -f unlimited$/);
($r) = examine([@sh, 'ulimit -Sf 8192; ulimit -f unlimited; exec "$@"', 'sh']);
is($r->{'file size'}{state}, 'ok', '... which its remedy undoes');
like((examine([@sh, 'ulimit -l 64; exec "$@"', 'sh']))[0]{'locked memory'}{seen}, qr/^64K;/,
	'64K of locked memory are seen');
fault('one CPU', ['taskset', '-c', 0], 'CPUs', 'noisy', qr/^1 of \d+/, qr/^taskset -pc 0-\d+ \$\$$/)
	if !system('taskset -c 0 true 2>/dev/null') && ($host->{CPUs}{state} // '') eq 'ok';
fault('no gnuplot', ['env', 'PATH=/nowhere'], 'gnuplot', 'no', qr/^no gnuplot$/,
	qr/^apt-get install gnuplot/) if $host->{gnuplot}{state} eq 'ok';
fault('no QEMU', ['env', 'PATH=/nowhere'], 'QEMU', 'no', qr/^no qemu-system-/,
	qr/^apt-get install qemu-system/) if $host->{QEMU}{state} eq 'ok';

# ---- files of the host that say something else ----

# In a namespace where such a file is another.
sub with_file
{
	my ($path, $text) = @_;
	my $file = scratch('file');

	write_file($file, $text);
	return [in_namespace("mount --bind $file $path")];
}

SKIP: {
	skip 'no namespaces: not root, or unshare -m is refused', 1 unless $root;
	my $remedy;
	my $thp = '/sys/kernel/mm/transparent_hugepage/enabled';

	fault('THP never', with_file($thp, "always madvise [never]\n"), 'transparent huge pages', 'no',
		qr/^never$/, qr/^echo madvise > \Q$thp\E$/) if -e $thp;

	my @shm = in_namespace('mount -t tmpfs -o size=8M none /dev/shm');
	$remedy = fault('/dev/shm of 8M', \@shm, '/dev/shm', 'no', qr/^8M free$/,
		qr{^mount -o remount,size=256M /dev/shm$});
	cured('/dev/shm of 8M', \@shm, '/dev/shm', $remedy);

	my $pools = scratch('pools');
	for my $pool ([2048, 3, 2, 0], [1048576, 7, 0, 0], [64, 5, 5, 5]) {
		my ($kb, $total, $free, $reserved) = @$pool;

		system('mkdir', '-p', "$pools/hugepages-${kb}kB");
		write_file("$pools/hugepages-${kb}kB/nr_hugepages", "$total\n");
		write_file("$pools/hugepages-${kb}kB/free_hugepages", "$free\n");
		write_file("$pools/hugepages-${kb}kB/resv_hugepages", "$reserved\n");
	}
	my @pools = in_namespace("mount --bind $pools /sys/kernel/mm/hugepages");
	my ($found) = examine(\@pools);
	is(join(' ', grep { /^huge pages/ } sort keys %$found),
		'huge pages 1G huge pages 2M huge pages 64K', 'a row for each size of huge page');
	fault('2M pages', \@pools, 'huge pages 2M', 'ok', qr/^2 of 3 free$/, qr/^$/);
	fault('1G pages in use', \@pools, 'huge pages 1G', 'no', qr/^0 of 7 free$/,
		qr{^echo 8 > \S+/hugepages-1048576kB/nr_hugepages$});
	fault('64K pages promised', \@pools, 'huge pages 64K', 'no', qr/^0 of 5 free$/,
		qr{^echo 4101 > });

	my $modules = scratch('modules');
	for my $row (['kvm', 'tdp_mmu', 'Y'], ['kvm', 'nx_huge_pages', 'Y'], ['kvm_amd', 'npt', 'N']) {
		my ($module, $name, $value) = @$row;

		system('mkdir', '-p', "$modules/$module/parameters");
		write_file("$modules/$module/parameters/$name", "$value\n");
	}
	my @modules = in_namespace("mount --bind $modules /sys/module");
	fault('shadow paging', \@modules, 'paging', 'noisy', qr/by shadow paging \(npt=N\)/,
		qr/^modprobe -r kvm_amd && modprobe kvm_amd npt=1$/);
	fault('recovery of huge pages', \@modules, 'NX huge pages', 'noisy', qr/^Y: /,
		qr{^echo off > /sys/module/kvm/parameters/nx_huge_pages$});
	fault('another module', \@modules, 'KVM module', 'ok',
		qr/^kvm_amd, npt=N, tdp_mmu=Y, nx_huge_pages=Y$/, qr/^$/);
	write_file("$modules/kvm_amd/parameters/npt", "Y\n");
	fault('nested paging', \@modules, 'paging', 'ok', qr/by hardware \(npt\)/, qr/^$/);
	# both built in, on a CPU of the other vendor, and a third that is loaded
	my $cpuinfo = scratch('cpuinfo');
	my @both = in_namespace("mount --bind $modules /sys/module; mount --bind $cpuinfo /proc/cpuinfo");
	write_file($cpuinfo, "flags\t\t: fpu vmx\n");
	system('mkdir', '-p', "$modules/kvm_intel/parameters");
	write_file("$modules/kvm_intel/parameters/ept", "N\n");
	fault('module of the CPU', \@both, 'paging', 'noisy', qr/by shadow paging \(ept=N\)/,
		qr/^modprobe -r kvm_intel /);
	system('mkdir', '-p', "$modules/kvm_pvm");
	fault('module in software', \@both, 'KVM module', 'ok',
		qr/^kvm_pvm, tdp_mmu=Y, nx_huge_pages=Y$/, qr/^$/);

	my $trace = 'tracepoint lock/contention_begin';
	my @untraced = in_namespace('umount -l /sys/kernel/debug 2>/dev/null || true
		umount -l /sys/kernel/tracing');
	if (-e '/sys/kernel/tracing/events' && $host->{$trace}{state} eq 'ok') {
		$remedy = fault('no tracefs', \@untraced, $trace, 'no', qr/No such file/,
			qr{^mount -t tracefs none /sys/kernel/tracing$});
		cured('no tracefs', \@untraced, $trace, $remedy);
	}

	my $meminfo = read_file('/proc/meminfo');
	fault('swap', with_file('/proc/meminfo', $meminfo =~ s/^SwapTotal:.*/SwapTotal: 1048576 kB/mr),
		'swap', 'ok', qr/^1G$/, qr/^$/) if $host->{swap}{state} eq 'no';
	fault('little memory', with_file('/proc/meminfo', $meminfo
			=~ s/^MemAvailable:.*/MemAvailable: 102400 kB/mr =~ s/^SwapFree:.*/SwapFree: 0 kB/mr),
		'memory to run in', 'no', qr/263M of memory needed, this host has 100M available/, qr/--bytes/);
	fault('no promises', [in_namespace('echo 2 > ' . scratch('mode') . '; mount --bind '
		. scratch('mode') . ' /proc/sys/vm/overcommit_memory; sed "s/^CommitLimit:.*/CommitLimit: 0 kB/" '
		. '/proc/meminfo > ' . scratch('info') . '; mount --bind ' . scratch('info') . ' /proc/meminfo')],
		'memory to run in', 'no', qr/may promise 0 more/, qr/^sysctl vm\.overcommit_memory=0/);
}

# ---- control groups ----

my ($group, $limit) = memory_group();
END { rmdir $group if $group }

SKIP: {
	skip 'no control group with a limit of memory can be made here', 1 unless $group;
	my @in = in_control_group($group);

	like(changes($before), qr{^/sys/fs/cgroup\S*: '[^']*kvmeter-$$}m, 'what is left behind is noticed');
	write_file("$group/$limit", 64 << 20);
	my $remedy = fault('a control group of 64M', \@in, 'memory to run in', 'no',
		qr/the control group leaves \d+[KM] of 64M/, qr/^echo \d+ > \Q$group\/$limit\E, or/);
	fault('a control group of 64M', \@in, 'memory limit', 'ok', qr/[KM] left of 64M by \Q$group\E/, qr/^$/);
	cured('a control group of 64M', \@in, 'memory to run in', $remedy =~ s/, or .*//r);
}

my $cpu = (grep { -e "$_/cpu.cfs_quota_us" } '/sys/fs/cgroup/cpu', '/sys/fs/cgroup/cpu,cpuacct')[0];
my $cpu_group;
END { rmdir $cpu_group if $cpu_group }

SKIP: {
	skip 'no hierarchy of version 1 with quotas of CPU time', 1 unless $cpu;
	$cpu_group = "$cpu/kvmeter-$$";
	skip 'no control group can be made there', 1 unless mkdir $cpu_group;
	write_file("$cpu_group/cpu.cfs_quota_us", 150000);
	my @in = in_control_group($cpu_group);
	my $remedy = fault('a quota', \@in, 'CPU quota', 'noisy', qr/^1\.50 CPUs' worth/,
		qr{^echo -1 > \Q$cpu_group\E/cpu\.cfs_quota_us$});

	cured('a quota', \@in, 'CPU quota', $remedy);
}

rmdir $_ for grep { defined } $group, $cpu_group;
is(changes($before), '', 'the host is as it was');
done_testing();
