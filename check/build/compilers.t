#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# gcc and clang, dynamic and static, all of it and without a warning.
. check/build/build.sh

it "gcc" build gcc check-programs
it "gcc: programs start" all_start gcc
it "gcc, static" build gcc-static STATIC=1
it "gcc, static: they are" is_static gcc-static
it "gcc, static: programs start" all_start gcc-static
it "clang" build clang LLVM=1 check-programs
it "clang: programs start" all_start clang
it "clang, static" build clang-static LLVM=1 STATIC=1
it "clang, static: they are" is_static clang-static
runs_all "gcc, static" gcc-static
runs_all "clang" clang

# what the checks above would say of a worse world
it "a dynamic program is not taken for a static one" fails is_static gcc
it "a warning is refused" fails build gcc-warning CFLAGS='-O2 -Wpadded'
it "... even if the compiler goes on" \
	fails build gcc-warning CFLAGS='-O2 -Wpadded -Wno-error'
done_testing
