# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# What the hooks of this directory share.

# kvmeter bisect then stops: it would be the same for any other commit.
CANNOT=126

# Of the benchmarks: the command line makes no sense, nothing was run.
BENCHMARK_USAGE=2

# shellcheck disable=SC2034 # for those who source it
# What build-kernel installs modules to, in the directory of objects.
MODULES_DIR=kvmeter-modules

# The kernel that was built in directory $1.
kernel_image() {
	local file

	for file in "$1"/arch/{x86/boot/bzImage,arm64/boot/Image}; do
		[ ! -e "$file" ] || {
			echo "$file"
			return
		}
	done
	return 1
}

cannot() {
	echo "$(basename "$0"): $*" >&2
	exit $CANNOT
}

# The comment at the head of the script; exit $1.
show_help() {
	sed -n '4,/^set/{/^set/d; s/^# \{0,1\}//p}' "$0"
	exit "$1"
}

# A typing error in the hook is not the commit's fault.
status_of_benchmark() {
	if [ "$1" -eq $BENCHMARK_USAGE ]; then
		echo $CANNOT
	else
		echo "$1"
	fi
}

# Words in such quotes that a shell makes the same words of them.
quote() {
	local word

	for word in "$@"; do
		printf "'%s' " "${word//\'/\'\\\'\'}"
	done
}
