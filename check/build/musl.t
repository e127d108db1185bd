#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Another C library: musl, dynamic and static. Its compiler wrapper hides the
# kernel's headers together with glibc's, so they come by UAPI=.
. check/build/build.sh

# nobody else builds like this
export CCACHE_DISABLE=1

uapi=$scratch/uapi
mkdir "$uapi"
for header in linux/kvm.h asm-generic/mman.h asm/kvm.h; do
	directory=$(dirname "$header")
	ln -s "$(include_dir "$header")/$directory" "$uapi/$directory"
done

it "musl" build musl CC=musl-gcc UAPI="$uapi"
it "musl: it is" says 'NEEDED.*libc\.so' \
	readelf -dW "$scratch/musl/$ARCH/tests/page_table_test"
it "musl: not glibc" fails says 'NEEDED.*libc\.so\.6' \
	readelf -dW "$scratch/musl/$ARCH/tests/page_table_test"
it "musl: programs start" all_start musl
it "musl, static" build musl CC=musl-gcc UAPI="$uapi" STATIC=1
it "musl, static: they are" is_static musl
runs_all "musl, static" musl
it "without kernel headers it does not build" \
	says 'linux/kvm.h: No such file' build bare CC=musl-gcc
done_testing
