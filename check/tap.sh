# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# TAP for check scripts. They source this file, call it() or skip() for each
# result, and done_testing last; without that the plan is missing, so that a
# script which dies halfway fails.
#
# $scratch is an empty directory of the script's own.
set -eu

results=0
output=
name=${0#check/}
OUT=${KVMETER_OUT:-$PWD/build/$(uname -m)}
scratch=$OUT/scratch/$name
rm -rf "$scratch"
mkdir -p "$scratch"

# it "DESCRIPTION" COMMAND [ARGUMENT...]: ok if the command succeeds; else its
# output follows. The command runs in a subshell under set -e.
it() {
	local what=$1 status

	shift
	results=$((results + 1))
	output=$scratch/output.$results
	status_of "$@" >"$output" 2>&1
	if [ "$status" -eq 0 ]; then
		echo "ok $results - $what"
	else
		echo "not ok $results - $what"
		echo "# exit $status of: $*"
		tail -n 40 "$output" | sed 's/^/# /'
	fi
	return 0
}

skip() {
	results=$((results + 1))
	echo "ok $results - $1 # SKIP $2"
}

skip_all() {
	echo "1..0 # SKIP $1"
	exit 0
}

# Whether nobody answers faults of KVM for this user, which async_pf_test needs.
lacks_userfaultfd() {
	local allowed=/proc/sys/vm/unprivileged_userfaultfd

	[ "$(id -u)" -ne 0 ] && [ ! -w /dev/userfaultfd ] && grep -qx 0 $allowed 2>/dev/null
}

# is_out BENCHMARK: whether it must skip for the user that we are.
is_out() {
	[ "$1" = async_pf_test ] && lacks_userfaultfd
}

skip_for_userfaultfd() {
	skip "$1" "no permission for userfaultfd: sysctl vm.unprivileged_userfaultfd=1"
}

done_testing() {
	echo "1..$results"
}

# The words below run a command under set -e in a subshell of its own, because
# set -e means nothing to what stands in a condition. So must they not either.
status_of() {
	set +e
	(set -e; "$@")
	status=$?
	set -e
}

# fails COMMAND [ARGUMENT...]: true if it exits with a status that is not 0.
fails() {
	local status

	status_of "$@"
	[ "$status" -ne 0 ]
}

# exits STATUS COMMAND [ARGUMENT...]
exits() {
	local wanted=$1 status

	shift
	status_of "$@"
	[ "$status" -eq "$wanted" ] || {
		echo "exit $status, not $wanted: $*"
		return 1
	}
}

# says PATTERN COMMAND [ARGUMENT...]: its output, shown, matches an extended
# regular expression in some line; its exit status matters only to exits, which
# may stand here: says PATTERN exits STATUS COMMAND.
says() {
	local pattern=$1 text=$output.says status

	shift
	status_of "$@" >"$text" 2>&1
	cat "$text"
	grep -Eq -e "$pattern" "$text" || {
		echo "no line matches: $pattern"
		return 1
	}
	[ "$1" != exits ] || [ "$status" -eq 0 ]
}
