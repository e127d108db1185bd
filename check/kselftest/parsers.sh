# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154
#
# What the kernel's parser, in $kernel of kernel.sh, and prove count in KTAP.

# number of FILE's lines that match PATTERN
lines() {
	grep -Ec -e "$2" "$1" || true
}

# ---- "passed failed skipped" of a file, each as one of them says ----

# What has no result is "crashed" there.
kunit_counts() {
	local said

	said=$("$kernel/tools/testing/kunit/kunit.py" parse <"$1" |
		sed -n 's/.*Testing complete\. //p')
	perl -e '$_ = shift; my %n; $n{$1} = $2 while /(\w+): (\d+)/g;
		 printf "%d %d %d\n", $n{passed} // 0,
			($n{failed} // 0) + ($n{crashed} // 0), $n{skipped} // 0' "$said"
}

# Missing results are failed "subtests" there; a skip is seen by --directives.
prove_counts() {
	prove --directives -e cat "$1" 2>&1 |
		perl -e 'local $/; $_ = <STDIN>; my ($bad, $all) = m{Failed (\d+)/(\d+)};
			 my ($ran) = /Tests=(\d+)/; my $skipped = () = /^ok .* # SKIP/mg;
			 $all //= $ran; $bad //= 0;
			 printf "%d %d %d\n", $all - $bad - $skipped, $bad, $skipped'
}

# agree FILE "PASSED FAILED SKIPPED" [WHO...]: by default the two parsers.
agree() {
	local file=$1 wanted=$2 who found wrong=0

	shift 2
	[ $# -gt 0 ] || set -- kunit prove
	for who in "$@"; do
		found=$("${who}_counts" "$file")
		[ "$found" = "$wanted" ] || {
			echo "$who: $found, not $wanted"
			wrong=1
		}
	done
	[ $wrong -eq 0 ] || {
		cat "$file"
		return 1
	}
}
