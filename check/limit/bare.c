/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The experiment of page_table_test with raw ioctls and nothing else: one
 * vCPU on the main thread, no gang, no library. What it measures is the least
 * that anything could; check/limit/limit.t holds page_table_test against it.
 *
 * usage: bare BYTES [GUEST-PAGE-BYTES]
 *
 * Prints for each stage its name, its time and its CPU time, in nanoseconds.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "bare.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14 */
#endif
#ifndef KVM_DIRTY_LOG_MANUAL_PROTECT_ENABLE
#define KVM_DIRTY_LOG_MANUAL_PROTECT_ENABLE 1
#endif

#define BLOCK UINT64_C(0x200000)
#define EXIT_USAGE 2
#define EXIT_SKIP 4

struct stage {
	const char *name;
	uint64_t ns, cpu_ns;
};

static void die(const char *what)
{
	fprintf(stderr, "bare: %s: %s\n", what, strerror(errno));
	exit(EXIT_FAILURE);
}

int bare_ioctl(int fd, const char *name, unsigned long request, void *arg)
{
	int ret = ioctl(fd, request, arg);

	if (ret < 0)
		die(name);
	return ret;
}

static uint64_t clock_ns(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return t.tv_sec * UINT64_C(1000000000) + t.tv_nsec;
}

/* Populated memory in 4K pages, aligned to BLOCK. */
static void *alloc_memory(uint64_t bytes)
{
	uint8_t *mem = mmap(NULL, bytes + BLOCK, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (mem == MAP_FAILED)
		die("mmap");
	mem += -(uintptr_t)mem % BLOCK;
	/* EINVAL: a kernel without huge pages has none to avoid */
	madvise(mem, bytes, MADV_NOHUGEPAGE);
	if (madvise(mem, bytes, MADV_POPULATE_WRITE))
		for (uint64_t at = 0; at < bytes; at += BARE_PAGE)
			((volatile uint8_t *)mem)[at] = 0;
	return mem;
}

static void create_vm(struct bare *b)
{
	struct kvm_enable_cap manual = {
		.cap = KVM_CAP_MANUAL_DIRTY_LOG_PROTECT2,
		.args = { KVM_DIRTY_LOG_MANUAL_PROTECT_ENABLE },
	};
	int run_bytes;

	b->vm = bare_ioctl(b->kvm, "KVM_CREATE_VM", KVM_CREATE_VM,
			   (void *)bare_arch_vm_type());
	b->vcpu = bare_ioctl(b->vm, "KVM_CREATE_VCPU", KVM_CREATE_VCPU, NULL);
	run_bytes = bare_ioctl(b->kvm, "KVM_GET_VCPU_MMAP_SIZE",
			       KVM_GET_VCPU_MMAP_SIZE, NULL);
	b->run = mmap(NULL, run_bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
		      b->vcpu, 0);
	if (b->run == MAP_FAILED)
		die("mapping struct kvm_run");
	if (ioctl(b->vm, KVM_CHECK_EXTENSION, manual.cap) > 0)
		bare_ioctl(b->vm, "KVM_ENABLE_CAP", KVM_ENABLE_CAP, &manual);
}

static void set_slot(const struct bare *b,
		     struct kvm_userspace_memory_region *slot)
{
	bare_ioctl(b->vm, "KVM_SET_USER_MEMORY_REGION",
		   KVM_SET_USER_MEMORY_REGION, slot);
}

static void run(const struct bare *b)
{
	while (ioctl(b->vcpu, KVM_RUN, NULL))
		if (errno != EINTR && errno != EAGAIN)
			die("KVM_RUN");
	if (bare_arch_left(b->run))
		return;
	fprintf(stderr, "bare: unexpected exit %u\n", b->run->exit_reason);
	exit(EXIT_FAILURE);
}

static struct stage stage_begin(const char *name)
{
	struct stage s = { .name = name };

	s.cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	s.ns = clock_ns(CLOCK_MONOTONIC);
	return s;
}

static void stage_end(struct stage s)
{
	s.ns = clock_ns(CLOCK_MONOTONIC) - s.ns;
	s.cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - s.cpu_ns;
	printf("%s %llu %llu\n", s.name, (unsigned long long)s.ns,
	       (unsigned long long)s.cpu_ns);
}

static void run_timed(const struct bare *b, const char *name)
{
	struct stage s = stage_begin(name);

	run(b);
	stage_end(s);
}

static void log_timed(const struct bare *b, const char *name,
		      struct kvm_userspace_memory_region *slot, uint32_t flags)
{
	struct stage s = stage_begin(name);

	slot->flags = flags;
	set_slot(b, slot);
	stage_end(s);
}

static void measure(const struct bare *b,
		    struct kvm_userspace_memory_region *slot)
{
	run(b);
	run_timed(b, "create");
	log_timed(b, "log_on", slot, KVM_MEM_LOG_DIRTY_PAGES);
	run_timed(b, "update");
	log_timed(b, "log_off", slot, 0);
	run_timed(b, "adjust");
}

static uint64_t parse(const char *text)
{
	char *end;
	uint64_t value = strtoull(text, &end, 0);

	if (*end || !value || value % BARE_PAGE) {
		fprintf(stderr, "bare: '%s' is no multiple of %llu bytes\n",
			text, (unsigned long long)BARE_PAGE);
		exit(EXIT_USAGE);
	}
	return value;
}

int main(int argc, char **argv)
{
	struct kvm_userspace_memory_region control = { .slot = 0 };
	struct kvm_userspace_memory_region slot = { .slot = 1 };
	struct bare b = { .guest_page = BLOCK };

	if (argc != 2 && argc != 3) {
		fprintf(stderr, "usage: bare BYTES [GUEST-PAGE-BYTES]\n");
		return EXIT_USAGE;
	}
	b.bytes = parse(argv[1]);
	if (argc == 3)
		b.guest_page = parse(argv[2]);
	b.kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);
	if (b.kvm < 0) {
		fprintf(stderr, "bare: /dev/kvm: %s\n", strerror(errno));
		return EXIT_SKIP;
	}
	create_vm(&b);

	b.control_bytes = BLOCK + b.bytes / 256 / BARE_PAGE * BARE_PAGE;
	b.control = alloc_memory(b.control_bytes);
	control.guest_phys_addr = BARE_CONTROL_GPA;
	control.memory_size = b.control_bytes;
	control.userspace_addr = (uintptr_t)b.control;
	set_slot(&b, &control);

	slot.guest_phys_addr = BARE_GPA;
	slot.memory_size = b.bytes;
	slot.userspace_addr = (uintptr_t)alloc_memory(b.bytes);
	set_slot(&b, &slot);

	bare_arch_init(&b);
	measure(&b, &slot);
	return EXIT_SUCCESS;
}
