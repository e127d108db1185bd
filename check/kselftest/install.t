#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Do "make install INSTALL_PATH=", gen_tar, run_tests and the variables of the
# kernel's selftests do here what they do there?
. check/kselftest/kernel.sh

installed=$scratch/installed

# The Makefile alone, in a directory of its own.
build() {
	quiet_make O="$scratch/build" "$@"
}

# dry ARGUMENT...: the commands of a build from nothing.
dry() {
	make -n OUTPUT="$scratch/dry" "$@" programs
}

listed() {
	sort "$installed/kselftest-list.txt" | diff - <(printf '%s\n' "$@" | sort)
}

expected_list() {
	benchmarks | sed 's/^/kvmeter:/'
}

has_layout() {
	local file

	for file in run_kselftest.sh kselftest/runner.sh; do
		[ -x "$installed/$file" ]
		cmp "$installed/$file" "$kernel/tools/testing/selftests/$file"
	done
	says '^timeout=[0-9]+$' cat "$installed/kvmeter/settings"
	says '^CONFIG_KVM=y$' cat "$installed/kvmeter/config"
}

# After the build has gone, and from another directory.
all_start() {
	local test

	for test in $(benchmarks); do
		(cd / && says "^$test \(kvmeter\)" "$1/$test" --version)
	done
}

without_ksrc() {
	build KSRC= INSTALL_PATH="$scratch/bare" install
	[ -x "$scratch/bare/kvmeter/page_table_test" ]
	[ ! -e "$scratch/bare/run_kselftest.sh" ]
}

tar_holds() {
	tar -tf "$1" | sort | grep -v '/$' >"$scratch/in_tar"
	(cd "$installed" && find . -type f | sort) | diff - "$scratch/in_tar"
}

gen_tar() {
	build KSRC="$kernel" INSTALL_PATH="$scratch/packed" gen_tar
	build KSRC="$kernel" INSTALL_PATH="$scratch/packed" FORMAT=.xz gen_tar
}

runs_tests() {
	local test directive nr=0

	says "^1\.\.$(benchmarks | wc -l)\$" build run_tests
	for test in $(benchmarks); do
		nr=$((nr + 1))
		directive=
		! is_out "$test" || directive=" # SKIP"
		grep -x "ok $nr selftests: kvmeter: $test$directive" "$output.says"
	done
	grep -x 'TAP version 13' "$output.says"
	grep -x '# KTAP version 1' "$output.says"
}

# Our runner's word for each way to end, of programs that do nothing else.
ends() {
	local dir=$scratch/ends

	mkdir "$dir"
	printf '#!/bin/sh\nexit 0\n' >"$dir/passes"
	printf '#!/bin/sh\nexit 4\n' >"$dir/skips"
	# shellcheck disable=SC2016 # for the program
	printf '#!/bin/sh\necho $*\nexit 1' >"$dir/fails"
	printf '#!/bin/sh\nkill -SEGV $$\n' >"$dir/crashes"
	printf '#!/bin/sh\nexec sleep 30\n' >"$dir/hangs"
	chmod +x "$dir"/*
	cat >"$dir/wanted" <<-'END'
		TAP version 13
		1..5
		# selftests: kvmeter: passes
		ok 1 selftests: kvmeter: passes
		# selftests: kvmeter: skips
		ok 2 selftests: kvmeter: skips # SKIP
		# selftests: kvmeter: fails
		# an option
		not ok 3 selftests: kvmeter: fails # exit=1
		# selftests: kvmeter: hangs
		not ok 4 selftests: kvmeter: hangs # TIMEOUT 1 seconds
		# selftests: kvmeter: nowhere
		not ok 5 selftests: kvmeter: nowhere # exit=127
	END
	kselftest_override_timeout=1 KSELFTEST_FAILS_ARGS="an option" \
		tools/run_tests "$dir"/{passes,skips,fails,hangs,nowhere} |
		grep -v 'failed to run' | diff "$dir/wanted" -
	says '^not ok 1 .* # exit=139$' tools/run_tests "$dir/crashes"
}

# The headers that are named come before the system's.
other_headers() {
	mkdir -p "$scratch/usr/include/linux"
	echo '#error the header of KHDR_INCLUDES' >"$scratch/usr/include/linux/kvm.h"
	says 'the header of KHDR_INCLUDES' make O="$scratch/headers" \
		KHDR_INCLUDES="-isystem $scratch/usr/include"
}

user_flags() {
	says 'gcc .*-DFOR_USER' dry USERCFLAGS=-DFOR_USER
	says 'gcc .*-Wl,--for-user .*-o .*/page_table_test' dry \
		USERLDFLAGS=-Wl,--for-user
}

cleans() {
	quiet_make OUTPUT="$scratch/output" clean
	[ -z "$(find "$scratch/output" -type f)" ]
}

crosses() {
	local other=$1 kernels=$2 machine=$3

	quiet_make OUTPUT="$scratch/$other" ARCH="$kernels" \
		CROSS_COMPILE="$other-linux-gnu-" programs
	says "Machine: .*$machine" readelf -hW \
		"$scratch/$other/build/$other/tests/page_table_test"
}

fetch_kernel
it "make install INSTALL_PATH=" build KSRC="$kernel" INSTALL_PATH="$installed" install
mapfile -t list < <(expected_list)
it "... lists every benchmark" listed "${list[@]}"
it "... has the kernel's runner, settings and config" has_layout
it "gen_tar" gen_tar
it "... packs the same" tar_holds "$scratch/packed/kselftest-packages/kselftest.tar.gz"
it "... in other formats, too" tar_holds "$scratch/packed/kselftest-packages/kselftest.tar.xz"
echo other:test >>"$installed/kselftest-list.txt"
it "a second time" build KSRC="$kernel" INSTALL_PATH="$installed" install
it "... leaves other collections in the list" listed "${list[@]}" other:test
it "without a kernel source the collection is installed alone" without_ksrc
it "... and what is missing is named" says 'KSRC=' cat "$output"
it "a kernel source without the runner is an error" fails \
	build KSRC="$scratch" INSTALL_PATH="$scratch/none" install
if have_kvm; then
	it "run_tests" runs_tests
	! is_out async_pf_test || skip_for_userfaultfd "... passes async_pf_test"
else
	skip "run_tests" "/dev/kvm cannot be used here"
fi
it "run_tests tells all endings apart" ends
rm -rf "$scratch/build"
it "what is installed needs no build" all_start "$installed/kvmeter"

it "OUTPUT= has the programs, also with an empty O=" \
	quiet_make O= OUTPUT="$scratch/output"
it "... where they start" all_start "$scratch/output"
it "... and clean takes them away" cleans
it "KHDR_INCLUDES=" other_headers
it "USERCFLAGS= USERLDFLAGS=" user_flags
it "ARCH=arm64 is aarch64" says '-Iarch/aarch64 .*/build/aarch64/' dry ARCH=arm64
it "ARCH=x86 is x86_64" says '-Iarch/x86_64 .*/build/x86_64/' dry ARCH=x86
it "an empty ARCH= is this machine's" says "/build/$(uname -m)/" dry ARCH=
it "CROSS_COMPILE=" says '^ *any-gcc .*-c ' dry CROSS_COMPILE=any-
it "... also under make -rR" says '^ *any-gcc .*-c ' dry -rR CROSS_COMPILE=any-
it "LLVM=1" says '^ *clang .*-c ' dry LLVM=1
it "LLVM=-14" says '^ *clang-14 .*-c ' dry LLVM=-14
it "LLVM=/opt/llvm/" says '^ */opt/llvm/clang .*-c ' dry LLVM=/opt/llvm/
it "LLVM=1 CROSS_COMPILE=" says '^ *clang --target=any-linux-gnu .*-c ' \
	dry LLVM=1 CROSS_COMPILE=/opt/any-linux-gnu-
for port in aarch64:arm64:AArch64 x86_64:x86:X86-64; do
	IFS=: read -r other kernels machine <<<"$port"
	[ "$other" != "$(uname -m)" ] || continue
	it "LLVM=1 ARCH=$kernels has that target" \
		says "^ *clang --target=$other-linux-gnu .*-c " dry LLVM=1 ARCH="$kernels"
	if command -v "$other-linux-gnu-gcc" >/dev/null; then
		it "ARCH=$kernels with a cross compiler" crosses "$other" "$kernels" "$machine"
	else
		skip "ARCH=$kernels with a cross compiler" "no $other-linux-gnu-gcc"
	fi
done
done_testing
