/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Two VMs at once in one process, each with its own vCPUs, memory and gang:
 * they run at the same time, see nothing of each other, and one goes on after
 * the other is gone. Prints TAP.
 */
#include "signed_vm.h"

#define VCPUS_A 2
#define VCPUS_B 3
#define PAGES_A 256
#define PAGES_B 64

#ifndef KVMETER_GUEST

#include <stdio.h>
#include <stdarg.h>

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
