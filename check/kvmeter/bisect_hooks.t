#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The hooks of tools/bisect, with a made-up kernel source, and with an ssh, an rsync
# and a test machine that are a few lines of shell: what is copied, booted and
# brought back, and how it ends when the machine does not come up.
. check/tap.sh

top=$PWD
hooks=$top/tools/bisect
mkdir -p "$scratch/bin"

# program NAME: one of the made-up ones, from standard input
program() {
	{
		echo '#!/bin/sh'
		cat
	} >"$scratch/bin/$1"
	chmod +x "$scratch/bin/$1"
}

# ---- help ----

for hook in "$hooks"/*-*; do
	it "$(basename "$hook") --help" says "Exit: 0" exits 0 "$hook" --help
done

# ---- build-kernel ----

kernel=$scratch/kernel
mkdir -p "$kernel/arch/x86/boot" "$scratch/empty"
touch "$kernel/Kconfig"
cat >"$kernel/Makefile" <<'END'
all: ;
%:
	@echo "$@ modules=$(INSTALL_MOD_PATH)" >>log
	@test "$@" != "$(BREAK)"
	@test "$@" != modules_install || mkdir -p $(INSTALL_MOD_PATH)/lib/modules/6.99-test
END

# build [VARIABLE=VALUE...]: in the made-up source
build() {
	rm -f "$kernel/log"
	(cd "$kernel" && "$hooks/build-kernel" "$@")
}

targets() {
	cut -d' ' -f1 "$kernel/log" | tr '\n' ' '
}

builds() {
	local wanted=$1

	shift
	build "$@"
	echo "made: $(targets)"
	[ "$(targets)" = "$wanted" ]
}

it "build-kernel: no configuration" exits 126 build
echo 'CONFIG_MODULES=y' >"$kernel/.config"
it "build-kernel: image, modules, and where they go" \
	builds "olddefconfig bzImage modules modules_install " ARCH=x86_64
it "build-kernel: where boot-qemu finds them" \
	test -d "$kernel/kvmeter-modules/lib/modules/6.99-test"
it "build-kernel: arm64" \
	builds "olddefconfig Image modules modules_install " ARCH=arm64
: >"$kernel/.config"
it "build-kernel: without modules" builds "olddefconfig bzImage " ARCH=x86_64
it "build-kernel: old modules are gone" test ! -e "$kernel/kvmeter-modules"
echo 'CONFIG_MODULES=y' >"$kernel/.config"
it "build-kernel: a commit that does not compile" exits 2 build ARCH=x86_64 BREAK=bzImage
it "build-kernel: nothing is built after that" test "$(targets)" = "olddefconfig bzImage "
it "build-kernel: not a source" exits 126 sh -c "cd '$scratch/empty' && '$hooks/build-kernel'"
it "build-kernel: not a variable" exits 126 build all

# ---- boot-qemu: what needs no machine ----

boot_qemu() {
	(cd "$kernel" && KVMETER_RESULT=$scratch/result "$hooks/boot-qemu" "$@")
}

it "boot-qemu: no kernel" says "build it, or say KERNEL_IMAGE" \
	exits 126 boot_qemu x86_64-npt -- true
it "boot-qemu: no machine" exits 126 boot_qemu nothing KERNEL=6.12 -- true
it "boot-qemu: no settings" says "cannot be read" \
	exits 126 boot_qemu -f none x86_64-npt -- true
echo "words" >"$scratch/settings"
it "boot-qemu: what is no setting" says "'words' is no NAME=VALUE" \
	exits 126 boot_qemu -f "$scratch/settings" x86_64-npt -- true

# ---- ssh-host ----

# The machine: its files, its boot, its kernel; what happens when it boots.
machine=$scratch/machine
export MACHINE=$machine KVMETER_POLL=0.1
mkdir -p "$kernel/include/config"
echo 6.99-test >"$kernel/include/config/kernel.release"
echo the kernel >"$kernel/arch/x86/boot/bzImage"
build ARCH=x86_64 >/dev/null

program ssh <<'END'
[ -e $MACHINE/on ] || {
	# up at the next attempt
	[ ! -e $MACHINE/rebooting ] || mv $MACHINE/rebooting $MACHINE/on
	exit 255
}
while [ $# -gt 0 ]; do
	case $1 in
	-o) shift ;;
	-*) exit 255 ;;
	*) break ;;
	esac
	shift
done
[ "$1" = root@box ] || exit 255
command=$(printf '%s' "$2" | sed "s,/lib/modules,$MACHINE&,g; s,/boot/,$MACHINE&,g;
	s,/proc/sys/kernel/random/boot_id,$MACHINE/boot_id,; s,/proc/cmdline,$MACHINE/cmdline,")
PATH=$MACHINE/bin:$PATH exec sh -c "$command"
END
program rsync <<'END'
echo "rsync $*" >>$MACHINE/log
[ "$1 $2 $3" = "-a --delete -e" ] || exit 1
shift 4
for to; do :; done
to=$(echo "${to#root@box:}" | sed "s,^/lib/modules,$MACHINE&,")
while [ $# -gt 1 ]; do
	cp -r "$1" "$to" || exit
	shift
done
END

# on_machine NAME: a program there, from standard input
on_machine() {
	{
		echo '#!/bin/sh'
		echo "echo $1 \"\$@\" >>$machine/log"
		cat
	} >"$machine/bin/$1"
	chmod +x "$machine/bin/$1"
}

# fresh_machine WHAT: one that boots into what was asked for, "old", or "nothing"
# shellcheck disable=SC2016 # for the programs there
fresh_machine() {
	rm -rf "$machine"
	mkdir -p "$machine/bin" "$machine/boot/grub" "$machine/lib"
	touch "$machine/on"
	echo boot-1 >"$machine/boot_id"
	echo 6.1-old >"$machine/release"
	echo 'BOOT_IMAGE=/vmlinuz root=/dev/sda1 quiet' >"$machine/cmdline"
	cat >"$machine/booted" <<-END
		case $1 in
		nothing) rm $machine/on ;;
		old) echo boot-2 >$machine/boot_id ;;
		*)
			echo boot-2 >$machine/boot_id
			echo 6.99-test >$machine/release
			;;
		esac
	END
	on_machine uname <<<"cat $machine/release"
	on_machine depmod <<<true
	on_machine mkinitramfs <<<'echo initrd >"$2"'
	on_machine kexec <<<true
	on_machine systemctl <<<". $machine/booted"
	on_machine reboot <<<". $machine/booted"
	on_machine grub-reboot <<<true
	on_machine grub-probe <<<'echo 1234-uuid'
	on_machine grub-mkrelpath <<<'echo "/rel$1"'
	on_machine sync <<<true
}

# ssh_boot [OPTION...]
ssh_boot() {
	(cd "$kernel" && PATH=$scratch/bin:$PATH "$hooks/ssh-host" boot \
		--dir "$machine/dir" --wait "${WAIT:-60}" "$@" root@box)
}

logged() {
	cat "$machine/log"
	grep -Eq -e "$1" "$machine/log"
}

fresh_machine new
it "ssh-host boot: kexec" says "^root@box: Linux 6.99-test" exits 0 ssh_boot
it "... of the kernel that was built" grep -qx "the kernel" "$machine/dir/vmlinuz"
it "... with its modules" test -d "$machine/lib/modules/6.99-test"
it "... and an initramfs" logged '^mkinitramfs -o .*/dir/initrd 6\.99-test$'
it "... with the command line of before" \
	logged '^kexec -l .*/dir/vmlinuz --initrd=.* --command-line=root=/dev/sda1 quiet$'
fresh_machine new
it "ssh-host boot: a command line" exits 0 ssh_boot --cmdline "root=/dev/sdb it's"
it "... reaches it" logged "command-line=root=/dev/sdb it's\$"
fresh_machine new
it "ssh-host boot: GRUB" exits 0 ssh_boot --via grub
it "... once" logged '^grub-reboot kvmeter-bisect$'
it "... its entry" grep -q '^linux /rel.*/dir/vmlinuz root=/dev/sda1 quiet$' \
	"$machine/boot/grub/custom.cfg"
it "... its root" grep -q 'set=root 1234-uuid$' "$machine/boot/grub/custom.cfg"
fresh_machine new
echo "menuentry mine" >"$machine/boot/grub/custom.cfg"
it "ssh-host boot: somebody's own entries" exits 126 ssh_boot --via grub
it "... are kept" grep -qx "menuentry mine" "$machine/boot/grub/custom.cfg"
fresh_machine old
it "ssh-host boot: the old kernel again" says "6.1-old is up, not 6.99-test" exits 1 ssh_boot
WAIT=3
fresh_machine nothing
it "ssh-host boot: nothing comes up" says "not back within 3 s; no --reset" exits 126 ssh_boot
fresh_machine nothing
it "ssh-host boot: nothing, but a reset helps" says "did not come up .* it was reset" \
	exits 1 ssh_boot --reset "touch $machine/on; echo boot-3 >$machine/boot_id"
fresh_machine nothing
it "ssh-host boot: nor does a reset" says "lost" exits 126 ssh_boot --reset true
fresh_machine new
rm "$machine/on"
it "ssh-host boot: no machine" says "not back within 3 s; no --reset" exits 126 ssh_boot
it "... nor after a reset" says "lost" exits 126 ssh_boot --reset true

# The commit before has died under the benchmark.
it "ssh-host boot: a reset brings it back" says "^root@box: Linux 6.99-test" \
	exits 0 ssh_boot --reset "touch $machine/on"
WAIT=
fresh_machine new
mv "$machine/on" "$machine/rebooting"
it "ssh-host boot: it reboots by itself" says "^root@box: Linux 6.99-test" exits 0 ssh_boot
fresh_machine new
on_machine kexec <<<'exit 1'
it "ssh-host boot: a kernel that is refused" says "cannot be started" exits 1 ssh_boot
it "ssh-host boot: no way" exits 126 ssh_boot --via ether
it "ssh-host boot: no time" exits 126 ssh_boot --wait soon

# ssh_run [ARGUMENT...]
ssh_run() {
	rm -f "$scratch/result"
	KVMETER_RESULT=$scratch/result PATH=$scratch/bin:$PATH \
		"$hooks/ssh-host" run --dir "$machine/dir" "$@"
}

cat >"$scratch/bench" <<'END'
#!/bin/sh
echo "bench $*" >>$MACHINE/log
[ "$2" = --json ] && echo "{ }" >"$3"
exit $1
END
chmod +x "$scratch/bench"
fresh_machine new
it "ssh-host run" exits 0 ssh_run --copy "$scratch/bench" root@box -- ./bench 0
it "... where it was told to" logged '^bench 0 --json results\.json$'
it "... its results" grep -qx "{ }" "$scratch/result"
it "ssh-host run: it fails" exits 1 ssh_run root@box -- ./bench 1
it "... and leaves nothing" test ! -e "$scratch/result"
it "ssh-host run: it skips" exits 4 ssh_run root@box -- ./bench 4
it "ssh-host run: a typing error" exits 126 ssh_run root@box -- ./bench 2
it "ssh-host run: the connection breaks" says "connection broke" \
	exits 1 ssh_run root@box -- ./bench 255
it "ssh-host run: not there" exits 127 ssh_run root@box -- ./walk
rm "$machine/on"
it "ssh-host run: dead after its boot" says "no connection" exits 1 \
	ssh_run root@box -- ./bench 0

# The same words of what is wrong.
fresh_machine new
it "a machine that does not boot is noticed" fails says "Linux 6.99-test" exits 0 \
	ssh_boot --via ether
it "what was not done is noticed" fails logged '^kexec -l'
done_testing
