#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Host halves under the sanitizers of gcc: benchmarks and unit checks run
# without a report, which would be on standard error and change the exit code.
. check/build/build.sh

# nobody else builds like this
export CCACHE_DISABLE=1

# They want addresses in certain places, which kernels with a large
# vm.mmap_rnd_bits (Documentation/admin-guide/sysctl/vm.rst) take at random.
if setarch -R true 2>/dev/null; then
	wrapper=(setarch -R)
fi

# has SYMBOL DIR: the instrumentation is really there.
has() {
	says "$1" nm "$scratch/$2/$ARCH/tests/page_table_test"
}

# vCPUs that the host acts under, which is where it could race with them.
free_running() {
	passes "$1" "$2" dirty_log_perf_test \
		-b 1M -v 4 -j -k 256K -l 1 -x 3 -a -w 50 --runs 2
	passes "$1" "$2" memslot_zap_test \
		-b 2M -v 3 --op toggle,move --by host --rate 500 --runs 1
}

unit_checks() {
	local file

	for file in check/unit/*_check.c; do
		echo "$scratch/$1/$ARCH/check/unit/$(basename "$file" .c)"
	done
}

unit_passes() {
	local program

	for program in $(unit_checks "$1"); do
		"${wrapper[@]}" "$program" 2>&1
	done
}

it "address, undefined" build asan SANITIZE=address,undefined all unit
it "address, undefined: in the program" has __asan_init asan
it "address, undefined: both" has __ubsan_handle asan
runs_all "address, undefined" asan
free_running "address, undefined" asan
it "address, undefined: unit checks" unit_passes asan
for check in list run run_input run_resume compare refused bisect ab noise; do
	it "address, undefined: kvmeter, $check" env \
		KVMETER_OUT="$scratch/asan/$ARCH" "${wrapper[@]}" \
		prove -Q "check/kvmeter/$check.t"
done

# A check asks for more memory than there is.
export TSAN_OPTIONS=allocator_may_return_null=1

it "thread" build tsan SANITIZE=thread all unit
it "thread: in the program" has __tsan_init tsan
runs_all "thread" tsan
free_running "thread" tsan
it "thread: unit checks" unit_passes tsan
done_testing
