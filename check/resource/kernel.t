#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# What a kernel, an administrator or a sandbox takes away: file systems, system
# calls, capabilities of KVM, permissions. A benchmark skips if it cannot do what
# was asked for, calls "not verified" what it can no longer prove, and measures
# nothing under a wrong name.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../harness";
use Harness;
use Resource;
use Test::More;

host_lacks();
my @not_slow = (but => { async_pf_test => [2, qr/only anonymous and anonymous_thp can be made slow/] });
my @one = (of => ['page_table_test']);
my @async = (of => ['async_pf_test']);

# ---- transparent huge pages ----

my $thp = '/sys/kernel/mm/transparent_hugepage/enabled';
my @huge = qw(-s anonymous_thp -b 4M);
SKIP: {
	skip 'no transparent huge pages', 1 if (read_file($thp) // '[never]') =~ /\[never\]/;
	my $to_skip = qr/turned transparent huge pages off for it \(PR_SET_THP_DISABLE\): start it otherwise/;

	benchmarks(
		['THP off for the process', { without => ['thp'] }, \@huge, 4, $to_skip, cure => sub { ({}) }],
		['THP off for the process, another backing', { without => ['thp'] }, [], 0]);
	skip 'namespaces need root', 1 unless is_root();
	benchmarks(['THP never', { mount => with_fake($thp, "always madvise [never]\n") }, \@huge, 4,
		qr{transparent huge pages are off: (echo madvise > \Q$thp\E)},
		cure => sub { ({ mount => with_fake($thp, '') . "$_[0]\necho 'always [madvise] never' > $thp\n" }) }]);
}

# ---- file systems that tell of the host ----

SKIP: {
	skip 'namespaces need root', 1 unless is_root();
	my $no_proc = "umount -l /proc\n";
	my $no_sys = "umount -l /sys\n";
	my @hugetlb = qw(-b 4M -s);

	benchmarks(
		['no /proc', { mount => $no_proc }, [], 0, undef, all => 1],
		['no /sys', { mount => $no_sys }, [], 0],
		['neither', { mount => "$no_sys$no_proc" }, [], 0],
		['no /sys, huge pages', { mount => $no_sys }, [@hugetlb, 'anonymous_hugetlb_2mb'], 4,
			qr{/sys does not tell of huge pages: (mount -t sysfs none /sys)}, @not_slow],
		['no /sys, THP', { mount => $no_sys }, \@huge, 4,
			qr{/sys does not tell of huge pages: (mount -t sysfs none /sys)},
			cure => sub { ({ mount => "$no_sys$_[0]\n" }) }],
		['no /proc, huge pages of the default size', { mount => $no_proc }, [@hugetlb, 'anonymous_hugetlb'], 4,
			qr{/proc does not tell how large huge pages are: mount -t proc none /proc, or choose one with}, @not_slow]);
	my $untraced = "umount -l /sys/kernel/debug 2>/dev/null || true\numount -l /sys/kernel/tracing\n";
	skip 'no tracefs', 1 unless -d '/sys/kernel/tracing/events/lock';
	benchmarks(
		['no tracefs', { mount => $untraced }, [], 0],
		['no tracefs, --lock-wait', { mount => $untraced }, ['--lock-wait'], 4,
			qr{--lock-wait: no tracepoint lock/contention_begin: .*\((mount -t tracefs none /sys/kernel/tracing)\)},
			cure => sub { ({ mount => "$untraced$_[0]\n" }) }]);
}

# ---- system calls ----

benchmarks(
	['userfaultfd forbidden', { without => ['userfaultfd'] }, [], 0, undef,
		but => { async_pf_test => [4, qr/--slow uffd:500: userfaultfd: no permission/] }],
	['perf_event_open forbidden', { without => ['perf'] }, [], 0],
	['perf_event_open forbidden, --lock-wait', { without => ['perf'] }, ['--lock-wait'], 4,
		qr/--lock-wait: perf_event_open\(\) refuses the tracepoint: run as root, or with CAP_PERFMON/],
	['sched_setaffinity forbidden', { without => ['affinity'] }, [], 0],
	['no MADV_POPULATE_WRITE', { without => ['populate'] }, [], 0],
	['no memfd', { without => ['memfd'] }, [qw(-s memfd)], 1,
		qr/memfd_create for --backing memfd: Function not implemented: this kernel does not have it/, @not_slow],
	['no statistics of KVM', { without => ['statistics'] }, [], 0],
);
my $balance = '/proc/sys/kernel/numa_balancing';
for my $balancing (0, 1) {
	next if $balancing && !(-e $balance && is_root());
	my $in = { without => ['mbind'], $balancing ? (mount => with_fake($balance, "1\n")) : () };
	my $r = run([surround($in, placed('tests/page_table_test'), qw(-b 256K -R 3 -q))]);
	my @warned = $r->{err} =~ /^(\S+: warning: mbind: .*)$/mg;

	is("$r->{code} @warned", $balancing ? '0 page_table_test: warning: mbind: Operation not permitted: NUMA '
		. 'balancing may disturb: sysctl kernel.numa_balancing=0' : '0 ',
		'mbind forbidden, NUMA balancing ' . ($balancing ? 'on: one warning' : 'off or not known'));
}

# ---- KVM of another age: capability numbers of Documentation/virt/kvm/api.rst ----

my %cap = (NR_MEMSLOTS => 10, READONLY_MEM => 81, MAX_VCPUS => 66, ASYNC_PF => 59, ASYNC_PF_INT => 183,
	SPLIT_IRQCHIP => 121, MANUAL_DIRTY_LOG_PROTECT2 => 168, DIRTY_LOG_RING => 192,
	DIRTY_LOG_RING_ACQ_REL => 223, BINARY_STATS_FD => 203, DISABLE_QUIRKS2 => 213);
my $manual = [4, qr/no KVM_CAP_MANUAL_DIRTY_LOG_PROTECT2 \(Linux 5\.0\): get-log is what it has/];

sub lacks { return { without => [map { "cap:$cap{$_}" } @_] } }

benchmarks(
	['no limit of vCPUs known', lacks('MAX_VCPUS'), [], 0],
	['no statistics', lacks('BINARY_STATS_FD'), [], 0],
	['no memslots', lacks('NR_MEMSLOTS'), [], 4, qr/KVM_CAP_NR_MEMSLOTS: this KVM has no memslots/],
	['no read-only memory', lacks('READONLY_MEM'), [], 0, undef,
		but => { memslot_zap_test => [4, qr/no KVM_CAP_READONLY_MEM, which a ROM needs/] }],
	['no quirks to disable', lacks('DISABLE_QUIRKS2'), [], 0],
	['no quirks to disable, all ways of zapping', lacks('DISABLE_QUIRKS2'), [qw(--op all)], 0,
		undef, of => ['memslot_zap_test']],
	['clearing by hand', lacks('MANUAL_DIRTY_LOG_PROTECT2'), [], 0, undef,
		but => { dirty_log_perf_test => $manual, dirty_log_test => $manual }, all => 1],
	['clearing by hand, get-log', lacks('MANUAL_DIRTY_LOG_PROTECT2'), [qw(-M get-log)], 0, undef,
		of => [qw(dirty_log_perf_test dirty_log_test)]],
	['no dirty ring', lacks(qw(DIRTY_LOG_RING DIRTY_LOG_RING_ACQ_REL)), [qw(-M ring)], 4,
		qr/this KVM has no KVM_CAP_DIRTY_LOG_RING/, of => [qw(dirty_log_perf_test dirty_log_test)]],
	(map { ["no $_", lacks($_), [], 0, undef, @async] } qw(ASYNC_PF ASYNC_PF_INT SPLIT_IRQCHIP)),
	['nothing that came after Linux 4.15', lacks(keys %cap), [], 4,
		qr/no memslots/, @one],
	['all of what came since 5.0', lacks(grep { !/NR_MEMSLOTS|READONLY|MAX_VCPUS/ } keys %cap), [], 0, undef,
		but => { dirty_log_perf_test => $manual, dirty_log_test => $manual }],
);

# ---- permissions ----

SKIP: {
	skip 'namespaces need root', 1 unless is_root();
	my $no_uffd = (read_file('/proc/sys/vm/unprivileged_userfaultfd') // 0) == 1 ? undef
		: [4, qr/userfaultfd: no permission.*or chmod o\+rw \/dev\/userfaultfd/];
	my %user = (user => 1);

	benchmarks(
		['an ordinary user', { %user, mount => kvm_node(666) }, [], 0, undef, all => 1,
			but => { async_pf_test => $no_uffd }],
		['an ordinary user without KVM', { %user, mount => kvm_node(600) }, [], 4,
			qr{open /dev/kvm: Permission denied: no permission: run as root, or have root say setfacl -m (u:\d+:rw) /dev/kvm},
			cure => sub { ({ %user, mount => kvm_node(600) . ($_[0] eq "u:$Resource::uid:rw"
				? "chown $Resource::uid /dev/kvm" : '') . "\n" }) }, of => [grep { $_ ne 'async_pf_test' } @benches]],
		['not of the group', { %user, mount => kvm_node(660, '0:1') }, [], 4,
			qr{no permission: run as root, or join the group that owns it \(usermod}],
		['an ordinary user, --lock-wait', { %user, mount => kvm_node(666) }, ['--lock-wait'], 4,
			qr/--lock-wait: .*(?:run as root|readable)/],
		['no /dev/kvm', { mount => <<'EOT' =~ s/SCRATCH/scratch('bare')/er }, [], 4, qr{open /dev/kvm: No such file or directory: no KVM here: load its module}],
dir=SCRATCH; mkdir -p $dir; mount -t tmpfs none $dir
for d in null zero full random urandom; do touch $dir/$d; mount --bind /dev/$d $dir/$d; done
mount --bind $dir /dev
EOT
		['another device', { mount => "mount --bind /dev/null /dev/kvm\n" }, [], 4, qr{/dev/kvm is not KVM}]);
	if ($no_uffd && -e '/dev/userfaultfd') {
		benchmarks(['an ordinary user who may open /dev/userfaultfd', { %user, mount => kvm_node(666)
			. "mknod -m 666 \$(dirname @{[ scratch('dev/x') ]})/userfaultfd c \$(stat -c '0x%t 0x%T' /dev/userfaultfd)\n"
			. "mount --bind @{[ scratch('dev') ]}/userfaultfd /dev/userfaultfd\n" }, [], 0, undef, @async]);
	}
}
report_tried();
done_testing();
