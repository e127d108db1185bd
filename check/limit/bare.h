/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The bare program: what its neutral half and its port know of each other.
 * Shares nothing with kvmeter's library on purpose.
 */
#ifndef CHECK_LIMIT_BARE_H
#define CHECK_LIMIT_BARE_H

#include <linux/kvm.h>
#include <stdbool.h>
#include <stdint.h>

/* Guest code and tables; memory under test begins further up. */
#define BARE_CONTROL_GPA UINT64_C(0x100000000)
#define BARE_GPA UINT64_C(0x200000000)
/* Congruent to BARE_GPA modulo every block size. */
#define BARE_GVA (UINT64_C(0x400000000000) + BARE_GPA)
#define BARE_PAGE UINT64_C(4096)

struct bare {
	int kvm, vm, vcpu;
	struct kvm_run *run;
	uint8_t *control; /* zeroed, at BARE_CONTROL_GPA */
	uint64_t control_bytes;
	uint64_t bytes;	     /* of memory under test */
	uint64_t guest_page; /* largest block of the guest's own tables */
};

/* ioctl() that ends the program on an error. */
int bare_ioctl(int fd, const char *name, unsigned long request, void *arg);

/* Type for KVM_CREATE_VM. */
unsigned long bare_arch_vm_type(void);

/*
 * Writes guest code and tables into control memory and gives the vCPU its
 * first state. From then on every KVM_RUN but the first stores to the first
 * word of each page; each ends by leaving the guest.
 */
void bare_arch_init(const struct bare *b);

/* Has the guest left by itself? */
bool bare_arch_left(const struct kvm_run *run);

#endif
