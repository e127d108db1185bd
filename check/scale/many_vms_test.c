/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Many VMs in one process: "in-turn N" one after the other, "at-once N" all at
 * the same time, each of which sees its own memory only. With the name of a
 * leak something stays behind each time. Prints TAP; figures by sampler.h.
 */
#include "../harness/signed_vm.h"

#define VCPUS 2
#define PAGES 64
#define RUN_NS (5 * NSEC_PER_MSEC)

#ifndef KVMETER_GUEST

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sampler.h"

/* How often all of them are there at once. */
#define TURNS 12

/* What a fault in vm_free() and its like would leave. */
static void leak_memory(struct machine *m)
{
	memset(xcalloc(1, 256), 1, 256);
	machine_free(m);
}

static void leak_descriptor(struct machine *m)
{
	int fd = dup(m->vm->kvm_fd);

	machine_free(m);
	if (fd < 0)
		die("dup: no more descriptors");
}

static void leak_vm(struct machine *m)
{
	gang_free(m->gang);
}

/* No descriptor and no pointer to it is left, but KVM keeps the VM for it. */
static void leak_mapping(struct machine *m)
{
	if (mmap(NULL, m->vm->run_bytes, PROT_READ, MAP_SHARED,
		 m->vm->vcpus[0].fd, 0) == MAP_FAILED)
		die("mmap of a vCPU");
	machine_free(m);
}

static const struct way {
	const char *name;
	void (*end)(struct machine *m);
} ways[] = {
	{ "nothing", machine_free }, { "memory", leak_memory },
	{ "fd", leak_descriptor },   { "vm", leak_vm },
	{ "mapping", leak_mapping },
};

static const struct way *find_way(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(ways); i++)
		if (strcmp(ways[i].name, name) == 0)
			return &ways[i];
	die("%s: no such leak", name);
}

static u64 signature_of(unsigned int i)
{
	return (i + 1) * UINT64_C(0x10000000);
}

/* Pages that bear the signature of another than VM @own of @nr. */
static u64 foreign_pages(const struct machine *m, unsigned int own,
			 unsigned int nr)
{
	u64 found = 0;

	for (unsigned int i = 0; i < nr; i++)
		if (i != own)
			found += signed_pages(m, signature_of(i));
	return found;
}

/* All run at the same time; returns those whose memory is as it should be. */
static unsigned int run_all(struct machine *m, unsigned int nr)
{
	unsigned int right = 0;

	for (unsigned int i = 0; i < nr; i++)
		gang_start(m[i].gang, "guest_sign");
	sleep_until_ns(now_ns() + RUN_NS);
	for (unsigned int i = 0; i < nr; i++)
		gang_stop(m[i].gang);
	for (unsigned int i = 0; i < nr; i++) {
		gang_round(m[i].gang, "guest_verify");
		right += signed_pages(&m[i], signature_of(i)) == PAGES &&
			 !foreign_pages(&m[i], i, nr);
	}
	return right;
}

/* Made in order, ended in another. */
static unsigned int take_turn(struct machine *m, unsigned int nr,
			      const struct way *way)
{
	unsigned int right;

	for (unsigned int i = 0; i < nr; i++)
		m[i] = machine_create("VM", VCPUS, PAGES, signature_of(i));
	right = run_all(m, nr);
	for (unsigned int i = 0; i < nr; i++)
		way->end(&m[(i + nr / 2) % nr]);
	sampler_take();
	return right;
}

int main(int argc, char **argv)
{
	bool at_once = argc > 2 && strcmp(argv[1], "at-once") == 0;
	unsigned int nr = argc > 2 ? strtoul(argv[2], NULL, 0) : 0;
	const struct way *way = find_way(argc > 3 ? argv[3] : "nothing");
	unsigned int turns = at_once ? TURNS : nr;
	unsigned int each = at_once ? nr : 1;
	unsigned int right = 0;
	struct machine *m;

	if (!nr)
		die("usage: many_vms_test {in-turn|at-once} N [LEAK]");
	m = xcalloc(each, sizeof(*m));
	for (unsigned int i = 0; i < turns; i++)
		right += take_turn(m, each, way);
	free(m);
	printf("%sok 1 - %u of %u VMs hold what their own guest wrote\n1..1\n",
	       right == turns * each ? "" : "not ", right, turns * each);
	return right == turns * each ? EXIT_PASS : EXIT_FAIL;
}

#endif
