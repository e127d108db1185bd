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

tool=$OUT/tools/kvmeter/kvmeter

# The commands of kvmeter, as its help lists them.
commands() {
	"$tool" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p'
}

# Every option of command $2 is in page $1, which lists no other.
has_options() {
	local command=$2 options text word missing=

	options=$("$tool" "$command" --help |
		grep -o '^  \(-., \|    \)--[a-z-]*' | grep -o -e '--.*')
	text=$(text_of "$1")
	for word in $options; do
		grep -Eq -e "^ +(-., )?$word( |\$)" <<<"$text" || missing+=" $word"
	done
	while read -r word; do
		grep -qx -e "--$word" <<<"$options" || missing+=" no --$word"
	done < <(sed -En 's/^ +(-., )?--([a-z-]+).*/\2/p' <<<"$text")
	echo "missing:$missing"
	[ -n "$options" ] && [ -z "$missing" ]
}

# The overview names every command, each has a page, and each page a command.
names_commands() {
	local text command file missing=

	text=$(text_of "$1")
	for command in $(commands); do
		[ -e "doc/kvmeter-$command.1" ] || missing+=" page:$command"
		grep -Eq -e "^ +kvmeter-$command\(1\)" <<<"$text" ||
			missing+=" $command"
	done
	for file in doc/kvmeter-*.1; do
		command=${file#doc/kvmeter-}
		commands | grep -qx "${command%.1}" || missing+=" command:$file"
	done
	echo "missing:$missing"
	[ -z "$missing" ]
}

if [ -x "$tool" ]; then
	for file in doc/kvmeter.1 doc/kvmeter-*.1; do
		it "$file: groff warns of nothing" groff_is_silent "$file"
		if command -v mandoc >/dev/null; then
			it "$file: mandoc warns of nothing" \
				mandoc_is_content "$file"
		else
			skip "$file: mandoc warns of nothing" \
				"no mandoc: apt-get install mandoc"
		fi
	done
	it "doc/kvmeter.1: all commands" names_commands doc/kvmeter.1
	for command in $(commands); do
		it "kvmeter $command: all options" \
			has_options "doc/kvmeter-$command.1" "$command"
	done
	sed '/threshold/d' doc/kvmeter-compare.1 >"$scratch/lost.1"
	it "a lost option is noticed" \
		fails has_options "$scratch/lost.1" compare
	sed 's/threshold/treshold/' doc/kvmeter-compare.1 >"$scratch/lost.1"
	it "an option that is none is noticed" \
		says "no --treshold" has_options "$scratch/lost.1" compare
	sed '/compare/d' doc/kvmeter.1 >"$scratch/lost.1"
	it "a lost command is noticed" fails names_commands "$scratch/lost.1"
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
