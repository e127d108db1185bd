#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A guest half that needs what a guest does not have fails to link, with a
# message that names it, rather than in the VM with no explanation.
. check/build/build.sh

guest() {
	make_in guests "$scratch/guests/$ARCH/check/build/guests/$1.guest" 2>&1
}

# refused GUEST PATTERN
refused() {
	says "$2" exits 2 guest "$1"
}

it "a guest half links" guest good
it "one with a header of the host too" guest host_header
it "... without a warning" fails says "warning" guest good
it "a call of memcpy does not" refused memcpy 'undefined reference to .memcpy'
it "a copy that the compiler turns into memcpy does not" \
	refused struct_copy 'undefined reference to .memcpy'
it "a call of printf does not" refused printf 'undefined reference to .printf'
it "thread-local data does not" \
	refused thread_local 'cannot hold thread-local data'
it "a constructor does not" refused constructor 'cannot hold .*constructors'

# headers_of GUEST...: what of the project they include, from make's own notes
headers_of() {
	local name

	for name in "$@"; do
		sed 's/[^ ]*://; s/\\$//' "$scratch/guests/$ARCH/$name.guest.d"
	done | xargs -n 1 | grep '\.h$' | sort -u
}

images() {
	local test guests=()

	for test in $(benchmarks); do
		guests+=("$scratch/guests/$ARCH/tests/$test.guest")
	done
	make_in guests "${guests[@]}"
}

sees_only_guest_headers() {
	headers_of "$@" >"$scratch/headers"
	cat "$scratch/headers"
	grep -q '^include/guest/' "$scratch/headers"
	fails grep -Ev "^include/guest/|^arch/$ARCH/include/" "$scratch/headers"
}

mapfile -t tests < <(benchmarks | sed 's,^,tests/,')
it "guest halves of the benchmarks" images
it "... see only include/guest and the port's part of it" \
	sees_only_guest_headers "${tests[@]}" lib/guest/runtime
it "one that sees more is found" \
	fails sees_only_guest_headers check/build/guests/host_header
done_testing
