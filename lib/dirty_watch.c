/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdlib.h>
#include <string.h>

#include "dirty_watch.h"
#include "util.h"

const char *const dirty_fault_names[] = {
	[FAULT_NONE] = "nothing",	   [FAULT_LOSE_BIT] = "lose-bit",
	[FAULT_LATE_BIT] = "late-bit",	   [FAULT_EXTRA_BIT] = "extra-bit",
	[FAULT_SKIP_RESET] = "skip-reset", NULL,
};

struct dirty_watch {
	struct run *r;
	struct dirty_log *log;
	struct dirty_watch_config cfg;
	u64 pages;
	size_t words;
	u64 *stamp; /* of each page, before the last collection */
	u64 *kept;  /* after it was last cleared */
	u64 *dirty; /* bitmap of the last collection */
	u64 *late;  /* of what is to be in the next one */
	/*
	 * Bitmap of pages that were written about when they were cleared: what
	 * is kept of them may be a write that the next collection is for.
	 */
	u64 *excused;
	u64 countdown; /* to the next fault */
	struct dirty_watch_counts counts;
	char *lost;
};

struct dirty_watch *dirty_watch_create(struct run *r, struct dirty_log *log,
				       const struct dirty_watch_config *cfg)
{
	struct dirty_watch *w = xcalloc(1, sizeof(*w));

	w->r = r;
	w->log = log;
	w->cfg = *cfg;
	w->cfg.force_exits |= arch_cpu_buffers_dirty_pages();
	w->pages = testmem_pages(r->mem);
	w->words = dirty_words(r->mem);
	w->stamp = xcalloc(w->pages, sizeof(u64));
	w->kept = xcalloc(w->pages, sizeof(u64));
	w->dirty = xcalloc(w->words, sizeof(u64));
	w->late = xcalloc(w->words, sizeof(u64));
	w->excused = xcalloc(w->words, sizeof(u64));
	w->countdown = cfg->one_in;
	return w;
}

void dirty_watch_free(struct dirty_watch *w)
{
	if (!w)
		return;
	free(w->stamp);
	free(w->kept);
	free(w->dirty);
	free(w->late);
	free(w->excused);
	free(w->lost);
	free(w);
}

/* What the vCPU did before it stamped, KVM's log included, is visible after. */
static u64 stamp_of(const struct dirty_watch *w, u64 page)
{
	const struct testmem *mem = w->r->mem;
	const u8 *at = (const u8 *)mem->backing->mem + page * mem->page_bytes;

	return __atomic_load_n((const u64 *)(const void *)at, __ATOMIC_ACQUIRE);
}

static bool is_set(const u64 *bitmap, u64 page)
{
	return bitmap[page / 64] & BIT(page % 64);
}

static void flip(u64 *bitmap, u64 page)
{
	bitmap[page / 64] ^= BIT(page % 64);
}

/* True once in N calls. */
static bool is_due(struct dirty_watch *w)
{
	if (--w->countdown)
		return false;
	w->countdown = w->cfg.one_in;
	return true;
}

/* Falsifies what was collected. */
static void inject(struct dirty_watch *w)
{
	bool extra = w->cfg.inject == FAULT_EXTRA_BIT;
	bool late = w->cfg.inject == FAULT_LATE_BIT;

	for (size_t i = 0; i < w->words; i++)
		w->dirty[i] |= w->late[i];
	memset(w->late, 0, w->words * sizeof(u64));
	if (!extra && !late && w->cfg.inject != FAULT_LOSE_BIT)
		return;
	for (u64 page = 0; page < w->pages; page++) {
		if (is_set(w->dirty, page) == extra || !is_due(w))
			continue;
		flip(w->dirty, page);
		if (late)
			flip(w->late, page);
	}
}

static void collect(struct dirty_watch *w)
{
	memset(w->dirty, 0, w->words * sizeof(u64));
	dirty_log_get(w->log);
	dirty_log_merge(w->log, w->dirty);
	w->counts.collections++;
	w->counts.ring_full += dirty_log_ring_full(w->log).exits;
	if (w->cfg.inject != FAULT_NONE)
		inject(w);
	w->counts.logged += bitmap_count(w->dirty, w->words);
}

/* Which slot, of those that the memory is split over. */
static u32 slot_of(const struct testmem *mem, u64 gpa)
{
	u32 i = 0;

	while (gpa >= mem->slot[i].gpa + mem->slot[i].bytes)
		i++;
	return i;
}

static void report_lost(struct dirty_watch *w, u64 page)
{
	const struct testmem *mem = w->r->mem;
	u64 gpa = mem->gpa + page * mem->page_bytes;
	u32 slot = slot_of(mem, gpa);

	w->lost = xasprintf(
		"page %llu (GPA %#llx, memslot %u from %#llx): cleared with stamp %llu, "
		"then written (stamp %llu), and not in collection %llu",
		(unsigned long long)page, (unsigned long long)gpa,
		mem->slot[slot].id, (unsigned long long)mem->slot[slot].gpa,
		(unsigned long long)w->kept[page],
		(unsigned long long)w->stamp[page],
		(unsigned long long)w->counts.collections);
}

static void judge(struct dirty_watch *w)
{
	for (u64 page = 0; page < w->pages; page++) {
		if (w->stamp[page] == w->kept[page])
			continue;
		if (is_set(w->dirty, page)) {
			w->counts.proven++;
			continue;
		}
		w->counts.missing++;
		if (!w->lost)
			report_lost(w, page);
	}
}

static void clear(struct dirty_watch *w)
{
	if (w->cfg.inject == FAULT_SKIP_RESET && is_due(w)) {
		/* where collecting clears there is nothing else to leave out */
		if (dirty_log_mode(w->log) == DIRTY_GET_LOG)
			memcpy(w->late, w->dirty, w->words * sizeof(u64));
		return;
	}
	dirty_log_clear(w->log);
	w->counts.clears += dirty_log_clear_calls(w->log).nr;
}

/* Pages whose every write from now on KVM has to log. */
static void keep(struct dirty_watch *w)
{
	bool full = w->cfg.begins_full && w->counts.collections == 1;
	u64 extra = 0;

	for (u64 page = 0; page < w->pages; page++) {
		u64 stamp;

		if (!is_set(w->dirty, page))
			continue;
		stamp = stamp_of(w, page);
		extra += stamp == w->kept[page] && !is_set(w->excused, page);
		w->kept[page] = stamp;
		if (is_set(w->excused, page) != (stamp != w->stamp[page]))
			flip(w->excused, page);
	}
	if (full)
		return;
	w->counts.extra += extra;
	w->counts.most_extra = max_u64(w->counts.most_extra, extra);
}

bool dirty_watch_round(struct dirty_watch *w)
{
	for (u64 page = 0; page < w->pages; page++)
		w->stamp[page] = stamp_of(w, page);
	if (w->cfg.force_exits)
		gang_force_exits(w->r->gang);
	collect(w);
	judge(w);
	clear(w);
	keep(w);
	return !w->counts.missing && w->counts.most_extra <= w->cfg.most_extra;
}

u64 dirty_watch_finish(struct dirty_watch *w)
{
	dirty_watch_round(w);
	dirty_watch_round(w);
	return bitmap_count(w->dirty, w->words);
}

struct dirty_watch_counts dirty_watch_counts(const struct dirty_watch *w)
{
	return w->counts;
}

const char *dirty_watch_lost(const struct dirty_watch *w)
{
	return w->lost;
}
