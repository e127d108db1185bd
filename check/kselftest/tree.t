#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Is this tree one of the kernel's selftests when it lies among them? By the
# kernel's Makefile: TARGETS=kvmeter, alone and with run_tests, install, gen_tar.
. check/kselftest/kernel.sh

top=$scratch/kernel
selftests=$top/tools/testing/selftests
tree=$selftests/kvmeter

# What git would give somebody who clones, and what is about to be added.
sources() {
	git ls-files -z --cached --others --exclude-standard 2>/dev/null ||
		find . -path ./build -prune -o -type f -print0
}

drop() {
	cp -r "$kernel" "$top"
	mkdir "$tree"
	sources | tar -c --null --ignore-failed-read -T - 2>/dev/null |
		tar -x -C "$tree"
	files_of "$tree" >"$scratch/before"
}

files_of() {
	(cd "$1" && find . -type f | sort)
}

kernel_make() {
	make -j"$(nproc)" -C "$selftests" TARGETS=kvmeter "$@"
}

# has_list DIR: the list and the collection beside it, as others' are.
has_list() {
	local test

	for test in $(benchmarks); do
		says "^kvmeter:$test\$" "$1/run_kselftest.sh" -l
		(cd / && says "^$test \(kvmeter\)" "$1/kvmeter/$test" --version)
	done
	[ "$(wc -l <"$1/kselftest-list.txt")" -eq "$(benchmarks | wc -l)" ]
	grep -q '^timeout=' "$1/kvmeter/settings"
}

untouched() {
	files_of "$tree" | diff "$scratch/before" -
}

builds() {
	local test

	kernel_make
	for test in $(benchmarks); do
		says "^$test \(kvmeter\)" "$tree/$test" --version
	done
}

runs_tests() {
	local test directive

	kernel_make run_tests | cat >"$scratch/run_tests"
	cat "$scratch/run_tests"
	for test in $(benchmarks); do
		directive=
		! is_out "$test" || directive=" # SKIP"
		grep -Eqx "ok [0-9]+ selftests: kvmeter: $test$directive" "$scratch/run_tests"
	done
}

cleans() {
	kernel_make clean
	rmdir "$tree/build" 2>/dev/null || true
	untouched
}

alone() {
	make -j"$(nproc)" -C "$tree" INSTALL_PATH="$scratch/alone" install
	[ -x "$scratch/alone/page_table_test" ]
	[ -r "$scratch/alone/settings" ]
}

fetch_kernel
it "lies in the kernel's source" drop
it "TARGETS=kvmeter O=DIR install" kernel_make O="$scratch/elsewhere" install
it "... has a list and the programs" has_list \
	"$scratch/elsewhere/kselftest/kselftest_install"
it "... and leaves the sources alone" untouched
it "TARGETS=kvmeter" builds
if have_kvm; then
	it "... run_tests" runs_tests
	! is_out async_pf_test || skip_for_userfaultfd "... passes async_pf_test"
else
	skip "... run_tests" "/dev/kvm cannot be used here"
fi
it "... install" kernel_make install
it "... has a list and the programs" has_list "$selftests/kselftest_install"
it "... gen_tar" kernel_make gen_tar
it "... packs them" says '/kvmeter/page_table_test$' tar -tf \
	"$selftests/kselftest_install/kselftest-packages/kselftest.tar.gz"
it "make -C kvmeter install" alone
it "... clean" cleans
it "a broken build is noticed" fails kernel_make CROSS_COMPILE=never- FORCE_TARGETS=1
done_testing
