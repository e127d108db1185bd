# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# For check/build/*.t: builds in directories of their own, and the benchmarks
# that come out of them.
. check/tap.sh

# make_in DIR [ARGUMENT...]: make into $scratch/DIR with every core.
make_in() {
	local dir=$scratch/$1

	shift
	make --no-print-directory -j"$(nproc)" O="$dir" "$@"
}

# build DIR [ARGUMENT...]: the same without a single warning, of compiler or
# linker. Without WERROR=1, whose objects could not be shared with other checks.
build() {
	local log=$scratch/$1.log status=0

	make_in "$@" >"$log" 2>&1 || status=$?
	grep -v '^  [A-Z]* ' "$log" || true
	[ $status -eq 0 ] && ! grep -qi warning "$log"
}

# What programs are to run under, if anything.
wrapper=()

# benchmark DIR NAME [OPTION...]: runs one that was built there.
benchmark() {
	local program=$scratch/$1/$ARCH/tests/$2

	shift 2
	"${wrapper[@]}" "$program" "$@"
}

benchmarks() {
	local file

	for file in tests/*_test.c; do
		basename "$file" .c
	done
}

# all_start DIR: every benchmark there can at least say which it is.
all_start() {
	local test

	for test in $(benchmarks); do
		says "^$test \(kvmeter\)" benchmark "$1" "$test" --version
	done
}

# runs DIR NAME [OPTION...]: it passes and says nothing on standard error,
# where sanitizers report.
runs() {
	local log=$scratch/$1.err status=0

	benchmark "$@" 2>"$log" || status=$?
	cat "$log"
	[ $status -eq 0 ] && [ ! -s "$log" ]
}

# is_static DIR: no benchmark asks for a dynamic linker.
is_static() {
	local test

	for test in $(benchmarks); do
		says LOAD readelf -lW "$scratch/$1/$ARCH/tests/$test"
		fails says INTERP readelf -lW "$scratch/$1/$ARCH/tests/$test"
	done
}

have_kvm() {
	[ -r /dev/kvm ] && [ -w /dev/kvm ]
}

# passes "DESCRIPTION" DIR NAME [OPTION...]: as a result of its own
passes() {
	local what="$1: ${*:3} passes"

	if ! have_kvm; then
		skip "$what" "no usable /dev/kvm"
	elif is_out "$3"; then
		skip_for_userfaultfd "$what"
	else
		it "$what" runs "${@:2}"
	fi
}

# passes_or_skips "DESCRIPTION" DIR NAME [OPTION...]: the same, but this host may
# lack what they ask for.
passes_or_skips() {
	local log=$scratch/skips.err status=0

	have_kvm && benchmark "${@:2}" --warmup 0 >/dev/null 2>"$log" || status=$?
	if [ "$status" -eq 4 ] && [ "$(wc -l <"$log")" -eq 1 ]; then
		skip "$1: ${*:3} passes" "$(cat "$log")"
	else
		passes "$@" --warmup 0
	fi
}

# What makes a benchmark short whose time is not that of its memory.
declare -A short=(
	[async_pf_test]="-b 128K"
	[dirty_log_test]="-i 20"
	[tlb_stress_test]="--processes 3 -v 1,2"
)

# runs_all "DESCRIPTION" DIR: every benchmark passes natively, on a little
# memory, with more vCPUs than one.
runs_all() {
	local test

	for test in $(benchmarks); do
		# shellcheck disable=SC2086 # words
		passes "$1" "$2" "$test" -v 1,4 --runs 2 ${short[$test]:--b 1M}
	done
}

ARCH=${ARCH:-$(uname -m)}

# The directory that <$1> is found in, such as /usr/include for linux/kvm.h.
include_dir() {
	echo "#include <$1>" | gcc -E - | sed -n "s,^# 1 \"\(/.*\)/$1\".*,\1,p" |
		head -n 1
}
