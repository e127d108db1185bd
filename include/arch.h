/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a port provides. Neutral code asks these questions and never which CPU
 * it runs on; arch/README.md says how to write a port.
 *
 * Functions end the test by die() unless they return an error. Main thread
 * only, except arch_is_ucall().
 */
#ifndef KVMETER_ARCH_H
#define KVMETER_ARCH_H

#include <stdio.h>
#include <guest/guest.h>
#include <guest/space.h>
#include "types.h"

struct kvm_run;
struct vcpu;
struct vm;

/* Physical and virtual address bits and granule of a guest. */
struct guest_mode {
	/* --mode by number: below 20 those of the selftests of Linux 6.12,
	 * which shift as modes are added; from 20 on our own */
	unsigned int id;
	const char *name; /* --mode by name, as there */
	unsigned int va_bits;
	unsigned int pa_bits; /* 0: as many as KVM offers */
	u64 page_bytes;
};

/* The port's modes, the default first, ended by name NULL. */
extern const struct guest_mode arch_guest_modes[];

/* Why this host's KVM cannot run a mode; NULL if it can. Static storage. */
const char *arch_mode_missing(int kvm_fd, const struct guest_mode *mode);

/* Physical address bits of a guest of that mode, before there is a VM. */
unsigned int arch_pa_bits(int kvm_fd, const struct guest_mode *mode);

/* Argument of KVM_CREATE_VM. */
unsigned long arch_vm_type(int kvm_fd, const struct guest_mode *mode);

/*
 * After KVM_CREATE_VM: allocates the tables that every vCPU
 * shares from control memory, and asks KVM for what the port needs.
 */
void arch_vm_init(struct vm *vm);

/*
 * Why a VM of this KVM cannot be told to split blocks eagerly, in chunks of
 * @bytes, when dirty logging protects them; NULL if it can. Static storage.
 */
const char *arch_eager_split_missing(int kvm_fd, u64 bytes);

/* Tells it to. Before the first memslot. */
void arch_eager_split(struct vm *vm, u64 bytes);

/*
 * A habit of KVM that a VM can be without, and its bit in args[0] of
 * KVM_CAP_DISABLE_QUIRKS2. The port's, ended by name NULL; there may be none.
 */
struct arch_quirk {
	const char *name;
	u64 bit;
};
extern const struct arch_quirk arch_quirks[];

/*
 * The quirk of these for whose sake KVM drops all of a VM's mappings whenever a
 * memslot is deleted or moved; NULL: it never drops more than the slot's own.
 */
const char *arch_zap_all_quirk(void);

/*
 * Why KVM cannot tell a guest of pages that are not present, and of those that
 * have become ready (guest/async_pf.h); NULL if it can. Static storage.
 */
const char *arch_async_pf_missing(int kvm_fd);

/* Ticks of arch_counter() in a second, in any guest. */
u64 arch_counter_hz(const struct vm *vm);

/* By vm_start(), for each vCPU in order: its first register state. */
void arch_vcpu_init(struct vcpu *vcpu);

/* By vm_start(), when all vCPUs have theirs: what needs them all. */
void arch_vm_start(struct vm *vm);

/* Frees vm->arch, which may be NULL, before the VM's descriptor is closed. */
void arch_vm_fini(struct vm *vm);

#define ARCH_BLOCK_SIZES 4

/*
 * Bytes that one entry of the guest's own tables can map, ascending from the
 * mode's page size, as far as KVM and the guest's CPU have them. Returns how
 * many.
 */
unsigned int arch_block_sizes(const struct vm *vm, u64 bytes[ARCH_BLOCK_SIZES]);

/*
 * Maps one block of one of those sizes in the guest's tables: writable,
 * executable, accessible to the workload, accessed and dirty already set.
 * @gva and @gpa are aligned to it. Before vm_start() only.
 */
void arch_map_block(struct vm *vm, u64 gva, u64 gpa, u64 block_bytes);

/* Did KVM_RUN return since the guest left by arch_leave_guest()? Any thread. */
bool arch_is_ucall(const struct kvm_run *run);

/* Names of guest_trap.regs[], ended by NULL. */
extern const char *const arch_trap_regs[];

/* "page fault (#PF, vector 14, error 0x6: user write to an unmapped page)" */
void arch_trap_describe(const struct guest_trap *trap, FILE *out);
/* Does guest_trap.address say anything for this trap? */
bool arch_trap_has_address(const struct guest_trap *trap);

/*
 * Program counter and the registers of a stopped vCPU, a line or several. They
 * are part of reports on what went wrong, so that they return -errno, with
 * nothing printed, where KVM does not tell any more.
 */
int arch_vcpu_pc(struct vcpu *vcpu, u64 *pc);
int arch_vcpu_dump(struct vcpu *vcpu, FILE *out);

/* What an exit that kvmeter has no use for means: "triple fault", or NULL. */
const char *arch_exit_name(const struct kvm_run *run);

/*
 * Bytes that one stage-2 entry of KVM can map, ascending from the host's base
 * page. Returns how many sizes there are.
 */
unsigned int arch_stage2_sizes(u64 bytes[ARCH_BLOCK_SIZES]);

/*
 * Name of the VM statistic that counts entries of size number @size of those;
 * NULL where KVM does not count them.
 */
const char *arch_mapping_stat(unsigned int size);

/*
 * How faults are counted where mappings are not; NULL where they are. Names
 * of vCPU statistics are in lists ended by NULL.
 */
struct arch_fault_source {
	const char *tracepoint;	 /* "SYSTEM/EVENT", fires on each fault */
	const char *filter;	 /* of its events, those in memory under test */
	const char *page_filter; /* of these, those in which the walk found a
				  * table of base pages */
	const char *const *exits;
	const char *const *other_exits; /* of them, those without a fault */
};
const struct arch_fault_source *arch_fault_source(void);

/*
 * Name of the vCPU statistic that counts faults for which KVM has mapped
 * something; NULL where arch_fault_source() is how they are counted.
 */
const char *arch_fault_stat(void);

/*
 * When dirty logging ends, does KVM itself drop or rebuild mappings that were
 * split for it? Where it does not, pages stay until they fault again.
 */
bool arch_log_off_rebuilds(void);

/*
 * Does KVM log a page that is only read, if the read fault maps it anew while
 * its slot is logged? It then maps it writable, and must log it for that.
 */
bool arch_read_fault_logs(void);

/*
 * Does the CPU note pages that are written in a buffer, of which KVM learns
 * when the vCPU exits? Then neither KVM_GET_DIRTY_LOG nor a dirty ring need
 * have a page whose content can be seen already: api.rst 8.29.
 */
bool arch_cpu_buffers_dirty_pages(void);

/*
 * The one of those sizes that KVM uses at most for memory that the host holds
 * in pages of @host_page_bytes and the guest maps in blocks of
 * @guest_page_bytes.
 */
u64 arch_stage2_block(const struct vm *vm, u64 host_page_bytes,
		      u64 guest_page_bytes);

/*
 * Why a guest of this KVM cannot invalidate translations like that (@how is an
 * enum space_invalidation); NULL if it can. Static storage.
 */
const char *arch_invalidation_missing(int kvm_fd, unsigned int how);

/*
 * Fills what only the port knows of address spaces that the guest makes: window
 * and its index, levels, the host's root, port. For spaces.c.
 */
void arch_spaces_init(const struct vm *vm, struct guest_spaces *spaces);

#endif
