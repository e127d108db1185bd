#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Completion in bash, driven without a terminal: for every command that kvmeter
# has and for every benchmark it offers the options of --help, all of them and
# no other, and their values.
. check/tap.sh

kvmeter=$OUT/tools/kvmeter/kvmeter
[ -x "$kvmeter" ] || skip_all "kvmeter is not built: it needs jansson (libjansson-dev)"
export PATH="$OUT/tools/kvmeter:$OUT/tests:$PATH"
unset KVMETER_TESTS

# complete WORD...: what the last word may become, a line each, as bash asks: in
# words as readline splits them, "=" apart.
complete_words() {
	local file=${COMPLETION-tools/completion.bash}

	bash -c '. "$1" 2>&1; shift
		COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
		function=$(complete -p "${1##*/}" | sed "s/.* -F \([^ ]*\) .*/\1/")
		"$function" "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}" 2>&1
		printf "%s\n" "${COMPREPLY[@]}"' bash "$file" "$@"
}

# offers "WORDS" WORD...: these, in any order, and nothing else.
offers() {
	local wanted=$1

	shift
	diff <(tr ' ' '\n' <<<"$wanted" | sort) <(complete_words "$@" | sort)
}

# The long options that a program's help lists.
options_of() {
	"$@" --help | sed -En 's/^  (-., |    )(--[a-z0-9-]+).*/\2/p'
}

# offers_options PROGRAM [COMMAND]
offers_options() {
	local options

	options=$(options_of "$@" | tr '\n' ' ')
	[ -n "$options" ]
	offers "${options% }" "$@" --
}

# Each value that is offered for an option with choices stands in the help, in
# parentheses, and there are as many.
offers_choices() {
	local word letter name kind choices

	while read -r word letter name _ kind choices; do
		[ "$word" = option ] || continue
		case $kind in choice | list) ;; *) continue ;; esac
		[ "$letter" != - ] || letter=
		"$@" --help | tr -s ' \n' ' ' | grep -Fq -- "(${choices// /, })"
		offers "$choices" "$@" "--$name" ""
		[ -z "$letter" ] || offers "$choices" "$@" "-$letter" ""
		offers "$choices" "$@" "--$name" =
		offers "${choices%% *}" "$@" "--$name" = "${choices%% *}"
	done < <("$@" --completion)
}

commands=$("$kvmeter" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p')
benchmarks=$(for file in tests/*_test.c; do basename "$file" .c; done)

it "there are commands" test "$(wc -w <<<"$commands")" -gt 3
it "kvmeter: commands" offers \
	"$commands help --help --version" kvmeter ""
it "kvmeter c: what begins so" offers "compare" kvmeter comp
it "kvmeter help: commands" offers "$commands" kvmeter help ""
for command in $commands; do
	it "kvmeter $command: options" offers_options kvmeter "$command"
	it "kvmeter $command: choices" offers_choices kvmeter "$command"
done
for bench in $benchmarks; do
	it "$bench: options" offers_options "$bench"
	it "$bench: choices" offers_choices "$bench"
	it "$bench: by its path" offers "--backing" "$OUT/tests/$bench" --back
	for option in backing mode; do
		names=$("$bench" --$option help | awk '{ print $1 ~ /^[0-9]/ ? $2 : $1 }' |
			grep -v PATH | tr '\n' ' ')
		it "$bench --$option: what its list has" \
			offers "${names% }" "$bench" --$option ""
	done
done

it "-s: what begins so" offers "anonymous_hugetlb_1gb anonymous_hugetlb_1mb \
anonymous_hugetlb_16gb anonymous_hugetlb_16kb anonymous_hugetlb_16mb" \
	page_table_test -s anonymous_hugetlb_1
it "a number has no choices" offers "" page_table_test -v ""
it "an option without a value is none" offers "--quiet" page_table_test -a --qui

# files, some with blanks in their names
files=$scratch/files
mkdir -p "$files/results dir" "$files/dir"
touch "$files/a.json" "$files/b c.json"

in_files() {
	local completion=$PWD/tools/completion.bash

	(cd "$files" && COMPLETION=$completion "$@")
}

expects() {
	local wanted=$1

	shift
	diff <(printf '%b' "$wanted" | sort) <(complete_words "$@" | sort)
}

all='a.json\nb c.json\ndir\nresults dir\n'
it "compare: files" in_files expects "$all" kvmeter compare ""
it "compare: one more" in_files expects 'b c.json\n' kvmeter compare a.json b
it "--json: files" in_files expects "$all" page_table_test --json ""
it "--tests: directories" in_files expects 'dir\nresults dir\n' kvmeter list --tests ""
it "-s: a path" in_files expects './a.json\n' page_table_test -s ./a
it "list: benchmarks" offers "$benchmarks" kvmeter list ""
it "list: one more" offers page_table_test kvmeter list dirty_log_perf_test page
it "ab: benchmarks" offers "dirty_log_perf_test dirty_log_test" kvmeter ab --pairs 2 dirty
it "bisect: what it does" offers "record step log" kvmeter bisect ""
it "bisect record --good: files" in_files expects "$all" kvmeter bisect record --good a.json ""
it "run: suites" offers "quick full" kvmeter run -o dir ""
it "ab -- : options of the benchmark" offers "--access" \
	kvmeter ab page_table_test -- --acc
it "ab -- -s: backing sources" offers "memfd" kvmeter ab page_table_test -- -s mem
it "run -- : options that all have" offers "--backing" kvmeter run quick -- --back

it "no such command: nothing" offers "" kvmeter guess --
it "no such program: nothing" offers "" "$files/page_table_test" --

# installed, each command finds it under its own name
it "make install" make --no-print-directory -j2 O="$scratch/build" PREFIX=/opt \
	DESTDIR="$scratch/root" install
installed=$scratch/root/opt/share/bash-completion/completions
COMPLETION=$installed/kvmeter it "kvmeter: installed" offers "--help" kvmeter list --he
for bench in $benchmarks; do
	COMPLETION=$installed/$bench it "$bench: installed" offers "--help" "$bench" --he
done

# the same judgement of a completion that is wrong
sed 's/\^option \. /^option [a-y] /' tools/completion.bash >"$scratch/wrong.bash"
COMPLETION=$scratch/wrong.bash it "lost options are noticed" \
	fails offers_options kvmeter compare
COMPLETION=$scratch/wrong.bash it "lost options of a benchmark are noticed" \
	fails offers_options page_table_test
sed 's/choice)$/choices)/' tools/completion.bash >"$scratch/wrong.bash"
COMPLETION=$scratch/wrong.bash it "lost choices are noticed" \
	fails offers_choices kvmeter compare
done_testing
