/* SPDX-License-Identifier: GPL-2.0-only */
#include "arch.h"

/*
 * KVM_X86_QUIRK_*: Documentation/virt/kvm/api.rst 7.31 has the names, the
 * kernel's arch/x86/include/uapi/asm/kvm.h the bits. By number, because most
 * are newer than the oldest headers.
 */
const struct arch_quirk arch_quirks[] = {
	{ "lint0-reenabled", BIT(0) },
	{ "cd-nw-cleared", BIT(1) },
	{ "lapic-mmio-hole", BIT(2) },
	{ "out-7e-inc-rip", BIT(3) },
	{ "misc-enable-no-mwait", BIT(4) },
	{ "fix-hypercall-insn", BIT(5) },
	{ "mwait-never-ud-faults", BIT(6) },
	{ "slot-zap-all", BIT(7) },
	{ "stuff-feature-msrs", BIT(8) },
	{ "ignore-guest-pat", BIT(9) },
	{ NULL, 0 },
};

const char *arch_zap_all_quirk(void)
{
	return "slot-zap-all";
}
