#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Are the man pages complete, without a fault that a formatter would see, and
# those in doc/ the ones that the programs print?
. check/tap.sh

command -v groff >/dev/null || skip_all "no groff: apt-get install groff"

groff_is_silent() {
	local said

	said=$(groff -ww -man -Kutf8 -Tutf8 -z "$1" 2>&1)
	echo "$said"
	[ -z "$said" ]
}

mandoc_is_content() {
	mandoc -Tlint -Wwarning "$1"
}

text_of() {
	groff -man -Kutf8 -Tutf8 -P-cbou -rLL=200n "$1"
}

# Page $1 has the sections, and every option that --help of program $2 has.
is_complete() {
	local text word missing=

	text=$(text_of "$1")
	for word in NAME SYNOPSIS DESCRIPTION OPTIONS METRICS CHECKS OUTPUT \
		"EXIT STATUS" ENVIRONMENT EXAMPLES "SEE ALSO"; do
		grep -qx "$word" <<<"$text" || missing+=" $word"
	done
	for word in $("$2" --help | grep -o '^  \(-., \|    \)--[a-z-]*' |
		grep -o -e '--.*'); do
		grep -Eq -e "^ +(-., )?$word( |\$)" <<<"$text" || missing+=" $word"
	done
	echo "missing:$missing"
	[ -z "$missing" ]
}

for program in "$OUT"/tests/*_test; do
	bench=$(basename "$program")
	page=$scratch/$bench.1
	"$program" --man >"$page" || true

	it "$bench: groff warns of nothing" groff_is_silent "$page"
	if command -v mandoc >/dev/null; then
		it "$bench: mandoc warns of nothing" mandoc_is_content "$page"
	else
		skip "$bench: mandoc warns of nothing" \
			"no mandoc: apt-get install mandoc"
	fi
	it "$bench: all sections, all options" is_complete "$page" "$program"
	it "doc/$bench.1 is what the program prints" \
		diff -u "doc/$bench.1" "$page"
done

# Every option of kvmeter compare is in page $1.
has_options_of_compare() {
	local text word missing=

	text=$(text_of "$1")
	for word in $("$OUT/tools/kvmeter/kvmeter" compare --help |
		grep -o '^  \(-., \|    \)--[a-z-]*' | grep -o -e '--.*'); do
		grep -Eq -e "^ +(-., )?$word( |\$)" <<<"$text" || missing+=" $word"
	done
	echo "missing:$missing"
	[ -z "$missing" ]
}

if [ -x "$OUT/tools/kvmeter/kvmeter" ]; then
	it "kvmeter: groff warns of nothing" groff_is_silent doc/kvmeter.1
	if command -v mandoc >/dev/null; then
		it "kvmeter: mandoc warns of nothing" \
			mandoc_is_content doc/kvmeter.1
	else
		skip "kvmeter: mandoc warns of nothing" \
			"no mandoc: apt-get install mandoc"
	fi
	it "kvmeter: all options" has_options_of_compare doc/kvmeter.1
	sed '/threshold/d' doc/kvmeter.1 >"$scratch/lost.1"
	it "a lost option is noticed" \
		fails has_options_of_compare "$scratch/lost.1"
else
	skip "kvmeter" "it is not built: it needs jansson (libjansson-dev)"
fi

# the same judgements of a page that is wrong
sed '/^\.SH METRICS/d; s/^\.SH CHECKS/.XX CHECKS/; s/runs/walks/' "$page" \
	>"$scratch/wrong.1"
it "an unknown request is noticed" fails groff_is_silent "$scratch/wrong.1"
it "a lost section is noticed" fails is_complete "$scratch/wrong.1" "$program"
it "an old page is noticed" fails diff "$scratch/wrong.1" "$page"
done_testing
