#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# Two VMs at once, and memslots at their limits: what the programs say, and
# that they can say no.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Harness;
use Test::More;

host_lacks();
for my $name ('two_vms_test', 'memslot_test') {
	my $program = binary("check/harness/$name");
	# a hundred thousand changes of memslots, each of which KVM waits for
	my $r = run([$program], timeout => 120);

	like($r->{out}, qr/^1\.\.\d+\n\z/m, "$name: comes to its end");
	for (split /\n/, $r->{out}) {
		next unless /^(not )?ok \d+ - (.*?)(?: # SKIP (.*))?$/;
		my ($not, $what, $skip) = ($1, "$name: $2", $3);
		if ($skip) {
			SKIP: { skip "$what: $skip", 1 }
		} else {
			ok(!$not, $what);
		}
	}
	is("$r->{code} $r->{signal}", '0 0', "$name: exit 0") or diag $r->{err};
	$r = run([$program, 'inject']);
	like($r->{out}, qr/^not ok \d+ - /m, "$name: can say no");
	is($r->{code}, 1, "$name: then exits 1");
}
done_testing();
