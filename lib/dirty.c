/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "bitmap.h"
#include "clock.h"
#include "crew.h"
#include "dirty.h"
#include "dirty_ring.h"
#include "interrupt.h"
#include "remedy.h"
#include "util.h"

/* In a row, that change nothing; one or two may be. */
#define VAIN_EXITS 1000

/* How long each of a number of calls took, in the order of the list. */
struct call_times {
	u64 *ns;
	u64 nr;
};

/* A call that clears. */
struct chunk {
	u32 slot;
	u64 first, nr;
};

struct dirty_log {
	struct testmem *mem;
	enum dirty_mode mode;
	u64 **bitmap; /* one per slot */
	u64 wait_ns;
	struct crew *clearers;
	u64 *clearer_ns; /* of each, in calls */
	struct chunk *chunk;
	u64 nr_chunks;
	struct call_times get, clear;
	int error; /* -errno of a thread that must not end the process: of
		      clearers, or with the lock of what has rings */

	/* of rings; also threads of vCPUs get here when a ring is full */
	pthread_mutex_t lock;
	u64 **pending;	 /* harvested since the last get */
	u32 *slot_of_id; /* index of the slot */
	u32 nr_ids;
	u32 *vain;   /* exits for a full ring in a row, by vCPU */
	u64 **found; /* by KVM_GET_DIRTY_LOG beside them, or NULL */
	struct ring_full full, full_of_get;
	struct ring_counts counts;
	char reset_error[160]; /* empty: none */
};

static u64 slot_pages(const struct dirty_log *log, u32 i)
{
	return memslot_pages(&log->mem->slot[i], log->mem->page_bytes);
}

static size_t slot_words(const struct dirty_log *log, u32 i)
{
	return DIV_ROUND_UP(slot_pages(log, i), 64);
}

static u64 **create_bitmaps(const struct dirty_log *log)
{
	u64 **bitmap = xcalloc(log->mem->nr_slots, sizeof(*bitmap));

	for (u32 i = 0; i < log->mem->nr_slots; i++) {
		bitmap[i] = xcalloc(slot_words(log, i), sizeof(u64));
		/* touched */
		memset(bitmap[i], 0xff, slot_words(log, i) * sizeof(u64));
	}
	return bitmap;
}

static void clear_bitmaps(const struct dirty_log *log, u64 **bitmap)
{
	for (u32 i = 0; i < log->mem->nr_slots; i++)
		memset(bitmap[i], 0, slot_words(log, i) * sizeof(u64));
}

static void free_bitmaps(const struct dirty_log *log, u64 **bitmap)
{
	for (u32 i = 0; bitmap && i < log->mem->nr_slots; i++)
		free(bitmap[i]);
	free(bitmap);
}

u64 dirty_chunk_pages(const struct testmem *mem, u64 bytes)
{
	u64 pages = min_u64(bytes, mem->bytes) / mem->page_bytes;

	return ALIGN_UP(max_u64(pages, 1), DIRTY_CLEAR_PAGES);
}

static void create_chunks(struct dirty_log *log, u64 pages)
{
	u64 nr = 0;

	for (u32 i = 0; i < log->mem->nr_slots; i++)
		nr += DIV_ROUND_UP(slot_pages(log, i), pages);
	log->chunk = xcalloc(nr, sizeof(*log->chunk));
	for (u32 i = 0; i < log->mem->nr_slots; i++) {
		for (u64 at = 0; at < slot_pages(log, i); at += pages)
			log->chunk[log->nr_chunks++] = (struct chunk){
				.slot = i,
				.first = at,
				.nr = min_u64(pages, slot_pages(log, i) - at),
			};
	}
}

static struct call_times create_times(u64 nr)
{
	struct call_times times = { .ns = xcalloc(nr, sizeof(*times.ns)) };

	memset(times.ns, 0xff, nr * sizeof(*times.ns));
	return times;
}

static bool ring_full(struct vcpu *vcpu, void *arg);

static void init_rings(struct dirty_log *log)
{
	struct testmem *mem = log->mem;

	log->pending = create_bitmaps(log);
	clear_bitmaps(log, log->pending);
	for (u32 i = 0; i < mem->nr_slots; i++)
		log->nr_ids = max_u64(log->nr_ids, mem->slot[i].id + 1);
	log->slot_of_id = xcalloc(log->nr_ids, sizeof(*log->slot_of_id));
	for (u32 i = 0; i < log->nr_ids; i++)
		log->slot_of_id[i] = mem->nr_slots;
	for (u32 i = 0; i < mem->nr_slots; i++)
		log->slot_of_id[mem->slot[i].id] = i;
	if (log->mode == DIRTY_RING_BITMAP)
		log->found = create_bitmaps(log);
	log->vain = xcalloc(mem->vm->nr_vcpus, sizeof(*log->vain));
	mem->vm->ring_full = ring_full;
	mem->vm->ring_full_arg = log;
}

struct dirty_log *dirty_log_create(struct testmem *mem, enum dirty_mode mode,
				   const struct dirty_options *options)
{
	static const struct dirty_options defaults = DIRTY_OPTIONS_DEFAULTS;
	struct dirty_log *log = xcalloc(1, sizeof(*log));

	options = options ? options : &defaults;
	pthread_mutex_init(&log->lock, NULL);
	log->mem = mem;
	log->mode = mode;
	log->wait_ns = options->wait_ms * NSEC_PER_MSEC;
	log->bitmap = create_bitmaps(log);
	create_chunks(log, dirty_chunk_pages(mem, options->chunk_bytes));
	/* one for all rings, one for each slot */
	log->get = create_times(1 + mem->nr_slots);
	log->clear = create_times(log->nr_chunks);
	log->clearers = crew_create(options->clearers);
	log->clearer_ns = xcalloc(options->clearers, sizeof(*log->clearer_ns));
	if (dirty_mode_has_rings(mode))
		init_rings(log);
	return log;
}

void dirty_log_free(struct dirty_log *log)
{
	if (!log)
		return;
	if (dirty_mode_has_rings(log->mode))
		log->mem->vm->ring_full = NULL;
	crew_free(log->clearers);
	free_bitmaps(log, log->bitmap);
	free_bitmaps(log, log->pending);
	free_bitmaps(log, log->found);
	free(log->slot_of_id);
	free(log->vain);
	free(log->clearer_ns);
	free(log->clear.ns);
	free(log->get.ns);
	free(log->chunk);
	pthread_mutex_destroy(&log->lock);
	free(log);
}

enum dirty_mode dirty_log_mode(const struct dirty_log *log)
{
	return log->mode;
}

/* ---- rings ---- */

static void take_page(void *arg, u32 slot_id, u64 page)
{
	struct dirty_log *log = arg;
	/* the high half is the address space, 0 outside of SMM */
	u32 id = slot_id & 0xffff;
	u32 slot = id < log->nr_ids ? log->slot_of_id[id] : log->mem->nr_slots;

	if (slot == log->mem->nr_slots || page >= slot_pages(log, slot))
		log->error = -ERANGE;
	else
		log->pending[slot][page / 64] |= BIT(page % 64);
}

static void reset_rings(struct dirty_log *log)
{
	int nr = __dirty_ring_reset(log->mem->vm);

	if (nr >= 0) {
		log->counts.reset += nr;
		return;
	}
	log->error = nr;
	snprintf(log->reset_error, sizeof(log->reset_error),
		 "KVM_RESET_DIRTY_RINGS: %s", errno_text(-nr));
}

/*
 * In the vCPU's thread: as a VMM does it that has no thread for it. What goes
 * wrong must not let the vCPU come back for ever.
 */
static bool ring_full(struct vcpu *vcpu, void *arg)
{
	struct dirty_log *log = arg;
	struct ring_counts before;
	u64 start_ns;
	bool fine;

	pthread_mutex_lock(&log->lock);
	/* another thread's turn is counted as its own */
	start_ns = now_ns();
	before = log->counts;
	log->counts.harvested += dirty_ring_harvest(vcpu, take_page, log);
	reset_rings(log);
	/* the main thread may have done it all meanwhile, but not each time */
	if (log->counts.harvested != before.harvested ||
	    log->counts.reset != before.reset)
		log->vain[vcpu->index] = 0;
	else if (++log->vain[vcpu->index] == VAIN_EXITS)
		vcpu->vm->ring_failed =
			"again and again, and there is nothing in it to "
			"harvest, nor to reset: KVM has lost entries";
	log->full.exits++;
	log->full.ns += now_ns() - start_ns;
	if (*log->reset_error)
		vcpu->vm->ring_failed = log->reset_error;
	fine = !log->error && !vcpu->vm->ring_failed;
	pthread_mutex_unlock(&log->lock);
	return fine;
}

/* For threads that must not: by the main thread. */
static void die_if_failed(struct dirty_log *log)
{
	int error;

	pthread_mutex_lock(&log->lock);
	error = log->error;
	pthread_mutex_unlock(&log->lock);
	if (error == -ERANGE)
		die("a dirty ring has a page that is in no slot of the memory "
		    "under test");
	if (error)
		die("%s: %s",
		    dirty_mode_has_rings(log->mode) ? "KVM_RESET_DIRTY_RINGS" :
						      "KVM_CLEAR_DIRTY_LOG",
		    errno_text(-error));
}

/* What vCPUs have harvested since the last time is part of it. */
static u64 harvest_all(struct dirty_log *log)
{
	struct vm *vm = log->mem->vm;
	u64 **bitmap, start_ns, ns;

	pthread_mutex_lock(&log->lock);
	start_ns = now_ns();
	for (u32 i = 0; i < vm->nr_vcpus; i++)
		log->counts.harvested +=
			dirty_ring_harvest(&vm->vcpus[i], take_page, log);
	ns = now_ns() - start_ns;
	bitmap = log->pending;
	log->pending = log->bitmap;
	log->bitmap = bitmap;
	clear_bitmaps(log, log->pending);
	log->full_of_get = log->full;
	log->full = (struct ring_full){ 0 };
	pthread_mutex_unlock(&log->lock);
	return ns;
}

struct ring_full dirty_log_ring_full(const struct dirty_log *log)
{
	return log->full_of_get;
}

struct ring_counts dirty_log_ring_counts(const struct dirty_log *log)
{
	return log->counts;
}

/* ---- collecting ---- */

static void add_call(struct call_times *times, u64 ns)
{
	times->ns[times->nr++] = ns;
}

static void get_bitmaps(struct dirty_log *log, u64 **bitmap)
{
	for (u32 i = 0; i < log->mem->nr_slots; i++) {
		u64 start_ns = now_ns();

		memslot_get_dirty(&log->mem->slot[i], bitmap[i]);
		add_call(&log->get, now_ns() - start_ns);
	}
}

static void add_found(struct dirty_log *log)
{
	for (u32 i = 0; i < log->mem->nr_slots; i++)
		for (size_t k = 0; k < slot_words(log, i); k++)
			log->bitmap[i][k] |= log->found[i][k];
}

static u64 sum(const struct call_times *times)
{
	u64 ns = 0;

	for (u64 i = 0; i < times->nr; i++)
		ns += times->ns[i];
	return ns;
}

void dirty_log_harvest(struct dirty_log *log)
{
	harvest_all(log);
	die_if_failed(log);
}

struct timing dirty_log_get(struct dirty_log *log)
{
	struct usage before = usage_now();
	struct timing t = { 0 };

	log->get.nr = 0;
	if (dirty_mode_has_rings(log->mode))
		add_call(&log->get, harvest_all(log));
	if (log->mode == DIRTY_RING_BITMAP)
		get_bitmaps(log, log->found);
	else if (log->mode != DIRTY_RING)
		get_bitmaps(log, log->bitmap);
	t.usage = usage_since(&before);
	t.ns = sum(&log->get);
	if (log->found)
		add_found(log);
	die_if_failed(log);
	return t;
}

/* ---- clearing ---- */

static void wait_ns(u64 ns, unsigned int clearer)
{
	u64 deadline = now_ns() + ns;

	while (now_ns() < deadline) {
		sleep_until_ns(deadline);
		if (clearer == 0)
			interrupt_check();
	}
}

static void clear_chunk(void *arg, unsigned int clearer, u64 index)
{
	struct dirty_log *log = arg;
	const struct chunk *c = &log->chunk[index];
	u64 start_ns = now_ns(), ns;
	int error = __memslot_clear_dirty(&log->mem->slot[c->slot],
					  log->bitmap[c->slot], c->first,
					  c->nr);

	ns = now_ns() - start_ns;
	if (error)
		__atomic_store_n(&log->error, error, __ATOMIC_RELAXED);
	log->clear.ns[index] = ns;
	log->clearer_ns[clearer] += ns;
	wait_ns(log->wait_ns, clearer);
}

static u64 clear_chunks(struct dirty_log *log)
{
	unsigned int workers = crew_workers(log->clearers);
	u64 longest_ns = 0;

	memset(log->clearer_ns, 0, workers * sizeof(*log->clearer_ns));
	crew_run(log->clearers, log->nr_chunks, clear_chunk, log);
	log->clear.nr = log->nr_chunks;
	for (unsigned int i = 0; i < workers; i++)
		longest_ns = max_u64(longest_ns, log->clearer_ns[i]);
	return longest_ns;
}

static u64 clear_rings(struct dirty_log *log)
{
	u64 start_ns, ns;

	pthread_mutex_lock(&log->lock);
	start_ns = now_ns();
	reset_rings(log);
	ns = now_ns() - start_ns;
	pthread_mutex_unlock(&log->lock);
	log->clear.nr = 0;
	add_call(&log->clear, ns);
	return log->clear.ns[0];
}

struct timing dirty_log_clear(struct dirty_log *log)
{
	struct thread_usage crew = crew_usage(log->clearers);
	struct usage before = usage_now();
	struct timing t = { 0 };

	log->clear.nr = 0;
	if (log->mode == DIRTY_CLEAR_LOG)
		t.ns = clear_chunks(log);
	else if (dirty_mode_has_rings(log->mode))
		t.ns = clear_rings(log);
	t.usage = usage_since(&before);
	usage_move_to_host(&t.usage,
			   thread_usage_sub(crew_usage(log->clearers), crew));
	die_if_failed(log);
	return t;
}

void dirty_log_clear_all(struct dirty_log *log)
{
	if (dirty_mode_has_rings(log->mode))
		clear_rings(log);
	for (u32 i = 0; log->mode == DIRTY_CLEAR_LOG && i < log->mem->nr_slots;
	     i++)
		memslot_clear_dirty(&log->mem->slot[i], log->bitmap[i], 0,
				    slot_pages(log, i));
}

const struct crew *dirty_log_clearers(const struct dirty_log *log)
{
	return log->clearers;
}

u64 dirty_log_max_calls(const struct dirty_log *log)
{
	return max_u64(1 + log->mem->nr_slots, log->nr_chunks);
}

struct dirty_calls dirty_log_get_calls(const struct dirty_log *log)
{
	return (struct dirty_calls){ log->get.ns, log->get.nr };
}

struct dirty_calls dirty_log_clear_calls(const struct dirty_log *log)
{
	return (struct dirty_calls){ log->clear.ns, log->clear.nr };
}

/* ENOENT: Documentation/virt/kvm/api.rst 4.8 */
u32 dirty_log_slots(struct dirty_log *log)
{
	u32 slots = 0;

	for (u32 i = 0; i < log->mem->nr_slots; i++) {
		int error =
			__memslot_get_dirty(&log->mem->slot[i], log->bitmap[i]);

		if (error && error != -ENOENT)
			die("KVM_GET_DIRTY_LOG (slot %u): %s",
			    log->mem->slot[i].id, errno_text(-error));
		if (!error)
			slots++;
	}
	return slots;
}

void dirty_log_merge(const struct dirty_log *log, u64 *bitmap)
{
	u64 at = 0;

	for (u32 i = 0; i < log->mem->nr_slots; i++) {
		bitmap_merge(bitmap, at, log->bitmap[i], slot_pages(log, i));
		at += slot_pages(log, i);
	}
}
