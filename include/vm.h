/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A virtual machine: its descriptor, its control memory and its vCPUs.
 *
 * Control memory is slot 0 from CONTROL_GPA: guest image, page tables,
 * descriptor tables, vCPU areas, access plans. It is handed out in order and
 * never taken back; the guest sees it linearly from IMAGE_GVA. Memory under
 * test lies in slots of its own (memslot.h).
 *
 *   vm_create()  -> memslots, vm_map(), vm_alloc() -> vm_start() -> gang
 *
 * Any number of VMs may live in a process at once; each is used by one thread
 * at a time, apart from its vCPU threads.
 */
#ifndef KVMETER_VM_H
#define KVMETER_VM_H

#include "arch.h"
#include "id_pool.h"
#include "image.h"
#include "kvm_ioctl.h"
#include "kvm_stats.h"
#include "types.h"

/*
 * Above the 32-bit device hole of a PC and inside 36-bit IPA spaces. Memory
 * under test may lie anywhere but from DEVICE_GPA to CONTROL_GPA_END; control
 * memory that does not fit before that pushes its default place up.
 */
#define DEVICE_GPA GIB(4) /* of the port: interrupt controller, ucall page */
#define TEST_DEVICE_GPA (DEVICE_GPA + MIB(128)) /* of the benchmarks */
#define TEST_DEVICE_BYTES MIB(128)
#define CONTROL_GPA (GIB(4) + MIB(256))
#define CONTROL_GPA_END GIB(8)

struct arch_vm; /* private to the port */

/* What a VM has to know before it has vCPUs: dirty_ring.h. */
struct vm_tracking {
	u32 ring_entries; /* of each vCPU's dirty ring; 0: none */
	bool ring_bitmap; /* and a bitmap for what no vCPU writes */
};

struct vm_config {
	const struct guest_mode *mode;
	unsigned int nr_vcpus;
	const void *image; /* borrowed for the VM's lifetime */
	size_t image_bytes;
	u64 eager_split;	    /* as in struct vm_needs */
	const char *disable_quirks; /* likewise */
	struct vm_tracking tracking;
	bool async_pf; /* the guest may ask for asynchronous page faults;
			* where arch_async_pf_missing() is NULL */
};

struct vm {
	int kvm_fd;
	int fd;
	const struct guest_mode *mode;
	unsigned int pa_bits;
	bool async_pf;
	struct image image;
	struct kvm_stats *stats; /* NULL: this KVM has no binary statistics */

	u8 *control; /* HVA of CONTROL_GPA */
	u64 control_used;
	u64 control_mapped; /* bytes that the guest's tables map */
	bool started;

	struct vcpu *vcpus;
	unsigned int nr_vcpus;
	size_t run_bytes; /* of struct kvm_run's mapping */

	struct mmio_range *mmio; /* for mmio.c */
	unsigned int nr_mmio;
	struct id_pool slot_ids; /* below KVM_CAP_NR_MEMSLOTS; for memslot.c */
	/*
	 * Answers KVM_EXIT_DIRTY_RING_FULL in the vCPU's thread; false: the
	 * vCPU cannot run on. NULL: the exit is unexpected.
	 */
	bool (*ring_full)(struct vcpu *vcpu, void *arg);
	void *ring_full_arg;
	/* of a thread that must not end the process, kept by its owner: ends
	 * the test as soon as the gang sees it; or NULL */
	const char *trouble;
	const char *ring_failed; /* why it cannot, kept by its owner; or NULL */
	struct arch_vm *arch;
};

struct vcpu {
	struct vm *vm;
	u32 index;
	int fd;
	struct kvm_run *run;
	struct guest_cpu *area; /* HVA of its GUEST_AREA_BYTES */
	u64 area_gva;
	struct dirty_ring *ring; /* dirty_ring.h; NULL: none */
	struct kvm_stats *stats; /* opened by vm_vcpu_stats(), else NULL */
};

/*
 * Skips, with the remedy, if there is no usable /dev/kvm, or it lacks the mode
 * or so many vCPUs or memslots (beside that of control memory), or if limits of
 * this process do not allow what they need (the one of open files is raised if
 * it can be). Creates nothing. Returns the guest's physical address bits.
 */
struct vm_needs {
	const struct guest_mode *mode;
	unsigned int nr_vcpus;
	unsigned int nr_slots;
	u64 eager_split; /* chunk in bytes; VM_NO_EAGER_SPLIT: not asked for */
	const char *disable_quirks; /* list of quirks.h; NULL: none */
	unsigned int host_threads;  /* besides the main one */
	unsigned int more_files;    /* for it, each vCPU and each of those */
	u64 bytes;		    /* of memory under test that are mapped */
};
#define VM_NO_EAGER_SPLIT (~UINT64_C(0))
unsigned int vm_require(const struct vm_needs *needs);

/* RLIMIT_NOFILE of a process like this one, and a VM of so many vCPUs. */
u64 vm_files_needed(u64 nr_vcpus);

/* Creates the VM and its vCPUs; dies for what vm_require() would have seen. */
struct vm *vm_create(const struct vm_config *cfg);
void vm_free(struct vm *vm); /* NULL is fine */

/*
 * @bytes of zeroed control memory, aligned to @align (a power of two, at most
 * 2M). Host address; vm_gva() and vm_gpa() translate. Before vm_start() only.
 */
void *vm_alloc(struct vm *vm, u64 bytes, u64 align);
u64 vm_gva(const struct vm *vm, const void *control);
u64 vm_gpa(const struct vm *vm, const void *control);

/* Host address of control memory that the guest knows as @gva, else NULL. */
void *vm_hva(const struct vm *vm, u64 gva, u64 bytes);

/* Host address of a variable of the guest half; dies if name or size differ. */
void *vm_symbol(const struct vm *vm, const char *name, u64 bytes);
/* GVA of a function of the guest half; dies, naming it, if it is missing. */
u64 vm_function(const struct vm *vm, const char *name);

/*
 * Maps @bytes of guest memory in the guest's own tables with the largest
 * blocks up to @max_block that the alignment of both addresses allows.
 */
void vm_map(struct vm *vm, u64 gva, u64 gpa, u64 bytes, u64 max_block);

/*
 * Fixes control memory, adds its slot and gives every vCPU its first state.
 * Until then vCPUs must not run, afterwards vm_alloc() and vm_map() die.
 */
void vm_start(struct vm *vm);

/* Opens every vCPU's statistics (a descriptor each); false if there are none.
 */
bool vm_vcpu_stats(struct vm *vm);

/* A string of the guest that ends inside control memory, else a stand-in. */
const char *vm_string(const struct vm *vm, u64 gva);

/*
 * The text of a format string and values that the guest has passed by a ucall
 * (guest.h says what it may hold). To be freed.
 */
char *vm_format(const struct vm *vm, u64 fmt_gva, const u64 *values,
		unsigned int nr);

#endif
