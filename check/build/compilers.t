#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# gcc and clang, dynamic and static, all of it and without a warning; the same for
# the other architecture, except unit checks, whose libcmocka is here for one only.
. check/build/build.sh

declare -A others=([x86_64]=aarch64 [aarch64]=x86_64)
declare -A machines=([x86_64]=X86-64 [aarch64]=AArch64)
other=${others[$ARCH]}

# for_other COMMAND [ARGUMENT...]: where the command looks for programs
for_other() {
	local ARCH=$other

	"$@"
}

# cross DIR [ARGUMENT...]
cross() {
	build "$@" ARCH="$other" CROSS_COMPILE="$other-linux-gnu-" \
		all harness limit
}

# is_for_other DIR: the benchmarks, and the guests in them
is_for_other() {
	local file

	for file in "$scratch/$1/$other"/tests/*_test{,.guest}; do
		says "Machine:.* ${machines[$other]}" readelf -hW "$file"
	done
}

# A static build relinks what the dynamic one has compiled.
for compiler in gcc clang; do
	llvm=()
	[ $compiler = gcc ] || llvm=(LLVM=1)
	it "$compiler" build $compiler "${llvm[@]}" check-programs
	it "$compiler: programs start" all_start $compiler
	[ $compiler = gcc ] || runs_all "$compiler" $compiler
	it "$compiler: a dynamic program is not taken for a static one" \
		fails is_static $compiler
	it "$compiler, static" build $compiler "${llvm[@]}" STATIC=1
	it "$compiler, static: they are" is_static $compiler
	it "$compiler, static: programs start" all_start $compiler
	[ $compiler = clang ] || runs_all "$compiler, static" $compiler
done

it "packages for $other" tools/need "vm-$other"
for compiler in gcc clang; do
	llvm=()
	[ $compiler = gcc ] || llvm=(LLVM=1)
	it "$compiler for $other" cross cross-$compiler "${llvm[@]}"
	it "$compiler for $other: it is" is_for_other cross-$compiler
	it "$compiler for $other, static" \
		cross cross-$compiler "${llvm[@]}" STATIC=1
	it "$compiler for $other, static: they are" \
		for_other is_static cross-$compiler
done

# what the checks above would say of a worse world
# with_warning [ARGUMENT...]: of a single file
with_warning() {
	build gcc-warning CFLAGS='-O2 -Wpadded' "$@" \
		"$scratch/gcc-warning/$ARCH/lib/options.o"
}

it "a warning is refused" fails with_warning
it "... although the compiler goes on" test -e "$scratch/gcc-warning/$ARCH/lib/options.o"
rm -rf "$scratch/gcc-warning"
it "... which with WERROR=1 it does not" fails with_warning WERROR=1
it "... there is nothing then" test ! -e "$scratch/gcc-warning/$ARCH/lib/options.o"
it "... for $other, too" fails cross gcc-warning CFLAGS='-O2 -Wpadded' WERROR=1
it "a program for $ARCH is not taken for one for $other" \
	fails says "Machine:.* ${machines[$other]}" \
	readelf -hW "$scratch/gcc/$ARCH/tests/page_table_test"
done_testing
