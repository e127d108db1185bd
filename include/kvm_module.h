/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel module that drives KVM here. Those of all vendors may be built in,
 * and then they all have parameters, but only that of the CPU works.
 */
#ifndef KVMETER_KVM_MODULE_H
#define KVMETER_KVM_MODULE_H

#include "types.h"

#define MODULES "/sys/module"

/*
 * "kvm_intel", to be freed; NULL: none but kvm itself, or nobody can tell.
 * @root stands for "/" of a made-up host, it is "" for this one.
 */
char *kvm_module_name(const char *root);

/* What would bring KVM to this CPU; NULL: unknown. Static storage. */
const char *kvm_module_of_cpu(const char *root);

/* Has that module a parameter of this name, and is it on? */
bool kvm_module_switch(const char *root, const char *name);

#endif
