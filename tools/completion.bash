# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Completion of command lines of kvmeter and its benchmarks, for bash. It knows
# none of their options: each program is asked, by --completion, for the rows of
# its own tables (options_completion() in include/options.h).
#
# Installed under the name of each command, where bash-completion finds it.
# From a build, ". tools/completion.bash" completes kvmeter and the benchmarks
# that it finds.

# Does it take what is completed as one of its own? Programs of other names may
# stand in COMP_WORDS, and are never run.
_kvmeter_program() {
	[[ ${1##*/} == kvmeter || ${1##*/} == *_test ]] &&
		type -P -- "${1/#\~\//$HOME/}"
}

# Names of the benchmarks that kvmeter finds.
_kvmeter_benchmarks() {
	"$1" list 2>/dev/null | sed -n 's/^\([a-z0-9_]*_test\)$/\1/p'
}

# Sets COMPREPLY to the words of $2 that begin with $1.
_kvmeter_words() {
	mapfile -t COMPREPLY < <(compgen -W "$2" -- "$1")
}

# Likewise, to those of them that may follow in a list with commas.
_kvmeter_list() {
	local before=

	[[ $1 == *,* ]] && before=${1%,*},
	mapfile -t COMPREPLY < <(compgen -P "$before" -W "$2" -- "${1##*,}")
}

# Files, or with -d directories; readline then quotes them and adds the slash.
_kvmeter_files() {
	compopt -o filenames 2>/dev/null
	mapfile -t COMPREPLY < <(compgen "$1" -- "$2")
}

# What option $2 of program $1 lists: names, some with a number before them. The
# word in capitals stands for any path.
_kvmeter_choices() {
	"$1" "--$2" help 2>/dev/null |
		awk '{ name = $1 ~ /^[0-9]+$/ ? $2 : $1 } name != "PATH" { print name }'
}

# _kvmeter_value CURRENT PROGRAM NAME ARG KIND CHOICE...: of option NAME.
_kvmeter_value() {
	local cur=$1 program=$2 name=$3 arg=$4 kind=$5

	shift 5
	case $kind in
	choice)
		_kvmeter_words "$cur" "$*"
		;;
	list)
		_kvmeter_list "$cur" "$*"
		;;
	ask)
		if [[ $cur == */* ]]; then
			_kvmeter_files -f "$cur"
			return
		fi
		_kvmeter_list "$cur" "$(_kvmeter_choices "$program" "$name")"
		;;
	*)
		case $arg in
		DIR) _kvmeter_files -d "$cur" ;;
		FILE* | PATH) _kvmeter_files -f "$cur" ;;
		esac
		;;
	esac
}

# The row of option $1, as typed, among the rows in $2.
_kvmeter_row() {
	local word letter name rest

	while read -r word letter name rest; do
		[[ $word == option ]] || continue
		[[ $letter == - ]] && letter=$name
		if [[ $1 == "--$name" || $1 == "-$letter" ]]; then
			echo "$name $rest"
			return
		fi
	done <<<"$2"
}

# _kvmeter_options CURRENT PREVIOUS PROGRAM ROWS: an option, or its value. False
# if it is neither.
_kvmeter_options() {
	local cur=$1 prev=$2 program=$3 rows=$4 row=

	[[ $prev == -* ]] && row=$(_kvmeter_row "$prev" "$rows")
	if [[ $row && $row != *\ -\ flag ]]; then
		# shellcheck disable=SC2086 # fields of the row
		_kvmeter_value "$cur" "$program" $row
		return 0
	fi
	[[ $cur == -* ]] || return 1
	_kvmeter_words "$cur" "$(sed -n \
		's/^option . \([^ ]*\) .*/--\1/p' <<<"$rows")"
}

# _kvmeter_operand CURRENT KVMETER ROWS: as the usage line names them.
_kvmeter_operand() {
	local text

	text=$(sed -n 's/^operands //p' <<<"$3")
	case $text in
	'') return ;;
	*BENCH*) _kvmeter_words "$1" "$(_kvmeter_benchmarks "$2")" ;;
	*SUITE*) _kvmeter_words "$1" "quick full" ;;
	*'|'*) ((${#words[@]} > 3)) || _kvmeter_words "$1" "${text//|/ }" ;;
	esac
	if [[ ${#COMPREPLY[@]} == 0 && $text != *"[BENCHMARK]"* ]]; then
		_kvmeter_files -f "$1"
	fi
}

# Of a command of kvmeter. Behind "--" are options of the benchmark that stands
# before it, or else of any: all have the common ones.
_kvmeter_command() {
	local cur=$1 prev=$2 kvmeter=$3 bench="" word i
	local command=${words[1]} rows

	for ((i = 2; i < ${#words[@]} - 1; i++)); do
		word=${words[i]}
		[[ $word == *_test ]] && bench=$word
		[[ $word == -- ]] && break
	done
	if ((i < ${#words[@]} - 1)); then
		[[ $bench ]] || bench=$(_kvmeter_benchmarks "$kvmeter" | head -n 1)
		[[ $bench == */* ]] || bench=$("$kvmeter" list -f json "$bench" \
			2>/dev/null | sed -n 's/^ *"path": "\(.*\)",\{0,1\}$/\1/p')
		bench=$(_kvmeter_program "$bench") || return
		_kvmeter_options "$cur" "$prev" "$bench" \
			"$("$bench" --completion 2>/dev/null)"
		return
	fi
	rows=$("$kvmeter" "$command" --completion 2>/dev/null) || return
	_kvmeter_options "$cur" "$prev" "$kvmeter" "$rows" ||
		_kvmeter_operand "$cur" "$kvmeter" "$rows"
}

_kvmeter_top() {
	local all

	all=$("$2" --completion 2>/dev/null | sed -n 's/^command //p')
	[[ $3 == help ]] || all+=" help --help --version"
	_kvmeter_words "$1" "$all"
}

# The command line up to the cursor; "--name=value" is one word of a shell, but
# three of readline's: they become "--name" and "value".
_kvmeter_split() {
	local i word

	words=()
	for ((i = 0; i <= COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]}
		if [[ $word == = && $i -gt 0 && ${COMP_WORDS[i - 1]} == --* ]]; then
			((i < COMP_CWORD)) || words+=("")
		else
			words+=("$word")
		fi
	done
}

_kvmeter() {
	local words program cur prev

	COMPREPLY=()
	program=$(_kvmeter_program "$1") || return 0
	_kvmeter_split
	cur=${words[-1]}
	prev=${words[${#words[@]} - 2]}
	if [[ ${program##*/} != kvmeter ]]; then
		_kvmeter_options "$cur" "$prev" "$program" \
			"$("$program" --completion 2>/dev/null)"
	elif ((${#words[@]} == 2)); then
		_kvmeter_top "$cur" "$program" ""
	elif [[ ${words[1]} == help ]]; then
		((${#words[@]} == 3)) && _kvmeter_top "$cur" "$program" help
	else
		_kvmeter_command "$cur" "$prev" "$program"
	fi
	return 0
}

complete -F _kvmeter kvmeter
if [[ ${BASH_SOURCE[0]##*/} == *_test ]]; then
	complete -F _kvmeter "${BASH_SOURCE[0]##*/}"
elif kvmeter=$(type -P kvmeter); then
	# shellcheck disable=SC2046 # one name a line
	complete -F _kvmeter $(_kvmeter_benchmarks "$kvmeter") kvmeter
	unset kvmeter
fi
