#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# memslot_zap_test on this machine: what each operation on the ROM's slot drops, by
# KVM's own counts, and what the guest finds; then each injected fault.
use strict;
use warnings;
use FindBin;
use JSON::PP;
use lib $FindBin::Bin;
use Native;
use POSIX ();
use Test::More;

needs_kvm();
my $mib = full() ? 512 : 8;
my $pages = 256 * $mib;
my @size = ('-b', "${mib}M", '--passes', 2, '--warmup', 0, '--runs', full() ? 5 : 1);
my @rom_ops = qw(toggle toggle-no-quirk move move-no-quirk flags);

# Lines of checks of one operation: name => detail, with "SKIP ..." as it is.
sub checks_of {
	my ($text, $op) = @_;

	return $text =~ /^ok \d+ - \S+ \S+ op=\Q$op\E (.*?) # (.*)$/mg;
}

sub shows {
	my ($title, $checks, $name, $pattern) = @_;

	like($checks->{$name} // 'not there', $pattern, "$title: $name");
}

# Where KVM counts no mappings, only the pass after the operation tells.
sub judge_drops {
	my ($title, $checks, $zaps) = @_;
	my $left = $checks->{'idle_zap: mappings dropped'} // 'not there';
	my $back = $checks->{'refault: working set'} // 'not there';

	if ($left =~ /^all are to go: \d+ before, (\d+) left$/) {
		ok($zaps && $1 <= $pages / 100, "$title: $left");
		ok($back =~ /^(\d+) x 4K mapped again, of a working set of $pages x 4K all/ &&
			abs($1 - $pages) <= $pages / 20, "$title: $back");
	} else {
		like($left, qr/^none but .*: (\d+) before, \g1 left$|^SKIP not applicable/,
			"$title: nothing dropped");
		like($back, qr/^none mapped again|^\d{1,2} (faults|x 4K mapped again), |^SKIP not verified/,
			"$title: nothing comes back");
	}
}

for my $options ([], ['-v', 2], ['-v', 3, '-x', 5, '-i', 2, '--rate', 2000, '--passes', 8],
		 ['-v', 2, '--by', 'host', '--rate', 500, '--stalls', 0, '--passes', 8],
		 ['-v', 2, '--rom-size', '1M', '--guest-page', '4K']) {
	my ($text) = bench(['memslot_zap_test', @size, @$options]);

	for my $op ('none', @rom_ops) {
		my %checks = checks_of($text, $op);
		my $title = join(' ', @$options, $op);

		if (!%checks && $text =~ /^# without op=\Q$op\E: (.*)/m) {
			SKIP: { skip("$title: $1", 1) }
			next;
		}
		judge_drops($title, \%checks, $op =~ /^(toggle|move)$/);
		shows($title, \%checks, 'total: memory holds what was written',
			qr/^0 of $pages pages wrong$/);
		next if $op eq 'none';
		shows($title, \%checks, 'rom: a write exits and changes nothing',
			qr/^(\d+) of \g1 writes exited, 0 words changed$/);
		shows($title, \%checks, 'rom: gone when disabled', $op eq 'flags' ?
			qr/^SKIP not applicable/ : qr/^(\d+) of \g1 reads exited, 0 found something$/);
		# a busy machine may keep a host that acts on its own from it
		shows($title, \%checks, 'rom: what the host put there', $title =~ /by host/ ?
			qr/^\d+ words read, none wrong$|^SKIP not verified: it was not read/ :
			qr/^\d+ words read, none wrong$/);
	}
}

# Who notices what; where nothing is zapped, there is no zap to leave out.
my %notices = (
	'stale-rom' => [ 'rom: what the host put there', @rom_ops ],
	'writable-rom' => [ 'rom: a write exits and changes nothing', @rom_ops ],
	'kept-rom' => [ 'rom: gone when disabled', grep { $_ ne 'flags' } @rom_ops ],
	'lost-write' => [ 'total: memory holds what was written', 'none', @rom_ops ],
	'no-zap' => [ 'refault: working set', 'toggle', 'move' ],
	'extra-zap' => [ 'refault: working set', qw(none toggle-no-quirk move-no-quirk flags) ],
);

sub notices {
	my ($fault, $check, $ops, @options) = @_;
	my ($text) = Native::run('memslot_zap_test', @options, '--passes', 1, '--warmup', 0,
		'--runs', 1, '--inject', $fault);
	my $why = $text =~ /^ok 1 - memslot_zap_test # SKIP (.*)/m ? $1 : undef;

	for my $op (@$ops) {
		my $title = "--inject $fault @options, $op";

		SKIP: {
			skip("$title: $why", 1) if $why;
			skip("$title: $1", 1)
				if $text =~ /^ok \d+ - \S+ \S+ op=\Q$op $check\E # SKIP not verified: (.*)/m;
			skip("$title: not here", 1)
				if $text =~ /^# without op=\Q$op\E:/m ||
				   $fault eq 'no-zap' && $text !~ /working set.* all is to come back/;
			like($text, qr/^not ok \d+ - \S+ \S+ op=\Q$op $check\E #/m,
				"$title: noticed");
		}
	}
}

for my $fault (sort keys %notices) {
	my ($check, @ops) = @{ $notices{$fault} };

	notices($fault, $check, \@ops, '-b', '4M', '-v', 2);
	# of so few blocks each one counts
	notices($fault, $check, \@ops, '-b', '16M', '-s', 'anonymous_thp')
		if $check =~ /^refault/;
}

# Fewer pages than the vCPU has of its own.
{
	my ($text) = Native::run('memslot_zap_test', qw(-b 64K --passes 1 --warmup 0 --runs 1));
	my @told = $text =~ /^(?:not )?ok .* refault: working set # .*/mg;

	ok(@told && !(grep { !/ # SKIP not verified: / } @told),
		'a working set that is too small to be told is not verified') or diag($text);
}

# A zap may take few faults: fractions of one are told, so that they and the zaps give
# a whole number.
SKIP: {
	my ($text) = Native::run(qw(memslot_zap_test -b 1M --passes 64 --runs 5 --warmup 0 --quiet
		--op toggle --json -));
	my ($zaps, $faults) = map { my $name = $_; map { $_->{samples} } grep { $_->{name} =~ $name }
		map { @{ $_->{metrics} } } @{ decode_json($text)->{points} } } qr/^zaps$/, qr/^faults/;

	skip('faults are not counted here', 1) if !$faults;
	my @whole = grep {
		my $all = $zaps->[$_] * $faults->[$_] / 1000;

		$faults->[$_] && POSIX::ceil($all) - $all <= $zaps->[$_] / 1000;
	} 0 .. $#$faults;
	ok(@whole == @$faults && (grep { $_ % 1000 } @$faults),
		"faults of a zap in thousandths: @$faults, of @$zaps");
}
done_testing();
