#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# Little memory: a control group of 64M, huge pages that are not there, a full
# /dev/shm. A benchmark either says before it begins that it needs more, or runs to
# its end; and if the kernel kills one all the same, the tool says so.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../harness";
use Harness;
use Resource;
use Test::More;

host_lacks();
my ($group, $limit) = memory_group();
END { rmdir $group if $group }
$SIG{$_} = sub { exit 1 } for qw(INT TERM HUP);
$ENV{KVMETER_TESTS} = binary('tests/page_table_test') =~ s{/[^/]*\z}{}r;

# How often the kernel has killed one of the group.
sub killed
{
	my $text = read_file($limit eq 'memory.max' ? "$group/memory.events" : "$group/memory.oom_control");

	return $text =~ /^oom_kill (\d+)/m ? $1 : -1;
}

# ---- 64M: each benchmark with each size fits, or says what is missing ----

my $dir = $group // '';
my $needs = qr{\d+M of memory needed, the control group leaves \d+[MK] of 64M: echo (\d+) > \Q$dir\E};

sub in_64M
{
	my ($bench, @options) = @_;
	my $r = run([surround({ group => $group }, placed("tests/$bench"), qw(-R 1 --warmup 0 -q), @options,
		'-J', results())], timeout => 300);
	my $code = $r->{code} == 4 ? 4 : 0;
	my @wrong = faults_of($r, code => $code, json => 1, says => $code ? $needs : undef);

	ok(!@wrong, "$bench @options in 64M: " . ($code ? 'says what is missing' : 'fits'))
		or diag(join("\n", @wrong, $r->{out}, $r->{err}));
	unlink results();
	return $r;
}

SKIP: {
	skip 'no control group with a limit of memory can be made here', 1 unless $group;
	write_file("$group/$limit", 64 << 20);
	my @sizes = $long ? ('16M', '32M', '40M', '48M', '52M', '56M', '58M', '60M', '61M', '62M') : ('16M', '64M');
	my %takes = (dirty_log_test => [qw(--seconds 1 -M clear-log)], tlb_stress_test => [qw(--processes 10)],
		memslot_zap_test => [qw(--op toggle)], async_pf_test => [qw(--slow uffd:0)]);
	my ($fit, $missing) = (0, 0);

	for my $bench (@benches) {
		# each page is a fault that a thread answers, again and again
		my @of = $bench eq 'async_pf_test' ? ('1M', '64M') : @sizes;
		for my $size (@of) {
			my $r = in_64M($bench, @{ $takes{$bench} // [] }, '-b', $size);

			$r->{code} ? $missing++ : $fit++;
		}
		in_64M($bench, @{ $takes{$bench} // [] }, '-v', 8, '-b', '4M') if $long;
	}
	cmp_ok($fit, '>', 0, "$fit fit");
	cmp_ok($missing, '>', 0, "$missing said what is missing");
	my @as_is = map { in_64M($_)->{code} } $long ? @benches : 'dirty_log_perf_test';
	is(killed(), 0, 'the kernel has killed none');
	# the remedy
	my $r = run([surround({ group => $group }, placed('tests/memslot_zap_test'),
		qw(-b 64M --op toggle -R 1 --warmup 0 -q))]);
	my ($bytes) = $r->{err} =~ $needs;
	write_file("$group/$limit", $bytes // 0);
	benchmarks(['64M, after the remedy', { group => $group },
		[qw(-b 64M)], 0, undef, of => ['memslot_zap_test']]);
	is(killed(), 0, '... and is not killed');
}

# ---- what the kernel kills ----

# A benchmark that takes memory which it never spoke of, or is ended otherwise.
sub made_up
{
	my ($script) = @_;
	my $dir = scratch('made-up');

	mkdir $dir;
	write_file("$dir/greedy_test", <<"EOT");
#!/bin/sh
case " \$* " in
*' --describe '*) exec echo '{ "schema": "kvmeter-describe/1", "bench": "greedy_test", "version": "1.0",
	"question": "how much?", "options": [], "checks": [],
	"metrics": [ { "name": "create", "unit": "ns", "better": "lower", "help": "first access" } ] }' ;;
*' --help '*) exit ;;
esac
$script
EOT
	chmod 0755, $dir, "$dir/greedy_test";
	write_file(scratch('greedy.suite'), "greedy: greedy_test\n");
	return (env => ["KVMETER_TESTS=$dir"]);
}

my $greed = 'exec perl -e \'my $x = "x" x (200 << 20); sleep 5\'';
SKIP: {
	skip 'no control group with a limit of memory can be made here', 1 unless $group;
	skip 'what is too much would be swapped, which cannot be limited here', 1
		unless Groups::limit_without_swap($group, 64 << 20);
	my $said = qr{killed by the kernel for memory: \Q$group/$limit\E allows 64M: raise it, or choose smaller --bytes or --vcpus};
	my $before = killed();

	for my $row (['run', $greed, $said], ['run', 'kill -KILL $$', qr/killed by signal 9 \(Killed\)/],
		     ['run', 'kill -SEGV $$', qr/killed by signal 11/]) {
		my ($command, $script, $says) = @$row;

		system('rm', '-rf', scratch('R'));
		tool(["$script" =~ s/ -e.*//sr, { group => $group, made_up($script) }, [$command, '-o', scratch('R'), '-q',
			scratch('greedy.suite')], 1, undef, out => qr/not ok 1 - run # $says/]);
	}
	my @ab = qw(ab --same -n 2 -R 1 greedy_test);
	tool(['greed', { group => $group, made_up($greed) }, \@ab, 1, $said]);
	tool(['one that is killed', { group => $group, made_up('kill -KILL $$') }, \@ab, 1,
		qr/killed by signal 9 \(Killed\)/]);
	is(killed(), $before + 2, 'the kernel has killed two of them');
	# without the files of the group, the host's count tells
	my $hidden = "mount -t tmpfs none /sys/fs/cgroup\n";
	tool(['greed, no control group to be seen', { group => $group, made_up($greed),
		shell => "exec unshare -m /bin/sh -ec '$hidden exec \"\$\@\"' sh \"\$\@\"" }, \@ab, 1,
		qr/killed by the kernel for memory: the host has run out/]) if is_root();
}

# ---- huge pages: none, or some; what the kernel says of them is made up ----

sub pools
{
	my ($total, $free) = @_;
	my $dir = scratch("pools-$total-$free");
	my $pool = "$dir/hugepages-2048kB";

	system('mkdir', '-p', $pool);
	write_file("$pool/nr_hugepages", "$total\n");
	write_file("$pool/free_hugepages", "$free\n");
	write_file("$pool/resv_hugepages", "0\n");
	return { mount => "mount --bind $dir /sys/kernel/mm/hugepages\n" };
}

SKIP: {
	skip 'namespaces need root', 1 unless is_root();
	skip 'no huge pages of 2M', 1 unless -d '/sys/kernel/mm/hugepages/hugepages-2048kB';
	my @slow = (but => { async_pf_test => [2, qr/only anonymous and anonymous_thp can be made slow/] });
	my $echo = qr{> /sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages};

	for my $backing (qw(anonymous_hugetlb_2mb anonymous_hugetlb shared_hugetlb)) {
		next if $backing ne 'anonymous_hugetlb_2mb' && read_file('/proc/meminfo') !~ /^Hugepagesize:\s+2048 kB/m;
		my @options = ('-s', $backing, '-b', '8M');

		benchmarks(
			["$backing, none", pools(0, 0), \@options, 4,
				qr{--backing $backing: huge pages of 2M: \d+ needed, 0 free: echo \d+ $echo}, @slow],
			["$backing, too few", pools(3, 2), \@options, 4,
				qr{huge pages of 2M: \d+ needed, 2 free: echo \d+ $echo}, @slow],
			# somebody else has taken them since they were counted
			["$backing, gone", pools(99, 99), \@options, 1,
				qr{--backing $backing: mapping \d+ bytes: Cannot allocate memory}, @slow]);
	}
}

# ---- files in memory ----

SKIP: {
	skip 'namespaces need root', 1 unless is_root();
	my $full = "mount -t tmpfs -o size=1M none /dev/shm\nhead -c 900K /dev/zero > /dev/shm/filled\n";

	benchmarks(
		['/dev/shm full', { mount => $full }, [], 0],
		['/dev/shm full, shmem', { mount => $full }, [qw(-s shmem)], 0, undef,
			of => [grep { $_ ne 'async_pf_test' } @benches]],
		['/dev/shm full, a file there', { mount => $full }, [qw(-s /dev/shm/x -b 16M)], 4,
			qr{needed, /dev/shm has \d+K left: (mount -o remount,size=\d+M /dev/shm)},
			of => [grep { $_ ne 'async_pf_test' } @benches],
			cure => sub { ({ mount => "$full$_[0]\n" }) }]);
}
report_tried();
done_testing();
