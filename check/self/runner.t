#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# check/run with programs that end in every way there is.
. check/tap.sh

# program NAME: a shell program, from standard input
program() {
	{ echo '#!/bin/sh'; cat; } >"$scratch/$1"
	chmod +x "$scratch/$1"
}

# run {[limit=SECONDS] [jobs=N] [tries=N] PROGRAM...}...: options stand before those
# that they are for. Only what is to end by its limit has one that is short: whatever
# else the machine does, the others are to end by themselves.
run() {
	local words=() word

	for word in "$@"; do
		case $word in
		limit=* | jobs=* | tries=*) words+=("--${word%%=*}" "${word#*=}") ;;
		*) words+=("$scratch/$word") ;;
		esac
	done
	check/run --logs "$scratch/logs" --limit 10 "${words[@]}"
}

# counts "N passed, N failed, N skipped" STATUS PROGRAM...: the last line
counts() {
	local line=$1 status=$2 got=0

	shift 2
	run "$@" >"$scratch/text" 2>&1 || got=$?
	cat "$scratch/text"
	[ "$(tail -n 1 "$scratch/text")" = "$line" ] && [ $got -eq "$status" ]
}

program pass <<'X'
echo "KTAP version 1"; echo 1..2; echo "# a: # b"; echo "ok 1 - one: 4 # 5"; echo ok 2
X
program fail <<'X'
echo 1..2; echo "ok 1"; echo "not ok 2 - two"; echo "detail" >&2; exit 1
X
program skip <<'X'
echo 1..2; echo "ok 1"; echo "ok 2 - two # SKIP no such thing"
X
program skip_quietly <<'X'
echo 1..2; echo "ok 1"; echo "ok 2 - two # SKIP"
X
program skip_all <<'X'
echo "1..0 # SKIP no /dev/kvm"; exit 4
X
program skip_all_quietly <<'X'
echo 1..0
X
program todo <<'X'
echo 1..1; echo "not ok 1 - one # TODO some day"
X
program too_few <<'X'
echo 1..3; echo "ok 1"; echo "ok 2"
X
program too_many <<'X'
echo 1..1; echo "ok 1"; echo "ok 2"
X
program no_plan <<'X'
echo "ok 1"
X
program silent </dev/null
program exit_1 <<'X'
echo 1..1; echo "ok 1"; exit 1
X
program exit_4 <<'X'
echo 1..1; echo "ok 1"; exit 4
X
program crash <<'X'
echo 1..2; echo "ok 1"; kill -SEGV $$
X
program quit <<'X'
echo 1..1; kill -QUIT $$; echo "ok 1"
X
program bail <<'X'
echo 1..2; echo "ok 1"; echo "Bail out! broken"; exit 1
X
program hang <<'X'
echo 1..2; echo "ok 1"; sleep 60
X
program hang_closed <<'X'
echo 1..1; echo "ok 1"; exec sleep 60 >&- 2>&-
X
program stubborn <<'X'
trap '' TERM; echo 1..2; echo "ok 1"; while :; do sleep 0.1; done
X
program leftover <<'X'
echo 1..1; echo "ok 1"; sleep 60 &
X
program torn <<'X'
echo 1..1; printf "ok"; echo noise >&2; printf " 1 - one"
X
program long <<'X'
echo 1..1; seq 200; echo "not ok 1"
X
program early <<'X'
echo 1..2; echo "not ok 1 - one"; seq -f '# detail %.0f' 20; seq 200; echo "ok 2"
X

program perl <<'X'
echo 1..1; echo "not ok 1 - one"; echo "#   Failed test 'one'"
echo "#   at one.t line 3."; echo "# because"; echo "# of this"; exit 1
X

it "all pass" counts "2 passed, 0 failed, 0 skipped" 0 pass
it "output without a final newline, in pieces" \
	counts "1 passed, 0 failed, 0 skipped" 0 torn
it "a failed result" counts "1 passed, 1 failed, 0 skipped" 1 fail
it "... is shown with the check's output" \
	says '^  \| detail$' run fail
it "... and again before the last line" says '^  .*/fail: not ok 2 - two$' run fail
it "... of which only the end is shown" \
	says 'output, without its first 122 lines' run long
it "a failed result long before the end" \
	says '^  \| not ok 1 - one$' run early
it "... is shown with its details" says '^  \| # detail 19$' run early
it "... of which the list at the end has some" says '^    # detail 6$' run early
it "... and no more" fails says '^    # detail 7$' run early
it "... and what says no more than the point does is left out" \
	fails says '^    #   (Failed test|at )' run perl
it "... but for that" says '^    # of this$' run perl
it "... and not all of them" fails says '^  \| # detail 20$' run early
it "... and all is kept in a log" grep -qx detail "$scratch"/logs/*-fail.log
it "a skip with a reason" counts "1 passed, 0 failed, 1 skipped" 0 skip
it "... is listed" says '^  .*/skip: skip 2 - two: no such thing$' run skip
it "a skip without" counts "1 passed, 1 failed, 0 skipped" 1 skip_quietly
it "everything skipped, by a benchmark" \
	counts "0 passed, 0 failed, 1 skipped" 0 skip_all
it "everything skipped without a reason" \
	counts "0 passed, 1 failed, 0 skipped" 1 skip_all_quietly
it "a failure that is expected is one" counts "0 passed, 1 failed, 0 skipped" 1 todo
it "fewer results than planned" counts "2 passed, 1 failed, 0 skipped" 1 too_few
it "more results than planned" says '^FAILED' run too_many
it "no plan" counts "1 passed, 1 failed, 0 skipped" 1 no_plan
it "no output" counts "0 passed, 1 failed, 0 skipped" 1 silent
it "an exit status that nothing explains" \
	counts "1 passed, 1 failed, 0 skipped" 1 exit_1
it "the exit status of a skip without a skip" \
	counts "1 passed, 1 failed, 0 skipped" 1 exit_4
it "a crash" says 'killed by SIGSEGV' run crash
ignoring() {
	trap '' QUIT
	"$@"
}

it "... by a signal that our parent ignores" ignoring says 'killed by SIGQUIT' run quit
it "... counts once" counts "1 passed, 1 failed, 0 skipped" 1 crash
it "Bail out!" counts "1 passed, 2 failed, 0 skipped" 1 bail
it "no program" says 'No such file or directory' run absent
it "a hang" counts "1 passed, 1 failed, 0 skipped" 1 limit=2 hang
it "... of which is told what it waits for" \
	says '^    process [0-9]+, 1 S in \w+.*: sleep 60 $' run limit=2 hang
it "... in the list at the end, too" \
	eval 'run limit=2 hang | sed "1,/^Failed:/d" | grep -Eq "^ +process [0-9]+, .*: sleep 60 "'
it "... with closed output" counts "1 passed, 1 failed, 0 skipped" 1 limit=2 hang_closed
it "... that ignores SIGTERM" counts "1 passed, 1 failed, 0 skipped" 1 limit=2 stubborn
it "a process left behind with the output" \
	counts "1 passed, 1 failed, 0 skipped" 1 leftover
it "several" counts "4 passed, 1 failed, 1 skipped" 1 pass fail skip
part() {
	mkdir "$scratch/$1"
	program "$1/check"
}

part one <<'X'
sleep 1.6; echo 1..1; echo ok 1
X
part two <<'X'
echo 1..1; echo ok 1
X
it "parts: how long each takes" says '^ .*/one +[2-9] +0$' run one/check two/check
it "... and each of them" says '^ .*/two +[01] +0$' run one/check two/check
it "... and all" says '^  in all +[2-9] +0$' run one/check two/check
it "of a single part not" fails says '^Seconds' run one/check
part worker <<'X'
echo 1..1; perl -e 'while ((times)[0] < 0.7) { $n++ for 1 .. 1000 }'; echo ok 1
X
it "... and what CPU time" says '^ .*/worker +[1-9][0-9]* +[1-9]$' run one/check worker/check

# ---- several at a time ----

# Each waits for a word of the other's, twice.
for pair in "left right" "right left"; do
	read -r one other <<<"$pair"
	program "$one" <<-X
	echo 1..2; touch $scratch/from.$one
	while ! [ -e $scratch/from.$other ]; do sleep 0.02; done
	seq -f '# $one %.0f' 3000; echo "ok 1"; touch $scratch/to.$one
	while ! [ -e $scratch/to.$other ]; do sleep 0.02; done
	seq -f '# $one %.0f' 3001 6000; echo "ok 2 - $one"
	X
done
program slow <<X
touch $scratch/busy; sleep 0.7; rm $scratch/busy; echo 1..1; echo "ok 1"
X
program slower <<'X'
sleep 5; echo 1..1; echo "ok 1"
X
# Whoever is beside it is met: it is patient until that one has looked for it.
program patient <<X
touch $scratch/busy; until [ -e $scratch/looked ]; do sleep 0.02; done
rm $scratch/busy; echo 1..1; echo "ok 1"
X
program alone <<X
for i in 1 2 3 4 5 6 7 8 9 10; do [ -e $scratch/busy ] || sleep 0.1; done
echo 1..1; [ ! -e $scratch/busy ] || printf "not "; echo "ok 1"; touch $scratch/looked
X
for name in first second; do
	program "$name" <<-X
	echo \$\$ >$scratch/pid.$name; echo 1..1; exec sleep 60
	X
done
program brief <<X
echo \$\$ >$scratch/pid.brief; echo 1..1; echo "ok 1"
X

# together [jobs=N] PROGRAM...: without what the last time left
together() {
	rm -f "$scratch"/{from,to}.* "$scratch"/{busy,looked}
	run "$@"
}

is_whole() {
	seq -f "# $1 %.0f" 6000 | diff - <(grep '^#' "$scratch"/logs/*-"$1".log)
}

in_order() {
	local found

	found=$(together jobs=2 "$@" | sed -En 's,^(ok|FAILED) .*/(\w+) .* s$,\2,p' | xargs)
	echo "order: $found"
	[ "$found" = "$(printf '%s\n' "$@" | grep -v = | xargs)" ]
}

# ends_all SIGNAL: with another one that has ended, and with its turn to come.
ends_all() {
	local run status=0 name

	rm -f "$scratch"/pid.*
	check/run --logs "$scratch/logs" --jobs 3 "$scratch"/{first,brief,second} \
		>"$scratch/text" 2>&1 &
	run=$!
	for name in first brief second; do
		until [ -s "$scratch/pid.$name" ]; do
			sleep 0.02
		done
	done
	while kill -0 "$(cat "$scratch/pid.brief")" 2>/dev/null; do
		sleep 0.02
	done
	sleep 0.5
	kill -"$1" $run
	wait $run || status=$?
	cat "$scratch/text"
	[ $status -eq 130 ]
	says '^interrupted$' cat "$scratch/text"
	says '^ok .*/brief ' cat "$scratch/text"
	for name in first second; do
		fails says "/$name" cat "$scratch/text"
		fails kill -0 "$(cat "$scratch/pid.$name")"
	done
}

it "two at a time" says '^4 passed, 0 failed' together jobs=2 left right
it "... the first one's output is whole" is_whole left
it "... and so is the other's" is_whole right
it "one after another, these do not end" says '^1 passed, 2 failed' \
	together limit=1 left right
it "... and are found not to be whole" fails is_whole left
it "the order stays" in_order slow pass fail
it "... whoever is first" in_order pass slow fail limit=2 hang
it "three, where two fit" says '^4 passed, 0 failed, 1 skipped$' \
	together jobs=2 slow pass skip
it "one that fails beside another that does not" \
	says '^2 passed, 1 failed, 0 skipped$' together jobs=2 slow fail
it "... which is the one" says '^FAILED .*/fail ' together jobs=2 slow fail
it "one that hangs, too" says '^3 passed, 1 failed, 0 skipped$' \
	together jobs=2 limit=2 hang limit=10 pass
it "... or that ignores SIGTERM" says '^3 passed, 1 failed, 0 skipped$' \
	together jobs=2 pass limit=2 stubborn
it "of two each has twice the time" says '^2 passed, 0 failed' \
	together jobs=2 limit=4 slower slow
it "... and one alone not" says '^0 passed, [1-9] failed' together limit=4 slower
it "one alone waits for all" says '^2 passed, 0 failed' \
	together jobs=2 slow jobs=1 alone
it "... and is waited for" says '^2 passed, 0 failed' \
	together slow jobs=2 alone
it "... which those beside others are not" says '^1 passed, 1 failed' \
	together jobs=2 patient alone
for signal in INT TERM HUP; do
	it "SIG$signal ends all of them" ends_all $signal
done
# ---- those that get another try ----

# Each fails once, or as often as it is run, and says when it does so.
for name in shy shier shyer shyest; do
	program "$name" <<-X
	echo 1..2; echo "ok 1"; echo $name >>$scratch/runs
	[ -e $scratch/done.$name ] || printf "not "; echo "ok 2 - $name"; echo "# busy"
	touch $scratch/done.$name; [ ! -e $scratch/busy ] || echo "# not alone"
	X
done

# anew WORD...: with none of them done
anew() {
	rm -f "$scratch"/{done.*,runs,busy,logs/*}
	run "$@"
}

it "one that fails once" says '^1 passed, 1 failed, 0 skipped$' anew shy
it "... passes when it is run again" says '^2 passed, 0 failed, 0 skipped$' anew tries=2 shy
it "... which is said at once" says '^AGAIN .*/shy .*it will be run again$' anew tries=2 shy
it "... and at the end" says '^  .*/shy: not ok 2 - shy$' anew tries=2 shy
it "... with the reason" says '^    # busy$' anew tries=2 shy
it "... and both have a log" grep -qx "ok 2 - shy" "$scratch"/logs/*-shy.again.log
it "... of their own" grep -qx "not ok 2 - shy" "$scratch"/logs/*-shy.log
it "one that fails twice" counts "1 passed, 1 failed, 0 skipped" 1 tries=2 fail
it "one that passes is not run again" anew tries=2 pass shy
it "... and that is seen" grep -qx shy "$scratch/runs"
it "after all others and alone" says '^7 passed, 0 failed' \
	anew jobs=2 tries=2 slow shy shier pass
it "... each of which is" fails grep -l "not alone" "$scratch"/logs/*.again.log
it "three are run again" says '^7 passed, 0 failed' anew tries=2 shy shier shyer tries=1 slow
it "... but no more" says '^7 passed, 1 failed' anew tries=2 shy shier shyer shyest
it "... which are not hidden" says '^FAILED .*/shyest ' anew tries=2 shy shier shyer shyest
it "one that crashes" counts "1 passed, 1 failed, 0 skipped" 1 tries=2 crash
it "no number of jobs" exits 2 check/run --jobs 0 "$scratch/pass"

it "without logs" says "^1 passed, 1 failed" check/run "$scratch/fail"
it "nothing to run" counts "0 passed, 1 failed, 0 skipped" 1
done_testing
