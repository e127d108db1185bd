/* SPDX-License-Identifier: GPL-2.0-only */
#include <string.h>

#include "arch.h"
#include "arch_cpu.h"
#include "util.h"

/* Without LPA2 or 64K pages; and what PXXV48_4K takes at most. */
#define PA_BITS_PLAIN 48
#define PA_BITS_LARGE 52

/* clang-format off */
const struct guest_mode arch_guest_modes[] = {
	{ .id = 9,  .name = "PXXV48_4K",  .va_bits = 48, .page_bytes = KIB(4) },
	{ .id = 0,  .name = "P52V48_4K",  .va_bits = 48, .pa_bits = 52, .page_bytes = KIB(4) },
	{ .id = 1,  .name = "P52V48_16K", .va_bits = 48, .pa_bits = 52, .page_bytes = KIB(16) },
	{ .id = 2,  .name = "P52V48_64K", .va_bits = 48, .pa_bits = 52, .page_bytes = KIB(64) },
	{ .id = 3,  .name = "P48V48_4K",  .va_bits = 48, .pa_bits = 48, .page_bytes = KIB(4) },
	{ .id = 4,  .name = "P48V48_16K", .va_bits = 48, .pa_bits = 48, .page_bytes = KIB(16) },
	{ .id = 5,  .name = "P48V48_64K", .va_bits = 48, .pa_bits = 48, .page_bytes = KIB(64) },
	{ .id = 6,  .name = "P40V48_4K",  .va_bits = 48, .pa_bits = 40, .page_bytes = KIB(4) },
	{ .id = 7,  .name = "P40V48_16K", .va_bits = 48, .pa_bits = 40, .page_bytes = KIB(16) },
	{ .id = 8,  .name = "P40V48_64K", .va_bits = 48, .pa_bits = 40, .page_bytes = KIB(64) },
	{ .id = 12, .name = "P36V48_4K",  .va_bits = 48, .pa_bits = 36, .page_bytes = KIB(4) },
	{ .id = 13, .name = "P36V48_16K", .va_bits = 48, .pa_bits = 36, .page_bytes = KIB(16) },
	{ .id = 14, .name = "P36V48_64K", .va_bits = 48, .pa_bits = 36, .page_bytes = KIB(64) },
	{ .id = 20, .name = "P47V47_16K", .va_bits = 47, .pa_bits = 47, .page_bytes = KIB(16) },
	{ .id = 15, .name = "P36V47_16K", .va_bits = 47, .pa_bits = 36, .page_bytes = KIB(16) },
	{ .name = NULL }
};
/* clang-format on */

/*
 * ID_AA64MMFR0_EL1 says by field what a granule can: Arm ARM D19.2.64. As
 * 4-bit values: not there, there, there with 52-bit addresses.
 */
static const struct granule {
	u64 page_bytes;
	unsigned int shift;
	unsigned int there, large; /* large 0: needs nothing more */
	const char *missing, *small;
} granules[] = {
	{ KIB(4), 28, 0, 1, "this CPU has no 4K granule: choose another --mode",
	  "this CPU has no 52-bit addresses (LPA2) with 4K pages: choose "
	  "another --mode" },
	{ KIB(16), 20, 1, 2,
	  "this CPU has no 16K granule: choose another --mode",
	  "this CPU has no 52-bit addresses (LPA2) with 16K pages: choose "
	  "another --mode" },
	{ KIB(64), 24, 0, 0,
	  "this CPU has no 64K granule: choose another --mode", NULL },
};

static const char *granule_missing(u64 features, const struct guest_mode *mode)
{
	for (size_t i = 0; i < ARRAY_SIZE(granules); i++) {
		const struct granule *g = &granules[i];
		unsigned int field = features >> g->shift & 0xf;

		if (g->page_bytes != mode->page_bytes)
			continue;
		/* 0xf: not there where 0 means there */
		if (field == 0xf || field < g->there)
			return g->missing;
		if (mode->pa_bits == PA_BITS_LARGE && field < g->large)
			return g->small;
		return NULL;
	}
	return "kvmeter does not know this granule";
}

const char *arch_mode_missing(int kvm_fd, const struct guest_mode *mode)
{
	if (mode->pa_bits > cpu_ipa_bits(kvm_fd))
		return "this KVM offers fewer guest physical address bits "
		       "(KVM_CAP_ARM_VM_IPA_SIZE): choose another --mode";
	return granule_missing(cpu_memory_features(kvm_fd), mode);
}

unsigned int arch_pa_bits(int kvm_fd, const struct guest_mode *mode)
{
	return mode->pa_bits ? mode->pa_bits :
			       min_u64(cpu_ipa_bits(kvm_fd), PA_BITS_PLAIN);
}

unsigned long arch_vm_type(int kvm_fd, const struct guest_mode *mode)
{
	/* older kernels know only type 0, which means 40 bits */
	if (!kvm_has(kvm_fd, KVM_CAP_ARM_VM_IPA_SIZE))
		return 0;
	return KVM_VM_TYPE_ARM_IPA_SIZE(arch_pa_bits(kvm_fd, mode));
}
