# SPDX-License-Identifier: GPL-2.0-only
#
# Short invocations of all benchmarks and of the tool, which together make as
# many different calls as can be had: the scenes in which calls fail.
package Scenes;
use strict;
use warnings;
use Exporter 'import';
use File::Path qw(make_path);
use JSON::PP ();

our @EXPORT = qw(scenes);

# RESULTS in a command is where results are to be written.
my @once = qw(-R 1 --warmup 0 -b 64K -J RESULTS);
my @benchmarks = (
	['page_table_test', @once, qw(-v 2)],
	['page_table_test', @once, qw(-V -x 3 -s shmem), '--pin=CPU,CPU'],
	['page_table_test', @once, qw(-s memfd --lock-wait)],
	['page_table_test', @once, qw(-b 4M -s anonymous_thp -v 1-2 --no-prefault)],
	['page_table_test', @once, qw(-s), 'FILE', qw(-u)],
	['page_table_test', @once, qw(-b 2M -s shared_hugetlb)],
	['page_table_test', @once, qw(-b 2M -s anonymous_hugetlb_2mb)],
	['page_table_test', @once, qw(-b 128M)],
	['page_table_test', @once, qw(--disable-quirks slot-zap-all)],
	['dirty_log_perf_test', @once, qw(-v 2 -M all --clearers 2 --stalls 4 --lock-wait -V)],
	['dirty_log_perf_test', @once, qw(-j -k 16K -l 1 -a -e)],
	['dirty_log_test', qw(-b 64K -v 2 -M all -i 3 -J RESULTS)],
	['dirty_log_test', qw(-b 4M -s anonymous_thp -i 3 --force-exits --guest-mode kernel
		-J RESULTS)],
	['async_pf_test', @once, '--slow=uffd:100,2'],
	['async_pf_test', @once, qw(-b 16M --slow swap)],
	['memslot_zap_test', @once, '--op=toggle,move,flags', qw(--by host --rate 500)],
	['memslot_zap_test', @once, qw(--by guest -s memfd --stalls 2)],
	['tlb_stress_test', @once, qw(-v 2 --device shmem -b 4M --processes 2)],
	['tlb_stress_test', @once, qw(--invalidate page -b 4M --processes 2 --device), 'FILE'],
);

my $bench = 'page_table_test';
my @short = ('--', qw(-b 64K));
my $ttl = '/proc/sys/net/ipv4/ip_default_ttl';
my @record = (qw(bisect record --good old.json --bad new.json --threshold 50 --metric create --run),
	      'cp new.json {}');
my @tool = (
	[qw(doctor)], [qw(doctor -f json)], [qw(list)],
	[qw(run --results res --junit RESULTS suite)],
	[qw(compare old.json new.json)], [qw(compare -f json old.json new.json)],
	[qw(ab -n 2 --results res), '--set-a', "$ttl=64", '--set-b', "$ttl=63", $bench, @short],
	[qw(ab -n 1 --same -f junit), $bench, @short],
	[qw(noise -n 5), $bench, @short],
	[qw(report --no-figures -o RESULTS old.json new.json)],
	[qw(report -o RESULTS old.json new.json)],
	\@record, [qw(bisect step)], [qw(bisect log)],
);

sub write_file {
	my ($path, $text) = @_;

	open(my $to, '>', $path) or die "$path: $!\n";
	print $to $text;
	close $to;
}

# Real results, but that their first phase takes so long.
sub rewrite {
	my ($from, $to, $ns) = @_;
	my $json = JSON::PP->new->canonical;

	open(my $in, '<', $from) or die "$from: $!\n";
	local $/;
	my $results = $json->decode(<$in>);
	$_ = $ns += 1000 for @{ $results->{points}[0]{metrics}[0]{samples} };
	write_file($to, $json->encode($results));
}

# What the tool reads: real results, measured once.
sub measure {
	my ($out, $dir) = @_;

	make_path($dir);
	system("$out/tests/$bench -b 64K -R 9 --warmup 0 -q -J $dir/old.json >/dev/null") == 0
		or die "$bench fails\n";
	rewrite("$dir/old.json", "$dir/new.json", 3e6);
	rewrite("$dir/old.json", "$dir/old.json", 1e6);
	write_file("$dir/suite", "one: $bench -b 64K -R 1 --warmup 0\ntwo: $bench -b 64K -R 1\n");
	system("cd $dir && $out/tools/kvmeter/kvmeter @record[0 .. $#record - 1] '$record[-1]' >$dir/log 2>&1") == 0
		or die `cat $dir/log`;
	system("cd $dir && $out/tools/kvmeter/kvmeter bisect step >$dir/log 2>&1");
}

# [{ name, command => [...], program, copy => [files to begin with] }]
sub scenes {
	my ($out, $made) = @_;
	my ($cpu) = do { open(my $s, '<', '/proc/self/status'); grep { /^Cpus_allowed_list/ } <$s> };
	my @scenes;

	($cpu) = $cpu =~ /(\d+)/;
	for (@benchmarks) {
		my ($program, @options) = @$_;

		s/CPU/$cpu/g for @options;
		push @scenes, { name => "$program @options", program => $program, benchmark => 1,
				command => ["$out/tests/$program", @options], copy => [] };
	}
	return @scenes if !-x "$out/tools/kvmeter/kvmeter";
	measure($out, $made);
	for my $words (@tool) {
		my $bisect = "@$words" =~ /^bisect (step|log)/;
		my @copy = map { s{.*/}{}r } grep { -f } glob("$made/{old.json,new.json,suite,.kvmeter-bisect*}");

		push @scenes, { name => "kvmeter @$words", program => 'kvmeter',
				command => ["$out/tools/kvmeter/kvmeter", @$words],
				copy => [grep { $bisect || !/^\.kvmeter/ } @copy] };
	}
	return @scenes;
}

1;
