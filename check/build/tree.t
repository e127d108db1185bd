#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The tree as somebody else gets it: a clean clone, with little installed,
# builds anywhere and leaves the sources alone.
. check/build/build.sh

# Everything that building may use; perl, python and the like are not there. If
# gcc is ccache, that has to be told where the compiler is.
mapfile -t ccache < <(env | grep '^CCACHE_')
ccache+=(CCACHE_PATH="$PATH")
bare_path() {
	local tool

	mkdir "$scratch/bin"
	for tool in make gcc as ld ar sh uname find mkdir rm cmp printf; do
		ln -s "$(type -P $tool)" "$scratch/bin/$tool"
	done
}

# in_clone COMMAND [ARGUMENT...]
in_clone() {
	(cd "$scratch/clone" && "$@")
}

little_make() {
	in_clone env -i PATH="$scratch/bin" "${ccache[@]}" make -j"$(nproc)" "$@"
}

# The sources are as they were; build/ alone is ignored.
untouched() {
	[ -z "$(in_clone git status --porcelain --ignored "$@")" ]
}

newest() {
	find "$scratch/elsewhere" -type f -printf '%T@ %p\n' | sort -n | tail -n 1
}

nothing_to_do() {
	local before after

	before=$(newest)
	little_make O="$scratch/elsewhere"
	after=$(newest)
	echo "$before, then $after"
	[ "$before" = "$after" ]
}

# Other flags reach what was built already.
sanitized() {
	local test

	little_make O="$scratch/elsewhere" SANITIZE=address CFLAGS=-O0
	for test in $(benchmarks); do
		says __asan_init nm "$scratch/elsewhere/$ARCH/tests/$test"
	done
}

not_sanitized() {
	local test

	little_make O="$scratch/elsewhere"
	for test in $(benchmarks); do
		fails says __asan nm "$scratch/elsewhere/$ARCH/tests/$test"
	done
}

installs() {
	local test destination=$scratch/destination

	little_make O="$scratch/elsewhere"
	in_clone make O="$scratch/elsewhere" install \
		PREFIX=/opt/kvmeter DESTDIR="$destination"
	for test in $(benchmarks); do
		says "^$test \(kvmeter\)" \
			"$destination/opt/kvmeter/bin/$test" --version
		cmp tools/completion.bash "$destination/opt/kvmeter/share/bash-completion/completions/$test"
		cmp "doc/$test.1" "$destination/opt/kvmeter/share/man/man1/$test.1"
	done
}

if ! git rev-parse --git-dir >/dev/null 2>&1; then
	skip_all "not a git repository: nothing to clone"
fi
git clone -q . "$scratch/clone"
bare_path
ARCH=$(uname -m)

it "a clone builds with a compiler and little else" \
	little_make O="$scratch/elsewhere"
it "... and leaves the sources alone" untouched
it "the programs start" all_start elsewhere
it "there is nothing to do a second time" nothing_to_do
it "other flags make all of it anew" sanitized
it "... and back" not_sanitized
it "installs" installs
it "without O= it builds in build/" little_make
it "... and only there" untouched ':!build'
it "clean" in_clone make clean
it "... leaves nothing" fails ls "$scratch/clone/build/$ARCH"
it "an architecture without a port is refused by name" \
	says 'ARCH=vax: no such port: .*x86_64' in_clone make ARCH=vax
it "help says what there is" says '^make bench ' in_clone make help
done_testing
