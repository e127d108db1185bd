#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# A value that makes no sense is refused by name: exit 2, option and value and
# what would do on standard error, nothing on standard output, and no VM. There
# is no /dev/kvm where these run, so that whatever opens it ends in exit 4.
#
# Options come from --help: one that is new and has no row here fails.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Harness;
use Test::More;

my $dir = scratch('bad');
mkdir $dir;
write_file("$dir/full", "precious\n");

# Values of kinds of options that make no sense anywhere.
my @numbers = ('', ' ', 'x', '-1', '+1', '1x', '1.5', '0x', '1e3', "1\n", ' 1', '1 ',
	'18446744073709551616', '99999999999999999999999');
my @sizes = ('', 'K', '-4K', '4Q', '4KK', '1.5M', '16777216T', '18446744073709551616');
my @lists = (',', '1,', ',1', '1,,2', '4-1', '1-', '-1', '1-2-3', 'a,b', '1;2',
	join(",", 1 .. 5000), '1-100000');

# option => [ values that are refused ]; undef: takes no value
my %common = (
	'vcpus' => [ @numbers, @lists, '0', '0,1', '65537', '1,99999999' ],
	'bytes' => [ @sizes, ',', '4K,', '8K-4K', '0', '1', '4095', '5000', '4K,5000', '65T' ],
	'backing' => [ '', 'anon', 'ANONYMOUS', 'anonymous ', 'anonymous_hugetlb_3mb', 'disk',
		"$dir", "$dir/full", "$dir/none/file", '/dev/null' ],
	'mode' => [ '', 'x', '-1', '99', 'PXXV48', '9x' ],
	'guest-page' => [ @sizes, '0', '1', '4097', '6K', '2K', '3M', '1024G' ],
	'gpa' => [ @sizes, '1', '4095', '0x1001', '4G', '5G', '0x1ffffffff', '4096T' ],
	'eager-split' => [ @sizes, '0', '1', '4095', '6K' ],
	'disable-quirks' => [ '', ',', 'slot-zap-all,', ',slot-zap-all', 'slot-zap-all,,x',
		'SLOT-ZAP-ALL', 'slot zap', 'slot_zap_all' ],
	'slots' => [ @numbers, '0', '32768', '65536' ],
	'pin' => [ @numbers, @lists, '1024', '99999', '0,1,0', '0-1,0' ],
	'rounds' => [ @numbers, '0', '1000001' ],
	'runs' => [ @numbers, '0', '100001' ],
	'warmup' => [ @numbers, '1001' ],
	'timeout' => [ @numbers, '0', '86401' ],
	'json' => [ '', "$dir", "$dir/", "$dir/none/file", "$dir/none/", '/proc/none' ],
	map { $_ => undef } qw(no-prefault lock-wait strict quiet verbose help version),
);

my %own = (
	'page_table_test' => {
		'write-percent' => [ @numbers, '101' ],
		'update' => [ '', 'none', 'ALL' ],
		'granule' => [ @sizes, '0', '2K', '12K' ],
		'access' => [ '', 'all', 'SHARED', 'shared,split' ],
		'inject' => [ '', 'x', 'lost' ],
		'unaligned' => undef,
	},
	'dirty_log_perf_test' => {
		'write-percent' => [ @numbers, '101' ],
		'seed' => [ @numbers ],
		'chunk' => [ @sizes, '0', '256001' ],
		'clear-wait' => [ @numbers ],
		'clearers' => [ @numbers, '0', '1025' ],
		'ring-entries' => [ @numbers, '0', '255', '1000' ],
		'log-mode' => [ '', 'x', 'get', 'ring,', 'ring,ring', 'get-log,all' ],
		'stalls' => [ @numbers, '1000001' ],
		'inject' => [ '', 'x', 'lost' ],
		map { $_ => undef } qw(random-access overlap no-manual-protect run-during-off free),
	},
	'dirty_log_test' => {
		'log-mode' => [ '', 'x', 'get', 'ring,', 'ring,ring', 'get-log,all' ],
		'chunk' => [ @sizes, '0', '256001' ],
		'clear-wait' => [ @numbers ],
		'clearers' => [ @numbers, '0', '1025' ],
		'ring-entries' => [ @numbers, '0', '255', '1000' ],
		'seconds' => [ @numbers, '604801' ],
		'pace' => [ @numbers, '1000000001' ],
		'seed' => [ @numbers ],
		'disturb' => [ '', 'x', 'slots,', 'thp,thp' ],
		'guest-mode' => [ '', 'x', 'user,kernel' ],
		'force-exits' => undef,
		# two vCPUs by default
		'pin' => [ @numbers, @lists, '1024', '99999', '0,1,0,1' ],
		'inject' => [ '', 'x', 'lose' ],
		'one-in' => [ @numbers, '0', '1000000001' ],
		map { $_ => undef } qw(no-manual-protect),
	},
	'async_pf_test' => {
		'slow' => [ '', 'disk', 'uffd', 'uffd:', 'uffd:x', 'uffd:10000001', 'uffd:50,0',
			'uffd:50,65', 'uffd:50,', 'swap:1' ],
		'limit' => [ @numbers, '0', '100' ],
		'load' => [ '', 'none', 'touch,', 'touch,touch' ],
		'quantum' => [ @numbers, '0', '1000001' ],
		'seed' => [ @numbers ],
		'inject' => [ '', 'x', 'lost' ],
	},
	'tlb_stress_test' => {
		'invalidate' => [ '', ',', 'none', 'page,page', 'page,', 'PAGE' ],
		'processes' => [ @numbers, '0', '1000000001' ],
		'pages' => [ @numbers, '0', '2', '8193' ],
		'cow-percent' => [ @numbers, '101' ],
		'device-percent' => [ @numbers, '101' ],
		'mmio-percent' => [ @numbers, '101' ],
		'device' => [ '', 'anon', 'disk', "$dir", "$dir/full", "$dir/none/file", '/dev/null' ],
		'inject' => [ '', 'x', 'nothing-else' ],
	},
	'memslot_zap_test' => {
		'op' => [ '', 'all,', 'delete', 'toggle,toggle' ],
		'by' => [ '', 'x' ],
		'rate' => [ @numbers, '1000001' ],
		'rom-size' => [ @sizes, '2K', '5K', '33M' ],
		'passes' => [ @numbers, '0', '1000001' ],
		'stalls' => [ @numbers, '1000001' ],
		'inject' => [ '', 'x', 'lost' ],
	},
);

# Options that do not go together: arguments, what is named.
my %together = (
	'page_table_test' => [
		[ [ '-b', '4K', '-x', 2 ], qr/--slots 2/ ],
		[ [ '-b', '64K', '-x', 17 ], qr/--slots 17: 64K .* 16 slots/ ],
		[ [ '-v', 3, '-c', '0,1' ], qr/--pin: 2 CPUs for 3 vCPUs/ ],
		[ [ '-v', '1,4', '-c', '0,1' ], qr/--pin: 2 CPUs for 4 vCPUs/ ],
		[ [ '-p', '4G' ], qr/--gpa/ ],
		[ [ qw(--granule 2M) ], qr/--granule 2M: memory would be mapped by less/ ],
		[ [ qw(--granule 4M -s anonymous_thp -b 4M) ], qr/--granule 4M: memory would/ ],
		[ [ qw(--granule 2M -s anonymous_thp -u) ], qr/--granule 2M: memory would .* no --unaligned/ ],
		[ [ qw(--granule 64K -s anonymous_thp --update sparse) ],
			qr/--granule 64K: it has update write one page in each: choose no --update/ ],
		[ [ '-p', '0', '-b', '5G' ], qr/--gpa/ ],
		[ [ '-b', '3M', '-s', 'anonymous_hugetlb_2mb' ],
			qr/--bytes 3M: --backing anonymous_hugetlb_2mb needs multiples of 2M/ ],
		[ [ '-b', '2M', '-s', 'anonymous_hugetlb_1gb' ], qr/multiples of 1G/ ],
		[ [ '--nonsense' ], qr/--nonsense: unknown option/ ],
		[ [ '-Z' ], qr/-Z: unknown option/ ],
		[ [ '--wa' ], qr/--wa: missing argument|--warmup/ ],
		[ [ '--ver' ], qr/--ver: ambiguous: --verbose, --version/ ],
		[ [ 'operand' ], qr/operand: operands are not taken/ ],
		[ [ '--', '-v' ], qr/-v: operands are not taken/ ],
	],
	'dirty_log_perf_test' => [
		[ [ '-g', '-k', '1M' ], qr/--chunk, --clear-wait and --clearers: .* --log-mode clear-log/ ],
		[ [ '-M', 'ring', '--clearers', 2 ], qr/--clearers: .* --log-mode clear-log/ ],
	],
	'dirty_log_test' => [ [ [ '-M', 'get-log,ring', '-l', 1 ], qr/--clear-wait/ ] ],
	'async_pf_test' => [
		[ [ '-s', 'memfd' ], qr/--backing memfd: only anonymous/ ],
		[ [ '-v', 2, '-b', '4K' ], qr/--bytes: each vCPU/ ],
		[ [ '--slow', 'swap', '-b', '4M' ], qr/--limit: less than 4M/ ],
		[ [ '--slow', 'swap', '-b', '64M', '--limit', 5 ], qr/--limit: less than 4M/ ],
	],
	'tlb_stress_test' => [
		[ [ '--cow-percent', 60, '--device-percent', 41 ],
			qr/--cow-percent, --device-percent and --mmio-percent: more than 100/ ],
		[ [ '--pages', 8000 ], qr/--pages 8000.*: at most \d+ of each/ ],
		[ [ '-v', 9000 ], qr/--vcpus 9000: at most \d+ of each/ ],
		[ [ '-b', '64K' ], qr/--bytes: 16 pages take 17 frames, or 68K for each vCPU/ ],
	],
	'memslot_zap_test' => [
		[ [ '-v', 2, '-b', '4K' ], qr/--bytes: 1 pages for 2 vCPUs/ ],
	],
);

my @hidden = without_kvm();

sub refused
{
	my ($program, $args, @patterns) = @_;
	my $r = run([@hidden, $program, @$args], timeout => 10);
	my ($name) = $program =~ m{([^/]+)$};
	my $shown = join ' ', map { substr($_, 0, 60) =~ s/\n/\\n/gr =~ s/\Q$dir\E/DIR/r } @$args;

	run_ok("$name $shown", $r, code => 2, tap => 0, silent => 1, within => 5, err => [
		qr/^\Q$name\E: \S.*\nTry '\Q$name\E --help' for more information\.\n\z/s, @patterns ]);
}

for my $name (sort keys %own) {
	my $program = binary("tests/$name");
	my $options = help_options($program);
	my %rows = (%common, %{ $own{$name} });

	is(join(' ', grep { !exists $rows{$_} } sort keys %$options), '',
		"$name: every option has a row");
	is(join(' ', grep { !exists $options->{$_} } sort keys %rows), '',
		"$name: every row has an option");
	for my $option (sort keys %rows) {
		is(!!$options->{$option}, defined $rows{$option},
			"$name --$option: takes a value or not");
		if (!defined $rows{$option}) {
			refused($program, ["--$option=1"], qr/--$option: takes no argument/);
			next;
		}
		refused($program, ["--$option"], qr/--$option: missing argument/);
		for my $value (@{ $rows{$option} }) {
			# a message is one line
			my $shown = $option eq 'pin' ? '' : substr($value, 0, 20) =~ tr/\n/ /r;

			refused($program, ["--$option=$value"], qr/--\Q$option\E/,
				$value =~ /[,-]/ ? qr/./ : qr/\Q$shown\E|0x[0-9a-f]+/);
		}
	}
	refused($program, @$_) for @{ $together{$name} };
}
is(read_file("$dir/full"), "precious\n", 'a file that holds something is not touched');
is(join(' ', leftovers($dir)), 'full', 'no file is created');

done_testing();
