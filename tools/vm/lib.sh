# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2154
#
# What the scripts of this directory share. They source it with $here set to
# this directory.

# The machine was not started, so that nothing is known about the command.
NOT_STARTED=126

say() {
	echo "vm: $*" >&2
}

die() {
	say "$*"
	exit $NOT_STARTED
}

cache() {
	echo "${KVMETER_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/kvmeter}"
}

machines() {
	(cd "$here/machines" && echo *)
}

# machine_load NAME sets MACHINE_ARCH and what else machines/NAME says.
machine_load() {
	case $1 in
	'' | */* | .*) die "no machine '$1'; there are: $(machines)" ;;
	esac
	[ -f "$here/machines/$1" ] || die "no machine '$1'; there are: $(machines)"
	# shellcheck source=tools/vm/machines/aarch64
	. "$here/machines/$1"
}

# need PART...: packages, installed or named.
need() {
	"$here/../need" "$@" || die "packages are missing: see above"
}

# The rest of a line of the table $1 whose first word is $2.
table_row() {
	sed -n "s/^$2[[:space:]]\{1,\}//p" "$1"
}

# Words in such quotes that a shell makes the same words of them.
quote() {
	for word in "$@"; do
		printf "'"
		printf '%s' "$word" | sed "s/'/'\\\\''/g"
		printf "' "
	done
}
