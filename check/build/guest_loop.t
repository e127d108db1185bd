#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What vCPUs do without --stalls is, instruction by instruction, what they would
# do if there were no timing of accesses in include/guest/access.h; and it reads
# no counter.
. check/build/build.sh

declare -A others=([x86_64]=aarch64 [aarch64]=x86_64)
declare -A counters=([x86_64]='rdtscp?' [aarch64]='mrs.*cntvct_el0')

# made_with DIR ARCH SCRIPT: the guest's loop, from an access.h that sed has
# changed
made_with() {
	local dir=$1 arch=$2 cross=

	[ "$arch" = "$(uname -m)" ] || cross=$arch-linux-gnu-
	mkdir -p "$scratch/$dir-include/guest"
	sed "$3" include/guest/access.h >"$scratch/$dir-include/guest/access.h"
	[ -z "$3" ] || fails cmp -s include/guest/access.h \
		"$scratch/$dir-include/guest/access.h"
	make_in "$dir" ARCH="$arch" CROSS_COMPILE="$cross" \
		INCLUDES="-I$scratch/$dir-include -Iinclude -Iarch/$arch -Iarch/$arch/include" \
		"$scratch/$dir/$arch/lib/guest/loop.guest.o"
}

# code DIR ARCH FUNCTION: its instructions, one a line
code() {
	local objdump=objdump

	[ "$2" = "$(uname -m)" ] || objdump=$2-linux-gnu-objdump
	$objdump -d --no-show-raw-insn --no-addresses --disassemble="$3" \
		"$scratch/$1/$2/lib/guest/loop.guest.o" | grep -P '^\s+\w'
}

# reads DIR ARCH FUNCTION: how often the counter is read in it
reads() {
	code "$@" | grep -Ec "\s${counters[$2]}" || true
}

plain_reads_no_counter() {
	local plain timed

	plain=$(code "$1" "$2" guest_measure_loop | wc -l)
	timed=$(code "$1" "$2" guest_measure_timed_loop | wc -l)
	echo "# $2: $plain instructions without timing, $timed with it"
	[ "$plain" -gt 10 ] && [ "$timed" -gt "$plain" ]
	[ "$(reads "$1" "$2" guest_measure_loop)" -eq 0 ]
	[ "$(reads "$1" "$2" guest_measure_timed_loop)" -ge 2 ]
}

# same_code DIR DIR ARCH
same_code() {
	diff <(code "$1" "$3" guest_measure_loop) \
		<(code "$2" "$3" guest_measure_loop)
}

none='s/ACCESS_TIMED = 4/ACCESS_TIMED = 0/'
always='s/(how & ACCESS_TIMED)/(1)/'

for arch in "$ARCH" "${others[$ARCH]}"; do
	if [ "$arch" != "$(uname -m)" ] &&
		! command -v "$arch-linux-gnu-gcc" >"$scratch/compiler"; then
		skip "$arch: the plain loop" "no $arch-linux-gnu-gcc: apt install gcc-${arch/_/-}-linux-gnu"
		continue
	fi
	it "$arch: the guest's loop" made_with as_is "$arch" ''
	it "$arch: ... if nothing could be timed" made_with none "$arch" "$none"
	it "$arch: ... if everything were" made_with always "$arch" "$always"
	it "$arch: not timed, it reads no counter" plain_reads_no_counter as_is "$arch"
	grep '^# ' "$output" || true
	it "$arch: ... and is what it would be without timing" \
		same_code as_is none "$arch"
	it "$arch: one that is timed always is found by its counter" \
		fails plain_reads_no_counter always "$arch"
	it "$arch: ... and by its code" fails same_code always none "$arch"
done
done_testing
