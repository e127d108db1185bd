#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Headers of Linux 5.10, the oldest that kvmeter builds against: those of Debian
# 11, C library included, fetched from this machine's own mirror but not
# installed; and this machine's with all taken away that include/compat.h
# supplies.
. check/build/build.sh

# nobody else builds like this
export CCACHE_DISABLE=1

# ---- taken away ----

compat=include/compat.h
mapfile -t macros < <(sed -n 's/^#define \([A-Z]\w*\) .*/\1/p' $compat)
mapfile -t structs < <(sed -n 's/^struct \(\w*\) {/\1/p' $compat)

# A header to be included first: the system's then come out without these.
without() {
	printf '%s\n' "${structs[@]}" | sed 's/.*/#define & newer_&/'
	printf '#include <%s>\n' linux/kvm.h sys/mman.h
	printf '#undef %s\n' "${structs[@]}" "${macros[@]}"
}

# gone KIND NAME: it has no meaning, but compat.h gives it one.
gone() {
	local use

	case $1 in
	macro) use="long use = $2;" ;;
	struct) use="struct $2 use;" ;;
	esac
	fails compile '' "$use"
	compile '#include <compat.h>' "$use"
}

compile() {
	printf '%s\n' "$@" | gcc -Iinclude -include "$scratch/without.h" \
		-fsyntax-only -x c -
}

everything_gone() {
	local name

	for name in "${macros[@]}"; do
		gone macro "$name"
	done
	for name in "${structs[@]}"; do
		gone struct "$name"
	done
}

without >"$scratch/without.h"
it "what $compat supplies can be taken away" everything_gone
it "... and the system is to blame for what is not" \
	fails gone macro KVM_CAP_NR_VCPUS
it "without it" build without CFLAGS="-O2 -include $scratch/without.h"
runs_all "without it" without

# ---- Debian 11 ----

apt=$scratch/apt
sysroot=$scratch/sysroot

# apt-get and apt-cache with a configuration of their own, as if nothing were
# installed.
with_apt() {
	local program=$1

	shift
	"$program" -o Dir::State="$apt" -o Dir::State::status="$apt/status" \
		-o Dir::Cache="$apt/cache" \
		-o Dir::Etc::sourcelist="$apt/sources.list" \
		-o Dir::Etc::sourceparts=/dev/null \
		-o Dir::Etc::preferencesparts=/dev/null \
		-o Acquire::Languages=none -o Acquire::Retries=3 \
		-o APT::Sandbox::User=root "$@"
}

# The mirror that this machine is set up with.
mirror() {
	apt-cache policy | sed -n 's,.* \(http[^ ]*/debian/*\) .*,\1,p' | head -n 1
}

fetch() {
	local package

	mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" "$sysroot"
	: >"$apt/status"
	echo "deb $(mirror) bullseye main" >"$apt/sources.list"
	with_apt apt-get update
	(cd "$apt" && with_apt apt-get download linux-libc-dev libc6-dev libc6)
	for package in "$apt"/*.deb; do
		dpkg-deb -x "$package" "$sysroot"
	done
}

is_5_10() {
	grep -q '#define LINUX_VERSION_CODE 330' \
		"$sysroot/usr/include/linux/version.h"
}

why=
command -v apt-get >/dev/null || why="no Debian: no apt-get"
[ -n "$why" ] || [ -n "$(mirror)" ] || why="apt-get has no Debian mirror"
if [ -z "$why" ]; then
	status_of fetch >"$scratch/fetch.log" 2>&1
	[ "$status" -eq 0 ] || why="$(tail -n 1 "$scratch/fetch.log")"
fi
if [ -n "$why" ]; then
	skip "user space of Debian 11" "$why"
else
	it "headers of Debian 11 are those of Linux 5.10" is_5_10
	it "user space of Debian 11" build bullseye CC="gcc --sysroot=$sysroot"
	it "user space of Debian 11: static" \
		build bullseye CC="gcc --sysroot=$sysroot" STATIC=1
	runs_all "user space of Debian 11: static" bullseye
fi
done_testing
