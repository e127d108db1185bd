#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Do the kernel's runner (run_kselftest.sh), the kernel's parser (kunit.py) and
# prove see the same? For the benchmarks as they are installed, and for one that
# fails, skips, crashes, hangs, gives up, or cannot verify what it measured.
. check/kselftest/kernel.sh
. check/kselftest/parsers.sh

LIMIT=6 # seconds for a test here, all of which the one that hangs will take
installed=$scratch/installed

# name, options, what the runner says of it, and how many of its own results
# passed, failed (or are missing) and are skipped
faults() {
	cat <<-END
	passes;--fault none;ok;1 0 0
	fails;--fault wrong-check;not ok # exit=1;0 1 0
	skips;-s anonymous_hugetlb_2mb -b 1T;ok # SKIP;0 0 1
	skips_strictly;-s anonymous_hugetlb_2mb -b 1T --strict;not ok # exit=1;0 1 0
	crashes;--fault host-crash --quiet;not ok # exit=139;0 1 0
	hangs;--fault host-hang;not ok # TIMEOUT $LIMIT seconds;0 1 0
	gives_up;--fault host-die;not ok # exit=1;0 1 0
	stops_halfway;--fault second-point -v 1,2,3 -R 3;not ok # exit=1;1 2 0
	guest_breaks;--fault wild-pointer;not ok # exit=1;0 1 0
	unverified;--fault unverified;ok;0 0 1
	odd_detail;--fault odd-detail;ok;1 0 0
	END
}

# A second collection, the benchmark that breaks by many names.
install_faults() {
	local dir=$installed/faults name options

	mkdir "$dir"
	echo "timeout=$LIMIT" >"$dir/settings"
	while IFS=';' read -r name options _; do
		ln "$OUT/check/harness/fault_test" "$dir/$name" 2>/dev/null ||
			cp "$OUT/check/harness/fault_test" "$dir/$name"
		echo "faults:$name" >>"$installed/kselftest-list.txt"
		export "KSELFTEST_${name^^}_ARGS=$options"
	done < <(faults)
}

# run_collection NAME: into $scratch/NAME. By a pipe, because the runner opens its
# standard output again, and in a file overwrites what it has written.
run_collection() {
	timeout 120 "$installed/run_kselftest.sh" -c "$1" 2>"$scratch/$1.err" |
		cat >"$scratch/$1"
}

runner_counts() {
	echo "$(lines "$1" '^ok [^#]*$') $(lines "$1" '^not ok ')" \
		"$(lines "$1" '^ok .* # SKIP')"
}

# own_output COLLECTION TEST: what the runner has passed on of it.
own_output() {
	sed -n "/^# selftests: $1: $2\$/,/^\(not \)\?ok /s/^# //p" "$scratch/$1" |
		sed 1d >"$scratch/$1.$2"
}

# runner_says COLLECTION TEST RESULT: such as "ok # SKIP".
runner_says() {
	local result=${3%% #*} directive=

	[ "$result" = "$3" ] || directive=" #${3#* #}"
	grep -Eqx "$result [0-9]+ selftests: $1: $2$directive" "$scratch/$1" || {
		grep "selftests: $1: $2" "$scratch/$1"
		return 1
	}
}

# names_are_seen FILE: does the kernel's parser see what stands before " # " as name?
names_are_seen() {
	diff <(sed -En 's/^ok [0-9]+ - //; T; s/ # .*//; p' "$1") \
		<("$kernel/tools/testing/kunit/kunit.py" parse <"$1" |
			sed -En 's/^\[[0-9:]*\] \[(PASSED|SKIPPED)\] //p')
}

results_of_benchmarks() {
	local test skipped result

	for test in $(benchmarks); do
		own_output kvmeter "$test"
		result=ok
		! is_out "$test" || result="ok # SKIP"
		runner_says kvmeter "$test" "$result"
		skipped=$(lines "$scratch/kvmeter.$test" '^ok .* # SKIP')
		agree "$scratch/kvmeter.$test" "$((
			$(lines "$scratch/kvmeter.$test" '^ok ') - skipped)) 0 $skipped"
		names_are_seen "$scratch/kvmeter.$test"
		says '^1\.\.[1-9]' cat "$scratch/kvmeter.$test"
	done
}

damaged() {
	printf '%b' "$1" >"$scratch/damaged"
	echo "$scratch/damaged"
}

have_kvm || skip_all "/dev/kvm cannot be used here"
out=0
! is_out async_pf_test || out=1
fetch_kernel
it "installs for run_kselftest.sh" quiet_make O="$scratch/build" \
	KSRC="$kernel" INSTALL_PATH="$installed" install
install_faults
it "run_kselftest.sh runs the collection" run_collection kvmeter
it "... and says nothing on standard error" fails test -s "$scratch/kvmeter.err"
it "... both parsers count what it counts" agree "$scratch/kvmeter" \
	"$(($(benchmarks | wc -l) - out)) 0 $out" runner kunit prove
it "... and each benchmark's own results" results_of_benchmarks
[ $out -eq 0 ] || skip_for_userfaultfd "... also of async_pf_test"
it "run_kselftest.sh runs what breaks" run_collection faults
it "... and all three count the same" agree "$scratch/faults" "3 7 1" \
	runner kunit prove
while IFS=';' read -r test options result counts; do
	own_output faults "$test"
	it "$options: ${result//[#]/}" runner_says faults "$test" "$result"
	it "... its own results: $counts" agree "$scratch/faults.$test" "$counts"
done < <(faults)

# What this would see, if kvmeter did it.
K="KTAP version 1\n"
it "a skip of everything that kunit.py takes for an error" fails \
	agree "$(damaged "${K}1..0 # SKIP no KVM\n")" "0 0 1"
it "a result that kunit.py cannot read" fails \
	agree "$(damaged "${K}1..1\nok 1 - page fault (#PF)\n")" "1 0 0"
it "a name that kunit.py sees otherwise" fails \
	names_are_seen "$(damaged "${K}1..1\nok 1 - a: b #c # d\n")"
it "a missing plan" fails agree "$(damaged "${K}# nothing\n")" "0 1 0"
it "a result too many" fails agree "$(damaged "${K}1..1\nok 1 - a\nok 2 - b\n")" "2 0 0"
done_testing
