/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Two VMs at once in one process, each with its own vCPUs, memory and gang:
 * they run at the same time, see nothing of each other, and one goes on after
 * the other is gone. Prints TAP.
 */
#include <guest/guest.h>

#define VCPUS_A 2
#define VCPUS_B 3
#define PAGE 4096
#define PAGES_A 256
#define PAGES_B 64

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

#include <stdio.h>
#include <stdarg.h>
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

static struct {
	unsigned int nr, failed;
} results;

static __printf(2, 3) void result(bool ok, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	printf("%sok %u - ", ok ? "" : "not ", ++results.nr);
	vprintf(fmt, args);
	putchar('\n');
	va_end(args);
	results.failed += !ok;
}

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

static void expect_signed(const struct machine *m, u64 expected)
{
	u64 found = signed_pages(m, m->signature);

	result(found == expected, "%s: %llu of %llu pages bear its signature",
	       m->name, (unsigned long long)found,
	       (unsigned long long)expected);
}

static u64 mapped_4k(const struct machine *m)
{
	return mappings_sub(mappings_read(m->vm), m->baseline).count[0];
}

static void expect_mapped(const struct machine *m, u64 expected)
{
	const char *missing = mappings_missing(m->vm);

	if (missing)
		result(true, "%s: mappings # SKIP %s", m->name, missing);
	else
		result(mapped_4k(m) == expected,
		       "%s: KVM counts %llu of its pages as mapped, %llu expected",
		       m->name, (unsigned long long)mapped_4k(m),
		       (unsigned long long)expected);
}

static void expect_progress(const struct machine *m, bool wanted)
{
	struct progress p = gang_progress(m->gang);

	result(!!p.writes == wanted, "%s: %llu writes so far", m->name,
	       (unsigned long long)p.writes);
}

/* Both run free at the same time; @a is stopped first. */
static void run_together(struct machine *a, struct machine *b)
{
	struct timing ta, tb;

	gang_start(a->gang, "guest_sign");
	expect_progress(b, false);
	gang_start(b->gang, "guest_sign");
	sleep_until_ns(now_ns() + 100 * NSEC_PER_MSEC);
	ta = gang_stop(a->gang);
	sleep_until_ns(now_ns() + 20 * NSEC_PER_MSEC);
	tb = gang_stop(b->gang);
	expect_progress(a, true);
	expect_progress(b, true);
	result(ta.nr_vcpus == VCPUS_A && tb.nr_vcpus == VCPUS_B,
	       "each gang has timed its own vCPUs: %u and %u", ta.nr_vcpus,
	       tb.nr_vcpus);
	result(ta.ns >= 100 * NSEC_PER_MSEC && tb.ns >= 120 * NSEC_PER_MSEC,
	       "each has run as long as it was let: %llu and %llu ms",
	       (unsigned long long)(ta.ns / NSEC_PER_MSEC),
	       (unsigned long long)(tb.ns / NSEC_PER_MSEC));
}

/* An argument makes the host expect what the guest does not write. */
int main(int argc, char **argv)
{
	struct machine a = machine_create("A", VCPUS_A, PAGES_A, 0xa0000000);
	struct machine b = machine_create("B", VCPUS_B, PAGES_B, 0xb0000000);

	(void)argv;
	a.signature += argc > 1;
	result(a.mem->gpa == b.mem->gpa,
	       "both have memory at the same guest physical address");
	run_together(&a, &b);
	expect_signed(&a, PAGES_A);
	expect_signed(&b, PAGES_B);
	result(!signed_pages(&a, b.signature) && !signed_pages(&b, a.signature),
	       "neither bears the other's signature");
	expect_mapped(&a, PAGES_A);
	expect_mapped(&b, PAGES_B);
	gang_round(a.gang, "guest_verify");
	gang_round(b.gang, "guest_verify");
	result(true, "each guest sees its own signature");

	testmem_log_dirty(a.mem, DIRTY_LOG_ON);
	expect_mapped(&b, PAGES_B);
	gang_start(b.gang, "guest_sign");
	machine_free(&a);
	sleep_until_ns(now_ns() + 50 * NSEC_PER_MSEC);
	gang_stop(b.gang);
	expect_progress(&b, true);
	gang_round(b.gang, "guest_verify");
	expect_signed(&b, PAGES_B);
	expect_mapped(&b, PAGES_B);

	a = machine_create("A anew", VCPUS_A, PAGES_A, 0xc0000000);
	gang_start(a.gang, "guest_sign");
	gang_stop(a.gang);
	expect_signed(&a, PAGES_A);
	expect_signed(&b, PAGES_B);
	machine_free(&b);
	machine_free(&a);
	printf("1..%u\n", results.nr);
	return results.failed ? EXIT_FAIL : EXIT_PASS;
}

#endif
