/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The host's part of guest/process.h: what processes are made of, the two
 * devices that they use, and what became of them.
 */
#ifndef KVMETER_PROCESSES_H
#define KVMETER_PROCESSES_H

#include "backing.h"
#include "bench.h"
#include "memslot.h"
#include <guest/process.h>

/* What processes can be made to do wrong, to see that it is noticed. */
enum process_inject {
	PROCESS_INJECT_NOTHING,
	PROCESS_INJECT_NO_INVALIDATE,	/* translations are never dropped */
	PROCESS_INJECT_NO_SHOOTDOWN,	/* those of other vCPUs are not */
	PROCESS_INJECT_WRONG_SIGNATURE, /* in what a process finds */
	PROCESS_INJECT_WRONG_COUNT,	/* the plan is off by one */
	PROCESS_INJECT_WRONG_CONTENT,	/* of the devices */
};
extern const char *const process_inject_names[];

struct processes_config {
	u64 count; /* of each vCPU in a round */
	u64 pages; /* of a process; of those beyond PROCESS_PAGES_MIN, rounded
		    * down: */
	u64 cow_percent, device_percent, mmio_percent;
	const char *device; /* as --backing: what the device's memory is */
	enum space_invalidation invalidation;
	enum process_inject inject;
};

/* usage_error() if they cannot be made of --bytes for each vCPU. */
void processes_validate(const struct processes_config *cfg,
			const struct bench_config *common);

/* skip() if this host has not what the device takes. */
void processes_require(const struct processes_config *cfg,
		       const struct bench_config *common);

/* A register in each page of a vCPU. */
struct process_registers {
	u64 reads, writes;
	u64 *value;
	u32 nr;
	u32 others[25]; /* keeps vCPUs' threads out of each other's lines */
};

struct processes {
	struct run *run;
	enum process_inject inject;
	struct guest_process *of; /* one per vCPU, in control memory */
	struct backing *device;	  /* NULL: no page of it */
	struct memslot slot;	  /* of its memory */
	struct process_registers *registers; /* one per vCPU */
};

/*
 * Between run_create() and run_start(). The memory under test is divided into
 * equal shares of the vCPUs, whose frames come out of them. Finished after
 * run_end().
 */
void processes_init(struct processes *p, struct run *r,
		    const struct processes_config *cfg);
void processes_fini(struct processes *p);

/* Pages of a process of each kind. */
static inline u32 processes_cow_pages(const struct processes *p)
{
	return p->of->first_device - p->of->first_cow;
}

static inline u32 processes_device_pages(const struct processes *p)
{
	return p->of->first_mmio - p->of->first_device;
}

static inline u32 processes_mmio_pages(const struct processes *p)
{
	return p->of->pages - p->of->first_mmio;
}

/* Where the host sees page @page of a vCPU in the device's memory. */
u64 *processes_device_page(const struct processes *p, u32 vcpu, u32 page);

#endif
