#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Do the kernel's parser (kunit.py) and prove see in the merged KTAP of kvmeter
# run what it says itself? prove counts entries, kunit.py the results below them;
# JUnit's XML has both. With a benchmark that breaks in all ways.
. check/kselftest/kernel.sh
. check/kselftest/parsers.sh

LIMIT=2 # seconds for the one that hangs, which takes ten more to be killed
tool=$OUT/tools/kvmeter/kvmeter
out=$scratch/out

# name, options, what becomes of the entry, and how many of its results passed,
# failed and are skipped
faults() {
	cat <<-END
	passes;--fault none;ok;1 0 0
	fails;--fault wrong-check;not ok;0 1 0
	skips;-s anonymous_hugetlb_2mb -b 1T;skip;0 0 1
	crashes;--fault host-crash --quiet;not ok;0 1 0
	hangs;--fault host-hang;not ok;0 1 0
	gives_up;--fault host-die;not ok;0 1 0
	stops_halfway;--fault second-point -v 1,2,3 -R 3;not ok;1 1 0
	guest_breaks;--fault wild-pointer;not ok;0 1 0
	unverified;--fault unverified;ok;0 0 1
	not_applicable;--fault not-applicable;ok;0 0 1
	odd_detail;--fault odd-detail;ok;1 0 0
	run;--fault host-crash;not ok;0 1 0
	END
}

# As "passed failed skipped", of the table changed by sed.
entries() {
	faults | sed "${1-}" | cut -d';' -f3 | perl -ne 'chomp; $n{$_}++;
		END { printf "%d %d %d\n", map { $n{$_} // 0 } "ok", "not ok", "skip" }'
}

results() {
	faults | cut -d';' -f4 | perl -ane '$n[$_] += $F[$_] for 0 .. 2;
		END { print "@n\n" }'
}

make_suite() {
	faults | sed "${1-}" | while IFS=';' read -r name options _; do
		echo "$name timeout=$LIMIT: fault_test $options"
	done >"$scratch/faults.suite"
}

# run_suite DIR OPTION...: its KTAP is in DIR.ktap, its XML in DIR.xml
run_suite() {
	local dir=$1

	shift
	"$tool" run "$scratch/faults.suite" --tests "$OUT/check/harness" \
		--results "$dir" --junit "$dir.xml" "$@" >"$dir.ktap"
}

# Nothing that kunit.py finds wrong with the form.
no_errors() {
	local said

	said=$("$kernel/tools/testing/kunit/kunit.py" parse <"$1" || true)
	[ -n "$said" ]
	if grep -e '\[ERROR\]' -e 'errors: ' <<<"$said"; then
		return 1
	fi
}

# kunit.py's counts by prove's and ours: XML counts results, with their sums.
junit_counts() {
	perl -e 'local $/; $_ = <STDIN>;
		 my ($all, $bad, $wrong, $skipped) = /<testsuites .*? tests="(\d+)" failures="(\d+)" errors="(\d+)" skipped="(\d+)"/;
		 my %n; $n{$_}++ for /<(testcase|failure|error|skipped)\b/g;
		 $n{$_} //= 0 for qw(testcase failure error skipped);
		 print "sums differ: " if "$n{testcase} $n{failure} $n{error} $n{skipped}"
			ne "$all $bad $wrong $skipped";
		 printf "%d %d %d\n", $all - $bad - $wrong - $skipped, $bad + $wrong, $skipped' <"$1"
}

xml_agrees() {
	local found

	found=$(junit_counts "$1")
	echo "XML: $found, where $2 is wanted"
	[ "$found" = "$2" ]
}

is_well_formed() {
	xmllint --noout "$1"
}

have_kvm || skip_all "/dev/kvm cannot be used here"
[ -x "$tool" ] || skip_all "kvmeter is not built: it needs jansson (libjansson-dev)"
fetch_kernel
make_suite
it "whatever breaks: exit 1" exits 1 run_suite "$out"
it "prove counts entries" agree "$out.ktap" "$(entries)" prove
it "kunit.py counts results" agree "$out.ktap" "$(results)" kunit
it "... and finds nothing wrong" no_errors "$out.ktap"
it "the file is what was printed" cmp "$out/results.ktap" "$out.ktap"
it "XML counts results" xml_agrees "$out.xml" "$(results)"
if command -v xmllint >/dev/null; then
	it "XML is well-formed" is_well_formed "$out.xml"
else
	skip "XML is well-formed" "no xmllint: apt-get install libxml2-utils"
fi

sed '/^    ok /{x;s/^/x/;/^x$/{x;d};x}' "$out.ktap" >"$scratch/lost.ktap"
sed 's/^\(not ok .* fails\)$/\1 for a reason/' "$out.ktap" >"$scratch/named.ktap"
sed 's/<failure .*>//' "$out.xml" >"$scratch/lost.xml"

# Only what has to be is run again, but without what takes long.
make_suite /^hangs/d
it "--resume --strict: exit 1" exits 1 run_suite "$out" --resume --strict --quiet
it "... skips fail for prove" agree "$out.ktap" "$(
	entries '/^hangs/d; /^unverified/s/;ok;/;not ok;/; s/;skip;/;not ok;/')" prove
it "... and nothing is wrong for kunit.py" no_errors "$out.ktap"

# The same judgements of what is wrong.
it "a lost result is noticed" fails no_errors "$scratch/lost.ktap"
it "... by its count as well" fails agree "$scratch/lost.ktap" "$(results)" kunit
it "an entry of another name than its results" fails no_errors "$scratch/named.ktap"
it "a lost failure in XML" fails xml_agrees "$scratch/lost.xml" "$(results)"
done_testing
