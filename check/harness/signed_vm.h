/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A VM whose guest signs its memory: what VMs that live in one process are told
 * apart by. Both halves of it, for programs that are tests of their own.
 */
#ifndef CHECK_SIGNED_VM_H
#define CHECK_SIGNED_VM_H

#include <guest/guest.h>

#define PAGE 4096

/* How one VM is told from the other; set by the host before the start. */
struct shared {
	u64 signature;
	u64 base; /* GVA of the memory under test */
	u64 pages;
};
_Static_assert(sizeof(struct shared) == 24, "the same in both halves");

#ifdef KVMETER_GUEST

struct shared shared;

/* Each vCPU its share of the pages, over and over. */
GUEST_FUNCTION(guest_sign)
{
	do {
		for (u64 i = cpu->index; i < shared.pages; i += cpu->nr_cpus) {
			*(volatile u64 *)(shared.base + i * PAGE) =
				shared.signature + i;
			WRITE_ONCE(cpu->writes, cpu->writes + 1);
		}
		WRITE_ONCE(cpu->passes, cpu->passes + 1);
	} while (!guest_stopped(cpu));
}

GUEST_FUNCTION(guest_verify)
{
	for (u64 i = 0; i < shared.pages; i++) {
		u64 found = *(volatile u64 *)(shared.base + i * PAGE);

		guest_assert_eq(found, shared.signature + i);
		WRITE_ONCE(cpu->reads, cpu->reads + 1);
	}
}

#else

#include "clock.h"
#include "gang.h"
#include "mode.h"
#include "testmem.h"
#include "util.h"

struct machine {
	const char *name;
	struct vm *vm;
	struct testmem *mem;
	struct gang *gang;
	struct mappings baseline;
	u64 signature;
};

static struct machine machine_create(const char *name, unsigned int vcpus,
				     u64 pages, u64 signature)
{
	struct machine m = { .name = name, .signature = signature };
	struct shared *shared;

	m.vm = vm_create(&(struct vm_config){
		.mode = mode_find(NULL),
		.nr_vcpus = vcpus,
		.image = embedded_image,
		.image_bytes = embedded_image_end - embedded_image,
	});
	m.mem = testmem_create(m.vm,
			       &(struct testmem_config){
				       .backing = "anonymous",
				       .bytes = pages * PAGE,
				       .gpa = TESTMEM_GPA_DEFAULT,
				       .guest_page = TESTMEM_GUEST_PAGE_DEFAULT,
				       .nr_slots = 1,
				       .prefault = true,
			       });
	shared = vm_symbol(m.vm, "shared", sizeof(*shared));
	*shared = (struct shared){ signature, m.mem->gva, pages };
	m.gang = gang_create(
		m.vm, &(struct gang_config){ .timeout_ns = 5 * NSEC_PER_SEC });
	if (!mappings_missing(m.vm))
		m.baseline = mappings_read(m.vm);
	return m;
}

static void machine_free(struct machine *m)
{
	gang_free(m->gang);
	testmem_free(m->mem);
	vm_free(m->vm);
	*m = (struct machine){ .name = m->name };
}

/* What the guest has written, as the host sees it. */
static u64 signed_pages(const struct machine *m, u64 signature)
{
	u64 nr = 0;

	for (u64 i = 0; i < testmem_pages(m->mem); i++) {
		const u64 *word =
			(const u64 *)((const u8 *)m->mem->backing->mem +
				      i * PAGE);

		nr += *word == signature + i;
	}
	return nr;
}

#endif
#endif
