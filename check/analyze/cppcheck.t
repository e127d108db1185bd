#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# cppcheck on host and guest halves of both architectures; what it shall not tell
# is in cppcheck.txt, with reasons.
. check/tap.sh

command -v cppcheck >/dev/null || skip_all "no cppcheck: apt-get install cppcheck"

# It knows no jansson, whose loops are macros.
mkdir -p "$scratch/include"
for header in jansson.h jansson_config.h; do
	path=$(echo "#include <$header>" | gcc -E - | sed -n "s,^# 1 \"\(/.*/$header\)\".*,\1,p" |
		head -n 1)
	cp "$path" "$scratch/include/"
done
grep -Ev '^(#|$)' check/analyze/cppcheck.txt >"$scratch/suppressions"

# finds_nothing [ARGUMENT...] FILE...
finds_nothing() {
	cppcheck --quiet --enable=warning,performance,portability --std=c11 --error-exitcode=1 \
		--suppress=missingIncludeSystem --suppress=unmatchedSuppression \
		--suppressions-list="$scratch/suppressions" -j "$(nproc)" \
		-Iinclude -I"$scratch/include" "$@"
}

for port in arch/*/include/guest_arch.h; do
	arch=${port#arch/}
	arch=${arch%%/*}
	it "$arch, host" finds_nothing -D_GNU_SOURCE "-D__${arch}__" "-Iarch/$arch" \
		"-Iarch/$arch/include" lib/*.c arch/"$arch"/*.c tests tools/kvmeter
	it "$arch, guest" finds_nothing -DKVMETER_GUEST "-D__${arch}__" "-Iarch/$arch" \
		"-Iarch/$arch/include" lib/guest arch/"$arch"/guest tests
done

# finds ID "STATEMENT": in a function with it.
finds() {
	echo "#include <stdlib.h>
#include <string.h>
int f(int n) { $2 return n; }" >"$scratch/wrong.c"
	fails finds_nothing "$scratch/wrong.c"
	says "\[$1\]" finds_nothing "$scratch/wrong.c"
}
it "finds: a null pointer" finds nullPointer 'int *p = NULL; *p = n;'
it "finds: a leak" finds memleak 'char *p = malloc(n); if (!p) return 0; p[0] = 1;'
it "finds: an end that is passed" finds arrayIndexOutOfBounds 'char c[4]; c[4] = n;'
it "finds: what was not set" finds uninitvar 'int i; n += i;'

# Each suppression stands below a line that says why.
bare_suppressions() {
	awk '/^$/ { why = 0; next } /^#/ { why = 1; next } !why { print; found = 1 }
	     END { exit !found }' "$1"
}
it "a suppression has a reason" fails bare_suppressions check/analyze/cppcheck.txt
printf '# why\n\nnullPointer\n' >"$scratch/bare.txt"
it "... or is found out" bare_suppressions "$scratch/bare.txt"
it "none stands in the code" fails grep -rn cppcheck-suppress include lib arch tests tools
done_testing
