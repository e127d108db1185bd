/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdlib.h>

#include "mmio.h"
#include "mode.h"
#include "processes.h"
#include "spaces.h"
#include "util.h"

/* Each in a half of the window of devices. */
#define MMIO_GPA TEST_DEVICE_GPA
#define DEVICE_MEMORY_GPA (TEST_DEVICE_GPA + DEVICE_HALF)
#define DEVICE_HALF (TEST_DEVICE_BYTES / 2)

#define SHARED_FRAMES 2

/*
 * Of all vCPUs: each takes as long as it takes to run every vCPU. Now and then
 * an exit drops the stale translation that an injected fault was to leave, so
 * that then there are more.
 */
#define WATCHED_MOVES 16
#define WATCHED_MOVES_NO_SHOOTDOWN 400

const char *const process_inject_names[] = {
	[PROCESS_INJECT_NOTHING] = "nothing",
	[PROCESS_INJECT_NO_INVALIDATE] = "no-invalidate",
	[PROCESS_INJECT_NO_SHOOTDOWN] = "no-shootdown",
	[PROCESS_INJECT_WRONG_SIGNATURE] = "wrong-signature",
	[PROCESS_INJECT_WRONG_COUNT] = "wrong-count",
	[PROCESS_INJECT_WRONG_CONTENT] = "wrong-content",
	NULL,
};

/* Numbers of pages from 0: where each kind begins. */
static struct guest_process layout(const struct processes_config *cfg)
{
	u32 rest = cfg->pages - PROCESS_PAGES_MIN;
	u32 cow = rest * cfg->cow_percent / 100;
	u32 device = rest * cfg->device_percent / 100;
	u32 mmio = rest * cfg->mmio_percent / 100;

	return (struct guest_process){
		.count = cfg->count,
		.pages = cfg->pages,
		.first_cow = cfg->pages - mmio - device - cow,
		.first_device = cfg->pages - mmio - device,
		.first_mmio = cfg->pages - mmio,
		.wrong = cfg->inject == PROCESS_INJECT_WRONG_SIGNATURE,
	};
}

static u64 cow_pages(const struct guest_process *p)
{
	return p->first_device - p->first_cow;
}

static u64 device_bytes(const struct guest_process *p,
			const struct processes_config *cfg,
			const struct guest_mode *mode, u64 vcpus)
{
	u64 pages = (u64)(p->first_mmio - p->first_device) * vcpus;

	return pages ? ALIGN_UP(pages * mode->page_bytes,
				backing_granule(cfg->device)) :
		       0;
}

void processes_validate(const struct processes_config *cfg,
			const struct bench_config *common)
{
	const struct guest_mode *mode = mode_find(common->mode);
	u64 vcpus = u64_list_max(&common->vcpus), page = mode->page_bytes;
	struct guest_process p;
	char size[UNIT_LEN];
	u64 frames;

	if (cfg->cow_percent + cfg->device_percent + cfg->mmio_percent > 100)
		usage_error("--cow-percent, --device-percent and "
			    "--mmio-percent: more than 100 together");
	if (cfg->pages > spaces_pages(mode) || vcpus > spaces_pages(mode))
		usage_error("--pages %llu, --vcpus %llu: at most %u of each in "
			    "--mode %s, which is what a table maps",
			    (unsigned long long)cfg->pages,
			    (unsigned long long)vcpus, spaces_pages(mode),
			    mode->name);
	p = layout(cfg);
	frames = cow_pages(&p) + SHARED_FRAMES + p.first_device;
	if (u64_list_min(&common->bytes) / page < frames)
		usage_error("--bytes: %llu pages take %llu frames, or %s for "
			    "each vCPU",
			    (unsigned long long)cfg->pages,
			    (unsigned long long)frames,
			    format_size(size, frames * page));
	if (vcpus * cfg->pages * page > DEVICE_HALF ||
	    device_bytes(&p, cfg, mode, vcpus) > DEVICE_HALF)
		usage_error("--pages %llu, --vcpus %llu: pages of devices have "
			    "room in %s: choose fewer",
			    (unsigned long long)cfg->pages,
			    (unsigned long long)vcpus,
			    format_size(size, DEVICE_HALF));
}

void processes_require(const struct processes_config *cfg,
		       const struct bench_config *common)
{
	struct guest_process p = layout(cfg);
	u64 bytes = device_bytes(&p, cfg, mode_find(common->mode),
				 u64_list_max(&common->vcpus));

	if (bytes)
		backing_require(cfg->device, bytes);
}

static void access_register(void *arg, struct mmio_access *access)
{
	const struct processes *p = arg;
	struct process_registers *r = &p->registers[access->vcpu];
	u64 page = access->offset / p->run->vm->mode->page_bytes;
	u64 *value = &r->value[page - (u64)access->vcpu * r->nr];

	if (access->is_write) {
		*value = access->value;
		r->writes++;
	} else {
		access->value = *value;
		r->reads++;
	}
}

static void init_registers(struct processes *p)
{
	struct vm *vm = p->run->vm;
	u32 nr = processes_mmio_pages(p);
	u64 bytes = nr * vm->mode->page_bytes;

	p->registers = xcalloc(vm->nr_vcpus, sizeof(*p->registers));
	for (u32 i = 0; nr && i < vm->nr_vcpus; i++) {
		struct process_registers *r = &p->registers[i];

		r->nr = nr;
		r->value = xcalloc(nr, sizeof(*r->value));
		for (u32 k = 0; k < nr; k++)
			r->value[k] = signature_of(i, 0, p->of->first_mmio + k);
		p->of[i].mmio_gpa = MMIO_GPA + i * bytes;
	}
	if (nr)
		mmio_add(vm, &(struct mmio_range){
				     .gpa = MMIO_GPA,
				     .bytes = vm->nr_vcpus * bytes,
				     .access = access_register,
				     .arg = p,
			     });
}

u64 *processes_device_page(const struct processes *p, u32 vcpu, u32 page)
{
	u64 bytes = p->run->vm->mode->page_bytes;
	u64 number = (u64)vcpu * processes_device_pages(p) + page;

	return (u64 *)((u8 *)p->device->mem + number * bytes);
}

static void init_device(struct processes *p, const struct processes_config *cfg)
{
	struct vm *vm = p->run->vm;
	u64 bytes = device_bytes(p->of, cfg, vm->mode, vm->nr_vcpus);
	u32 nr = processes_device_pages(p);

	if (!nr)
		return;
	p->device = backing_create(cfg->device, bytes);
	for (u32 i = 0; i < vm->nr_vcpus; i++) {
		p->of[i].device_gpa =
			DEVICE_MEMORY_GPA + (u64)i * nr * vm->mode->page_bytes;
		for (u32 k = 0; k < nr; k++)
			*processes_device_page(p, i, k) =
				signature_of(i, 0, p->of->first_device + k);
	}
	memslot_add(&p->slot, vm,
		    &(struct memslot_config){
			    .gpa = DEVICE_MEMORY_GPA,
			    .bytes = bytes,
			    .hva = p->device->mem,
		    });
}

/* The share of a vCPU: originals, the shared page's two frames, the ring. */
static void init_frames(struct processes *p, u32 vcpu)
{
	const struct testmem *mem = p->run->mem;
	struct guest_process *of = &p->of[vcpu];
	u64 page = p->run->vm->mode->page_bytes;
	u64 share = ALIGN_DOWN(mem->bytes / p->run->nr_vcpus, page);
	u64 gpa = mem->gpa + vcpu * share;
	u64 kept = cow_pages(of) + SHARED_FRAMES;
	u32 nr = share / page - kept;
	u64 *ring = vm_alloc(p->run->vm, nr * sizeof(*ring), sizeof(*ring));

	for (u32 i = 0; i < nr; i++)
		ring[i] = gpa + (kept + i) * page;
	of->originals_gpa = gpa;
	of->shared_gpa = gpa + cow_pages(of) * page;
	of->frames = (struct guest_frames){
		.ring = vm_gva(p->run->vm, ring),
		.linear = mem->gva - mem->gpa,
		.nr = nr,
	};
}

static u64 alloc_spaces(struct vm *vm, const struct processes_config *cfg)
{
	return spaces_alloc(vm,
			    cfg->inject == PROCESS_INJECT_NO_INVALIDATE ?
				    INVALIDATE_NOTHING :
				    cfg->invalidation,
			    cfg->inject == PROCESS_INJECT_NO_SHOOTDOWN);
}

void processes_init(struct processes *p, struct run *r,
		    const struct processes_config *cfg)
{
	struct vm *vm = r->vm;
	u64 spaces = alloc_spaces(vm, cfg);
	u64 line = PUBLISHED_WORDS * sizeof(u64);
	u64 moves = cfg->inject == PROCESS_INJECT_NO_SHOOTDOWN ?
			    WATCHED_MOVES_NO_SHOOTDOWN :
			    WATCHED_MOVES;
	u64 published = vm_gva(vm, vm_alloc(vm, vm->nr_vcpus * line, line));

	*p = (struct processes){
		.run = r,
		.inject = cfg->inject,
		.of = vm_alloc(vm, vm->nr_vcpus * sizeof(*p->of), line),
	};
	for (u32 i = 0; i < vm->nr_vcpus; i++) {
		struct guest_process *of = &p->of[i];

		*of = layout(cfg);
		of->vcpu = i;
		of->watched_moves = max_u64(1, moves / vm->nr_vcpus);
		of->spaces = spaces + i * sizeof(struct guest_spaces);
		of->published = published;
		of->frame = vm_gva(vm, vm_alloc(vm, of->pages * sizeof(u64),
						sizeof(u64)));
		init_frames(p, i);
		vm->vcpus[i].area->private = vm_gva(vm, of);
	}
	init_registers(p);
	init_device(p, cfg);
}

void processes_fini(struct processes *p)
{
	for (u32 i = 0; i < p->run->nr_vcpus; i++)
		free(p->registers[i].value);
	free(p->registers);
	backing_destroy(p->device);
}
