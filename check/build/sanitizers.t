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

# Every option of every benchmark that changes what threads do, and all the ways
# of those that have some.
every_mode() {
	local test options

	while read -r -u 3 test options; do
		# shellcheck disable=SC2086 # words
		passes_or_skips "$1" "$2" "$test" $options
	done 3<<'END'
async_pf_test -b 128K --runs 1 --slow uffd:2000,4
async_pf_test -b 128K --runs 1 --load chase -x 7 --guest-page 4K
async_pf_test -b 128K --runs 1 --load sort -i 2 --quantum 100
dirty_log_perf_test -b 1M -v 3 --runs 1 -M all
dirty_log_perf_test -b 1M -v 3 --runs 1 -M ring --ring-entries 1024
dirty_log_perf_test -b 1M -v 3 --runs 1 -M all -j -k 256K --clearers 3 --stalls 1
dirty_log_perf_test -b 2M -v 3 --runs 1 -e -o -a -w 50 -i 3
dirty_log_perf_test -b 2M -v 2 --runs 1 --eager-split 64K -g
dirty_log_test -b 1M -i 20 -v 4 -M all --clearers 2 -k 256K
dirty_log_test -b 1M -i 20 -v 1 -M ring --ring-entries 1024 --pace 20000
dirty_log_test -b 1M -i 20 -v 3 -s memfd -x 5 --force-exits
dirty_log_test -b 1M -i 20 -v 2 --guest-mode kernel
memslot_zap_test -b 2M -v 3 -x 5 -i 2 --rate 2000 --passes 2 --runs 1
memslot_zap_test -b 2M -v 2 --by host --rate 500 --stalls 0 --passes 2 --runs 1
memslot_zap_test -b 2M -v 2 --rom-size 1M --guest-page 4K --passes 1 --runs 1
page_table_test -b 1M -v 4 --access split --runs 1
page_table_test -b 1M -v 2 -s memfd -w 0 -x 32 --no-prefault --runs 1
page_table_test -b 4M -v 2 --gpa 64G --update sparse -s anonymous_thp --runs 1 -V
dirty_log_perf_test -b 1M -v 4 -o -i 4 --lock-wait --runs 1
page_table_test -b 4M -v 2 -s anonymous_thp --runs 1 -c 0,1,0
tlb_stress_test --processes 3 --runs 1 --pages 3
tlb_stress_test --processes 3 -v 2 --runs 1 --pages 103 --cow-percent 50 --device-percent 40 --mmio-percent 10
tlb_stress_test --processes 3 -v 3 --runs 1 --device shmem -x 4 -i 2 -s anonymous_thp
tlb_stress_test --processes 3 -v 2 --runs 1 --device /dev/zero --guest-page 4K
END
}

# unit_passes DIR CHECK...
unit_passes() {
	local program dir=$scratch/$1/$ARCH/check/unit

	shift
	for program in "${@/#/$dir/}"; do
		"${wrapper[@]}" "$program" 2>&1
	done
}

it "address, undefined" build asan SANITIZE=address,undefined all unit
it "address, undefined: in the program" has __asan_init asan
it "address, undefined: both" has __ubsan_handle asan
runs_all "address, undefined" asan
free_running "address, undefined" asan
[ -z "${KVMETER_LONG:-}" ] || every_mode "address, undefined" asan
# Not under TSan, whose own memory would not fit the limit.
[ -z "${KVMETER_LONG:-}" ] || passes_or_skips "address, undefined" asan async_pf_test \
	-b 16M --runs 1 --slow swap --limit 50
checks=(check/unit/*_check.c)
checks=("${checks[@]##*/}")
it "address, undefined: unit checks" unit_passes asan "${checks[@]%.c}"
for check in list run run_input run_resume compare refused bisect ab noise; do
	it "address, undefined: kvmeter, $check" env \
		KVMETER_OUT="$scratch/asan/$ARCH" "${wrapper[@]}" \
		prove -Q "check/kvmeter/$check.t"
done

# A check asks for more memory than there is.
export TSAN_OPTIONS=allocator_may_return_null=1

# Those of what has threads. Not deadline_check, which has vfork() stop a thread;
# ThreadSanitizer makes it a fork().
threaded=(uffd_check populate_check lock_records_check)
it "thread" build tsan SANITIZE=thread all \
	"${threaded[@]/#/$scratch/tsan/$ARCH/check/unit/}"
it "thread: in the program" has __tsan_init tsan
runs_all "thread" tsan
free_running "thread" tsan
[ -z "${KVMETER_LONG:-}" ] || every_mode "thread" tsan
it "thread: unit checks" unit_passes tsan "${threaded[@]}"
done_testing
