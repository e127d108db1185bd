# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh

# run NAME COMMAND...: $OUTPUT gets NAME.tap, NAME.json, NAME.status
run() {
	name=$1
	shift
	echo "# $*"
	{
		"$@" --json "$OUTPUT/$name.json" </dev/null
		echo $? >"$OUTPUT/$name.status"
	} | tee "$OUTPUT/$name.tap"
}
