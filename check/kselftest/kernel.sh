# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# For check/kselftest/*.t: the kernel's own runner and parser of tests, out of
# KSRC=DIR or else of Debian's package linux-source. Unpacking that takes some
# 10 seconds of CPU time, once.
. check/tap.sh

KERNEL_PARTS=(scripts/subarch.include tools/testing/kunit
	      tools/testing/selftests/{Makefile,lib.mk,run_kselftest.sh,kselftest})

newest_tarball() {
	find /usr/src -maxdepth 1 -name 'linux-source-*.tar.xz' | sort -V | tail -n 1
}

unpack() {
	local tarball=$1 to=$2 top

	top=$(basename "$tarball" .tar.xz)
	xz -T0 -dc "$tarball" | tar -x -C "$to" --strip-components=1 \
		"${KERNEL_PARTS[@]/#/$top/}"
}

# fetch_kernel: sets $kernel, a directory with these parts at their places and
# nothing else of a kernel source; ends the check by a skip if there is none.
# Others wait for the first one.
fetch_kernel() {
	local tarball

	tarball=$(newest_tarball)
	kernel=$OUT/kernel-source
	if [ -n "${KSRC-}" ]; then
		kernel=$scratch/kernel-source
		mkdir "$kernel"
		tar -c -C "$KSRC" "${KERNEL_PARTS[@]}" | tar -x -C "$kernel"
		return
	fi
	[ -n "$tarball" ] ||
		skip_all "no kernel source: apt-get install linux-source, or KSRC=DIR"
	exec 9>"$kernel.lock"
	flock 9
	if ! [ "$kernel/$(basename "$tarball")" -nt "$tarball" ]; then
		rm -rf "$kernel" "$kernel.new"
		mkdir -p "$kernel.new"
		unpack "$tarball" "$kernel.new"
		touch "$kernel.new/$(basename "$tarball")"
		mv "$kernel.new" "$kernel"
	fi
	exec 9>&-
}

have_kvm() {
	[ -r /dev/kvm ] && [ -w /dev/kvm ]
}

# Small enough for a check; read by the kernel's runner and by ours.
export KSELFTEST_ASYNC_PF_TEST_ARGS="-b 64K -R 2"
export KSELFTEST_DIRTY_LOG_PERF_TEST_ARGS="-b 1M -R 2"
export KSELFTEST_DIRTY_LOG_TEST_ARGS="-b 1M -i 20"
export KSELFTEST_MEMSLOT_ZAP_TEST_ARGS="-b 1M -R 2"
export KSELFTEST_PAGE_TABLE_TEST_ARGS="-b 1M -R 2"
export KSELFTEST_TLB_STRESS_TEST_ARGS="--processes 3 -R 2"

quiet_make() {
	make --no-print-directory -j"$(nproc)" "$@"
}

benchmarks() {
	local file

	for file in tests/*_test.c; do
		basename "$file" .c
	done
}
