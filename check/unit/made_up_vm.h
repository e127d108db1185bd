/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * As much of a VM as functions need that only compute: control memory and the
 * areas of vCPUs. No KVM is behind it.
 */
#ifndef KVMETER_CHECK_MADE_UP_VM_H
#define KVMETER_CHECK_MADE_UP_VM_H

#include <sys/mman.h>
#include "util.h"
#include "vm.h"

#define MADE_UP_RESERVE MIB(256)

static inline void made_up_vm_init(struct vm *vm, unsigned int nr_vcpus)
{
	*vm = (struct vm){ .nr_vcpus = nr_vcpus };
	vm->control = mmap(NULL, MADE_UP_RESERVE, PROT_NONE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (vm->control == MAP_FAILED)
		die("no memory for a made-up VM");
	vm->vcpus = xcalloc(nr_vcpus, sizeof(*vm->vcpus));
	for (u32 i = 0; i < nr_vcpus; i++) {
		struct vcpu *vcpu = &vm->vcpus[i];

		vcpu->vm = vm;
		vcpu->index = i;
		vcpu->area = vm_alloc(vm, GUEST_AREA_BYTES, GUEST_AREA_BYTES);
		vcpu->area_gva = vm_gva(vm, vcpu->area);
	}
}

static inline void made_up_vm_fini(struct vm *vm)
{
	munmap(vm->control, MADE_UP_RESERVE);
	free(vm->vcpus);
}

#endif
