/* SPDX-License-Identifier: GPL-2.0-only */
#include <string.h>

#include "mmio.h"
#include "util.h"

static bool overlap(const struct mmio_range *a, const struct mmio_range *b)
{
	return a->gpa < b->gpa + b->bytes && b->gpa < a->gpa + a->bytes;
}

void mmio_add(struct vm *vm, const struct mmio_range *range)
{
	if (vm->started)
		die("an MMIO range comes before the VM has started");
	for (unsigned int i = 0; i < vm->nr_mmio; i++)
		if (overlap(range, &vm->mmio[i]))
			die("MMIO ranges at %#llx and %#llx overlap",
			    (unsigned long long)vm->mmio[i].gpa,
			    (unsigned long long)range->gpa);
	vm->mmio = xrealloc(vm->mmio, vm->nr_mmio + 1, sizeof(*vm->mmio));
	vm->mmio[vm->nr_mmio++] = *range;
}

static const struct mmio_range *find(const struct vm *vm, u64 gpa, u32 bytes)
{
	for (unsigned int i = 0; i < vm->nr_mmio; i++) {
		const struct mmio_range *range = &vm->mmio[i];
		u64 offset = gpa - range->gpa;

		if (offset < range->bytes && bytes <= range->bytes - offset)
			return range;
	}
	return NULL;
}

/* Every architecture that KVM's MMIO exits are used on here is little endian.
 */
bool mmio_answer(struct vcpu *vcpu)
{
	struct kvm_run *run = vcpu->run;
	const struct mmio_range *range;
	struct mmio_access access;

	if (run->exit_reason != KVM_EXIT_MMIO ||
	    run->mmio.len > sizeof(access.value))
		return false;
	range = find(vcpu->vm, run->mmio.phys_addr, run->mmio.len);
	if (!range)
		return false;
	access = (struct mmio_access){
		.vcpu = vcpu->index,
		.offset = run->mmio.phys_addr - range->gpa,
		.bytes = run->mmio.len,
		.is_write = run->mmio.is_write,
	};
	if (access.is_write)
		memcpy(&access.value, run->mmio.data, access.bytes);
	range->access(range->arg, &access);
	/* KVM hands it to the guest at the next KVM_RUN */
	if (!access.is_write)
		memcpy(run->mmio.data, &access.value, access.bytes);
	return true;
}
