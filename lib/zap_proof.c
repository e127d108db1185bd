/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "quirks.h"
#include "remedy.h"
#include "util.h"
#include "zap_proof.h"

/* About none of the working set: one in a hundred of its entries. */
#define ABOUT_NONE 100
/* Its entries come back but for one in twenty, and no more. */
#define TOLERATED 20
/* Code, stacks, areas and plan of a vCPU that come back with them: control
 * memory, which is never mapped by blocks. */
#define PAGES_PER_VCPU 32
/* So many times what is let pass tells a working set from it. */
#define CLEARLY_MORE 2

void zap_proof_init(struct zap_proof *p, struct run *r, bool deletes,
		    bool no_quirk)
{
	const struct bench_config *c = r->config;
	const char *quirk = arch_zap_all_quirk(), *others = c->disable_quirks;

	*p = (struct zap_proof){ .r = r };
	if (no_quirk)
		p->quirks = xasprintf("%s%s%s", others ? others : "",
				      others ? "," : "", quirk);
	else if (others)
		p->quirks = xstrdup(others);
	p->all = deletes && quirk && !quirks_include(p->quirks, quirk);
	r->disable_quirks = p->quirks;
}

void zap_proof_fini(struct zap_proof *p)
{
	p->r->disable_quirks = NULL;
	free(p->quirks);
}

const char *zap_proof_missing(int kvm_fd, bool no_quirk)
{
	if (!no_quirk)
		return NULL;
	if (!arch_zap_all_quirk())
		return "KVM drops only what the slot maps on this architecture";
	return quirks_missing(kvm_fd, arch_zap_all_quirk());
}

static struct mappings read_mappings(const struct run *r)
{
	if (mappings_missing(r->vm))
		return (struct mappings){ 0 };
	return mappings_read(r->vm);
}

void zap_proof_begin(struct zap_proof *p)
{
	p->working_set = p->r->mapped;
	p->before = read_mappings(p->r);
}

/* Entries of one size that the slot itself has at most. */
static u64 own_entries(const struct zap_proof *p, unsigned int size)
{
	u64 bytes[ARCH_BLOCK_SIZES];

	if (size >= arch_stage2_sizes(bytes))
		return 0;
	return p->own * p->r->mem->page_bytes / bytes[size];
}

static bool all_left(const struct zap_proof *p)
{
	for (unsigned int i = 0; i < MAPPING_SIZES; i++)
		if (p->before.count[i] > p->left.count[i] + own_entries(p, i))
			return false;
	return true;
}

void zap_proof_check_left(struct zap_proof *p, int id)
{
	unsigned long long before = mappings_total(&p->before), left;

	if (mappings_missing(p->r->vm)) {
		check_not_applicable(p->r, id,
				     "KVM does not count mappings here: the "
				     "faults of the pass after it tell");
		return;
	}
	p->left = read_mappings(p->r);
	left = mappings_total(&p->left);
	if (p->all)
		check(p->r, id,
		      left <= mappings_total(&p->working_set) / ABOUT_NONE,
		      "all are to go: %llu before, %llu left", before, left);
	else
		check(p->r, id, all_left(p),
		      "none but the slot's own %llu are to go: %llu before, "
		      "%llu left",
		      (unsigned long long)p->own, before, left);
}

static bool counts_test_memory_alone(const struct run *r)
{
	return mappings_missing(r->vm) && fault_counter_is_exact(r->faults);
}

/* Entries of one size that may come back besides the working set. */
static u64 besides(const struct zap_proof *p, unsigned int size)
{
	if (size || counts_test_memory_alone(p->r))
		return 0;
	return PAGES_PER_VCPU * p->r->nr_vcpus;
}

/* As many of one size, of @expected, come back if nothing was dropped. */
static u64 let_pass(const struct zap_proof *p, unsigned int size, u64 expected)
{
	u64 none = besides(p, size) ? besides(p, size) : expected / ABOUT_NONE;

	if (counts_test_memory_alone(p->r))
		return none;
	return max_u64(own_entries(p, size), none);
}

/* Would it be seen if all @expected of one size came back, or none? */
static bool tells(const struct zap_proof *p, unsigned int size, u64 expected)
{
	u64 most = p->all ? besides(p, size) : let_pass(p, size, expected);

	return expected && expected >= CLEARLY_MORE * most;
}

static bool fits(const struct zap_proof *p, unsigned int size, u64 back,
		 u64 expected)
{
	u64 tolerated = expected / TOLERATED;

	if (!p->all)
		return back <= let_pass(p, size, expected);
	return back + tolerated >= expected &&
	       back <= expected + tolerated + besides(p, size);
}

/* @told: it would have been seen if it were otherwise. */
static void conclude(const struct zap_proof *p, int id, bool ok, bool told,
		     const char *back)
{
	char expected[MAPPING_TEXT];

	mappings_format(p->working_set, expected);
	if (ok && !told)
		check_unverified(p->r, id,
				 "%s, but a working set of %s is too small to "
				 "be told from what else there is: choose "
				 "larger --bytes",
				 back, expected);
	else
		check(p->r, id, ok,
		      "%s, of a working set of %s %s to come back", back,
		      expected, p->all ? "all is" : "none is");
}

static u64 check_mapped(const struct zap_proof *p, int id)
{
	struct mappings back = mappings_sub(read_mappings(p->r), p->left);
	const u64 *expected = p->working_set.count;
	bool ok = true, told = false;
	char text[MAPPING_TEXT], *found;

	for (unsigned int i = 0; i < MAPPING_SIZES; i++) {
		ok = ok && fits(p, i, back.count[i], expected[i]);
		told = told || tells(p, i, expected[i]);
	}
	found = xasprintf("%s mapped again", mappings_format(back, text));
	conclude(p, id, ok, told, found);
	free(found);
	return mappings_total(&back);
}

/* Any of them may be of a base page. */
static u64 check_faults(const struct zap_proof *p, int id)
{
	u64 faults = p->r->phase_faults.all;
	u64 expected = mappings_total(&p->working_set);
	bool ok = fits(p, 0, faults, expected);
	char *found;

	if (!ok && !fault_counter_is_exact(p->r->faults)) {
		if (!check_is_proven(p->r, id))
			check_unverified(p->r, id,
					 "%llu exits, which need not be faults",
					 (unsigned long long)faults);
		return faults;
	}
	found = xasprintf("%llu faults", (unsigned long long)faults);
	conclude(p, id, ok, tells(p, 0, expected), found);
	free(found);
	return faults;
}

bool zap_proof_check_refaults(struct zap_proof *p, int id, u64 *refaults)
{
	const char *missing = mappings_missing(p->r->vm);

	/* nothing was found out of how the memory was mapped */
	if (!missing && !mappings_total(&p->working_set))
		missing = "the working set is not known";
	if (missing && (!p->r->faults || !mappings_total(&p->working_set))) {
		check_unverified(p->r, id, "%s", missing);
		return false;
	}
	*refaults = missing ? check_faults(p, id) : check_mapped(p, id);
	return true;
}

/* Taking a permission away invalidates KVM's mappings. */
void zap_proof_falsify(const struct zap_proof *p)
{
	const struct backing *b = p->r->mem->backing;

	if (mprotect(b->mem, b->bytes, PROT_READ) ||
	    mprotect(b->mem, b->bytes, PROT_READ | PROT_WRITE))
		die("mprotect of guest memory: %s", errno_text(errno));
}

static u64 sum_stat(const struct vm *vm, int stat)
{
	u64 *values = xcalloc(kvm_stats_nr(vm->vcpus[0].stats), sizeof(u64));
	u64 sum = 0;

	for (u32 i = 0; i < vm->nr_vcpus; i++) {
		kvm_stats_read(vm->vcpus[i].stats, values);
		sum += values[stat];
	}
	free(values);
	return sum;
}

bool zap_proof_faults(const struct run *r, u64 *faults)
{
	const char *name = arch_fault_stat();
	int stat = -1;

	if (r->faults) {
		*faults = fault_counter_read(r->faults).all;
		return true;
	}
	if (name && r->vm->vcpus[0].stats)
		stat = kvm_stats_find(r->vm->vcpus[0].stats, name);
	if (stat >= 0)
		*faults = sum_stat(r->vm, stat);
	return stat >= 0;
}
