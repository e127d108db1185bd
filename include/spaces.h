/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The host's part of address spaces that a guest makes by itself
 * (guest/space.h): what they are made of, in control memory.
 */
#ifndef KVMETER_SPACES_H
#define KVMETER_SPACES_H

#include "vm.h"

/* Names of enum space_invalidation that a user may ask for, ended by NULL. */
extern const char *const space_invalidation_names[];

/* Pages that a space of a guest mode may have; as many may be shared. */
u32 spaces_pages(const struct guest_mode *mode);

/*
 * Before vm_start(): struct guest_spaces for each vCPU, one after another, with
 * tables for one space at a time. Returns their GVA. They go with the VM. With
 * @local other vCPUs are never told of an invalidation, to see that it is
 * noticed.
 */
u64 spaces_alloc(struct vm *vm, enum space_invalidation how, bool local);

#endif
