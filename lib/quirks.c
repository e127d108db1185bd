/* SPDX-License-Identifier: GPL-2.0-only */
#include <string.h>
#include <unistd.h>

#include "arch.h"
#include "kvm_ioctl.h"
#include "quirks.h"
#include "util.h"

static const struct arch_quirk *find_quirk(const char *name, size_t len)
{
	const struct arch_quirk *q;

	for (q = arch_quirks; q->name; q++)
		if (strlen(q->name) == len && strncmp(q->name, name, len) == 0)
			return q;
	return NULL;
}

/* Words of what names are made of, between commas. */
static bool is_list(const char *list)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-";
	size_t len = strspn(list, letters);

	while (len && list[len] == ',') {
		list += len + 1;
		len = strspn(list, letters);
	}
	return len && !list[len];
}

/* Bits of the names in @list; false if one of them is unknown. */
static bool parse(const char *list, u64 *bits)
{
	const struct arch_quirk *q;
	size_t len;

	*bits = 0;
	for (; list; list = list[len] ? list + len + 1 : NULL) {
		len = strcspn(list, ",");
		q = find_quirk(list, len);
		if (!q)
			return false;
		*bits |= q->bit;
	}
	return true;
}

bool quirks_valid(const char *list)
{
	u64 bits;

	return is_list(list) && (!arch_quirks[0].name || parse(list, &bits));
}

/* Bits of those that a VM of this KVM can do without. */
static u64 supported(int kvm_fd)
{
	return (u32)kvm_has(kvm_fd, KVM_CAP_DISABLE_QUIRKS2);
}

void quirks_require(int kvm_fd, const char *list)
{
	const struct arch_quirk *q;
	u64 bits, there;

	if (!list)
		return;
	if (!arch_quirks[0].name)
		skip("--disable-quirks %s: KVM has no quirks on this "
		     "architecture: leave it out",
		     list);
	parse(list, &bits);
	there = supported(kvm_fd);
	if (!there)
		skip("--disable-quirks %s: this kernel has no "
		     "KVM_CAP_DISABLE_QUIRKS2: take a newer one",
		     list);
	for (q = arch_quirks; q->name; q++)
		if (bits & q->bit & ~there)
			skip("--disable-quirks %s: this KVM cannot do without "
			     "%s: take a newer kernel; some CPUs need none",
			     list, q->name);
}

const char *quirks_missing(int kvm_fd, const char *list)
{
	u64 bits;

	if (!list)
		return NULL;
	if (!arch_quirks[0].name)
		return "KVM has no quirks on this architecture";
	parse(list, &bits);
	if (!supported(kvm_fd))
		return "this kernel has no KVM_CAP_DISABLE_QUIRKS2 (Linux "
		       "5.18)";
	return bits & ~supported(kvm_fd) ?
		       "this KVM cannot do without a quirk that it names: "
		       "take a newer kernel" :
		       NULL;
}

bool quirks_include(const char *list, const char *name)
{
	size_t len;

	for (; list; list = list[len] ? list + len + 1 : NULL) {
		len = strcspn(list, ",");
		if (strlen(name) == len && strncmp(list, name, len) == 0)
			return true;
	}
	return false;
}

void quirks_disable(int vm_fd, const char *list)
{
	struct kvm_enable_cap cap = { .cap = KVM_CAP_DISABLE_QUIRKS2 };
	u64 bits;

	if (!list)
		return;
	parse(list, &bits);
	cap.args[0] = bits;
	kvm_ioctl(vm_fd, KVM_ENABLE_CAP, &cap);
}

void quirks_list(FILE *out)
{
	const struct arch_quirk *q;
	int kvm_fd;
	u64 there;

	if (!arch_quirks[0].name) {
		fputs("KVM has no quirks on this architecture\n", out);
		return;
	}
	kvm_fd = kvm_open();
	there = supported(kvm_fd);
	close(kvm_fd);
	for (q = arch_quirks; q->name; q++)
		fprintf(out, "%-24s %s\n", q->name,
			there & q->bit ? "can be disabled" :
					 "this KVM cannot do without");
}
