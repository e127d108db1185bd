/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What KVM does in its own way for the sake of old user space, and a VM can be
 * without: KVM_CAP_DISABLE_QUIRKS2, Documentation/virt/kvm/api.rst. A list of
 * quirks is their names with commas, as in --disable-quirks; NULL: none. Main
 * thread only.
 */
#ifndef KVMETER_QUIRKS_H
#define KVMETER_QUIRKS_H

#include <stdio.h>
#include "types.h"

/*
 * Where the port has no quirks, names are not looked at: quirks_require()
 * skips.
 */
bool quirks_valid(const char *list);

/* Skips if this KVM cannot do without one of a valid list. */
void quirks_require(int kvm_fd, const char *list);

/* Why this KVM cannot do without one of a valid list; NULL if it can. Static
 * storage. */
const char *quirks_missing(int kvm_fd, const char *list);

/* Is the quirk of that name in the list? */
bool quirks_include(const char *list, const char *name);

/* Of a VM that has no vCPU yet. What was required is there. */
void quirks_disable(int vm_fd, const char *list);

/* All of the port, and which of them this host's KVM has. */
void quirks_list(FILE *out);

#endif
