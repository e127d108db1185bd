/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdlib.h>
#include <string.h>

#include "dirty_proof.h"
#include "util.h"

const char *const dirty_inject_names[] = {
	[INJECT_NOTHING] = "nothing",
	[INJECT_LOST_PAGE] = "lost-page",
	[INJECT_EXTRA_PAGE] = "extra-page",
	[INJECT_UNCLEARED_PAGE] = "uncleared-page",
	NULL,
};

struct dirty_proof {
	struct run *r;
	struct dirty_log *log;
	enum dirty_inject inject;
	size_t words;
	u64 *expected;
	u64 *logged;
	u64 base_pages; /* mapped so before the pass; 0: not known */
};

struct dirty_proof *dirty_proof_create(struct run *r, struct dirty_log *log,
				       enum dirty_inject inject)
{
	struct dirty_proof *p = xcalloc(1, sizeof(*p));

	p->r = r;
	p->log = log;
	p->inject = inject;
	p->words = dirty_words(r->mem);
	p->expected = xcalloc(p->words, sizeof(u64));
	p->logged = xcalloc(p->words, sizeof(u64));
	return p;
}

void dirty_proof_free(struct dirty_proof *p)
{
	if (!p)
		return;
	free(p->expected);
	free(p->logged);
	free(p);
}

static void clear(struct dirty_proof *p, u64 *bitmap)
{
	memset(bitmap, 0, p->words * sizeof(*bitmap));
}

static void set_bit(u64 *bitmap, u64 bit)
{
	bitmap[bit / 64] |= BIT(bit % 64);
}

void dirty_proof_expect_all(struct dirty_proof *p)
{
	clear(p, p->expected);
	for (u64 i = 0; i < testmem_pages(p->r->mem); i++)
		set_bit(p->expected, i);
}

static u64 base_pages_mapped(const struct dirty_proof *p)
{
	struct mappings m;

	if (mappings_missing(p->r->vm))
		return 0;
	m = mappings_read(p->r->vm);
	return mappings_count(&m, p->r->mem->page_bytes);
}

void dirty_proof_expect_pass(struct dirty_proof *p, const struct workload *w)
{
	clear(p, p->expected);
	workload_mark_pass(w, WORKLOAD_AS_PLANNED, p->expected);
	p->base_pages = base_pages_mapped(p);
}

void dirty_proof_expect_writes(struct dirty_proof *p, const struct workload *w)
{
	clear(p, p->expected);
	workload_mark_pass(w, WORKLOAD_ALL_WRITES, p->expected);
	p->base_pages = base_pages_mapped(p);
}

/*
 * Takes one expected page out of the log, or adds one that was not written.
 * false: there is none, so that nothing was falsified.
 */
static bool falsify(struct dirty_proof *p)
{
	for (u64 i = 0; i < testmem_pages(p->r->mem); i++) {
		u64 bit = BIT(i % 64);
		u64 *logged = &p->logged[i / 64];
		bool lose = p->expected[i / 64] & *logged & bit;

		if (p->inject == INJECT_LOST_PAGE && lose) {
			*logged ^= bit;
			return true;
		}
		if (p->inject == INJECT_EXTRA_PAGE && !(*logged & bit)) {
			*logged |= bit;
			return true;
		}
	}
	return false;
}

/* The log as collected; false: --inject asks for what it does not allow. */
static bool take_log(struct dirty_proof *p, int id)
{
	bool wanted = p->inject == INJECT_LOST_PAGE ||
		      p->inject == INJECT_EXTRA_PAGE;

	clear(p, p->logged);
	dirty_log_merge(p->log, p->logged);
	if (!wanted || falsify(p))
		return true;
	check(p->r, id, false, "--inject %s: no page is fit for it",
	      dirty_inject_names[p->inject]);
	return false;
}

/* KVM counts what it has reset; no vCPU runs that could add to it. */
static void check_reset(struct dirty_proof *p, int id)
{
	struct ring_counts c = dirty_log_ring_counts(p->log);

	if (p->inject == INJECT_UNCLEARED_PAGE)
		c.reset--;
	check(p->r, id, c.reset == c.harvested,
	      "%llu ring entries harvested, %llu of them not reset",
	      (unsigned long long)c.harvested,
	      (unsigned long long)(c.harvested - c.reset));
}

void dirty_proof_check_cleared(struct dirty_proof *p, int id)
{
	u64 left;

	if (dirty_mode_has_rings(dirty_log_mode(p->log))) {
		check_reset(p, id);
		return;
	}
	dirty_log_get(p->log);
	clear(p, p->logged);
	dirty_log_merge(p->log, p->logged);
	if (p->inject == INJECT_UNCLEARED_PAGE)
		set_bit(p->logged, 0);
	left = bitmap_count(p->logged, p->words);
	check(p->r, id, !left, "%llu pages left in the log",
	      (unsigned long long)left);
}

/* Pages that were read at most and still may be in the log. */
static u64 excused(const struct dirty_proof *p)
{
	u64 now = base_pages_mapped(p);

	return arch_read_fault_logs() ? now - min_u64(now, p->base_pages) : 0;
}

void dirty_proof_check_equal(struct dirty_proof *p, int id)
{
	u64 expected, missing, extra;

	if (!take_log(p, id))
		return;
	expected = bitmap_count(p->expected, p->words);
	missing = bitmap_count_without(p->expected, p->logged, p->words);
	extra = bitmap_count_without(p->logged, p->expected, p->words);
	if (!missing && !extra)
		check(p->r, id, true, "logged exactly the %llu pages expected",
		      (unsigned long long)expected);
	else if (!missing && extra <= excused(p))
		check(p->r, id, true,
		      "logged the %llu pages expected, and %llu that were read and "
		      "mapped writable for it",
		      (unsigned long long)expected, (unsigned long long)extra);
	else
		check(p->r, id, false,
		      "of %llu pages expected %llu are missing; %llu others are "
		      "logged",
		      (unsigned long long)expected, (unsigned long long)missing,
		      (unsigned long long)extra);
}

static u64 *first_word(const struct dirty_proof *p, u64 page)
{
	const struct testmem *mem = p->r->mem;
	u8 *at = (u8 *)mem->backing->mem + page * mem->page_bytes;

	return (u64 *)(void *)at;
}

/* No guest counts that far. What the host writes is not KVM's to log. */
#define UNWRITTEN (~UINT64_C(0))

static void mark_unwritten(struct dirty_proof *p)
{
	for (u64 i = 0; i < testmem_pages(p->r->mem); i++)
		WRITE_ONCE(*first_word(p, i), UNWRITTEN);
}

static void check_changed(struct dirty_proof *p, int id)
{
	u64 changed, missing;

	clear(p, p->expected);
	for (u64 i = 0; i < testmem_pages(p->r->mem); i++)
		if (READ_ONCE(*first_word(p, i)) != UNWRITTEN)
			set_bit(p->expected, i);
	if (!take_log(p, id))
		return;
	changed = bitmap_count(p->expected, p->words);
	missing = bitmap_count_without(p->expected, p->logged, p->words);
	if (!p->r->vm->vcpus[0].area->plan.write_below)
		check_not_applicable(p->r, id, "nothing is written");
	else if (!changed)
		check_unverified(p->r, id,
				 "nothing was written after the last clear");
	else
		check(p->r, id, !missing,
		      "%llu pages written after the last clear, %llu of them "
		      "not logged",
		      (unsigned long long)changed, (unsigned long long)missing);
}

void dirty_proof_check_free(struct dirty_proof *p, const char *function,
			    int logged, int cleared)
{
	mark_unwritten(p);
	gang_start(p->r->gang, function);
	gang_wait_accesses(p->r->gang, DIRTY_PROOF_ACCESSES);
	gang_stop(p->r->gang);
	dirty_log_get(p->log);
	check_changed(p, logged);
	dirty_log_clear_all(p->log);
	if (dirty_log_mode(p->log) != DIRTY_GET_LOG)
		dirty_proof_check_cleared(p, cleared);
}

/* KVM does not tell: a pass of writes does. */
static void check_rings_off(struct dirty_proof *p, int id)
{
	u64 entries;

	dirty_log_harvest(p->log);
	dirty_log_clear_all(p->log);
	entries = dirty_log_ring_counts(p->log).harvested;
	gang_round(p->r->gang, "guest_write_all");
	dirty_log_harvest(p->log);
	entries = dirty_log_ring_counts(p->log).harvested - entries;
	check(p->r, id, !entries, "%llu ring entries for a pass of writes",
	      (unsigned long long)entries);
}

void dirty_proof_check_off(struct dirty_proof *p, int id)
{
	u32 slots;

	if (dirty_mode_has_rings(dirty_log_mode(p->log))) {
		check_rings_off(p, id);
		return;
	}
	slots = dirty_log_slots(p->log);
	check(p->r, id, !slots, "%u of %u slots are still logged", slots,
	      p->r->mem->nr_slots);
}
