/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "clock.h"
#include "compat.h"
#include "disturber.h"
#include "remedy.h"
#include "thread_start.h"
#include "util.h"

/* Between two disturbances, so that the guest comes along meanwhile. */
#define PAUSE_NS NSEC_PER_MSEC

/* Of the memory of the other slots; nobody accesses it. */
#define OTHER_BYTES KIB(256)

const char *const disturbance_names[] = {
	[DISTURB_NOTHING] = "nothing",
	[DISTURB_SLOTS] = "slots",
	[DISTURB_REMAP] = "remap",
	[DISTURB_THP] = "thp",
	NULL,
};

struct disturber {
	struct vm *vm;
	struct testmem *mem;
	bool wanted[DISTURB_THP + 1];
	pthread_t thread;
	bool stop;
	u64 turn; /* where in the memory */
	void *other;
	const char *failed; /* what the thread could not do */
	int error;	    /* before failed is set */
	struct disturbance_counts counts;
};

static void fail(struct disturber *d, const char *what, int error)
{
	d->error = error;
	__atomic_store_n(&d->failed, what, __ATOMIC_RELEASE);
}

/* Behind the memory under test. */
static u64 other_gpa(const struct disturber *d)
{
	return ALIGN_UP(d->mem->gpa + d->mem->bytes, GIB(1));
}

static void disturb_slots(struct disturber *d)
{
	struct memslot slot;
	struct memslot_config cfg = {
		.gpa = other_gpa(d),
		.bytes = OTHER_BYTES,
		.hva = d->other,
	};
	int error = __memslot_add(&slot, d->vm, &cfg);

	if (error) {
		fail(d, "KVM_SET_USER_MEMORY_REGION, adding a slot", error);
		return;
	}
	if (d->counts.slots % 2) {
		error = __memslot_move(&slot, cfg.gpa + OTHER_BYTES);
		if (error)
			fail(d, "KVM_SET_USER_MEMORY_REGION, moving a slot",
			     error);
		else
			d->counts.moves++;
	}
	error = __memslot_delete(&slot);
	if (error)
		fail(d, "KVM_SET_USER_MEMORY_REGION, deleting a slot", error);
	d->counts.slots++;
}

/* A part of the memory, another one each time. */
static void *part(struct disturber *d, u64 bytes)
{
	u64 nr = d->mem->bytes / bytes;

	return (u8 *)d->mem->backing->mem + d->turn++ % nr * bytes;
}

static void protect(struct disturber *d, void *at, u64 bytes, int more)
{
	if (mprotect(at, bytes, PROT_READ | PROT_WRITE | more))
		fail(d, "mprotect() of guest memory", -errno);
}

/*
 * Tells KVM to drop its mappings: executable or not is nothing to the guest,
 * but a change of the host's mapping all the same.
 */
static void disturb_remap(struct disturber *d)
{
	u64 bytes = max_u64(min_u64(MIB(2), d->mem->bytes),
			    d->mem->backing->page_bytes);
	void *at = part(d, bytes);

	protect(d, at, bytes, PROT_EXEC);
	protect(d, at, bytes, 0);
	/* the pages stay in the file; not for huge ones before Linux 5.18 */
	if (d->mem->backing->fd >= 0 && madvise(at, bytes, MADV_DONTNEED) &&
	    errno != EINVAL)
		fail(d, "madvise(MADV_DONTNEED) of guest memory", -errno);
	d->counts.remaps++;
}

/* A huge page cannot be protected in part, nor a part of it be collapsed. */
static void disturb_thp(struct disturber *d)
{
	u64 huge = d->mem->backing->page_bytes;
	u8 *at = part(d, huge);

	protect(d, at, d->mem->page_bytes, PROT_EXEC);
	protect(d, at, d->mem->page_bytes, 0);
	d->counts.splits++;
	/* may be refused: memory is short, or a page is under way elsewhere */
	if (madvise(at, huge, MADV_COLLAPSE) == 0)
		d->counts.collapses++;
}

static void *disturb(void *arg)
{
	struct disturber *d = arg;

	while (!__atomic_load_n(&d->stop, __ATOMIC_ACQUIRE) && !d->failed) {
		if (d->wanted[DISTURB_SLOTS])
			disturb_slots(d);
		if (d->wanted[DISTURB_REMAP])
			disturb_remap(d);
		if (d->wanted[DISTURB_THP])
			disturb_thp(d);
		sleep_until_ns(now_ns() + PAUSE_NS);
	}
	return NULL;
}

static bool has_huge_pages(const struct testmem *mem)
{
	return backing_is_thp(mem->backing) &&
	       mem->bytes >= mem->backing->page_bytes;
}

static void start(struct disturber *d)
{
	int error = thread_start(&d->thread, disturb, d);

	if (error)
		die("a thread that disturbs: %s%s", strerror(error),
		    process_remedy(error));
}

struct disturber *disturber_start(struct run *r, const struct u64_list *kinds)
{
	struct disturber *d = xcalloc(1, sizeof(*d));

	d->vm = r->vm;
	d->mem = r->mem;
	for (unsigned int i = 0; i < ARRAY_SIZE(d->wanted); i++)
		d->wanted[i] = !kinds->nr;
	for (unsigned int i = 0; i < kinds->nr; i++)
		d->wanted[kinds->v[i]] = true;
	d->wanted[DISTURB_THP] &= has_huge_pages(r->mem);
	d->other = mmap(NULL, OTHER_BYTES, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (d->other == MAP_FAILED)
		die("memory of other slots: %s", errno_text(errno));
	start(d);
	return d;
}

bool disturber_has_failed(const struct disturber *d)
{
	return __atomic_load_n(&d->failed, __ATOMIC_ACQUIRE);
}

struct disturbance_counts disturber_stop(struct disturber *d)
{
	struct disturbance_counts counts = { 0 };

	if (!d)
		return counts;
	__atomic_store_n(&d->stop, true, __ATOMIC_RELEASE);
	thread_join(d->thread, THREAD_END_S, "the thread that disturbs");
	if (d->failed)
		die("%s: %s", d->failed, errno_text(-d->error));
	counts = d->counts;
	munmap(d->other, OTHER_BYTES);
	free(d);
	return counts;
}
