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
/* Code, stacks, areas and plan of a vCPU that come back with them. */
#define PAGES_PER_VCPU 32

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
		check(p->r, id, left + p->own >= before,
		      "none but the slot's own %llu are to go: %llu before, "
		      "%llu left",
		      (unsigned long long)p->own, before, left);
}

/* Of one size, or faults: of @expected entries. */
static bool fits(const struct zap_proof *p, u64 back, u64 expected)
{
	u64 tolerated = expected / TOLERATED;
	u64 besides = PAGES_PER_VCPU * p->r->nr_vcpus;

	if (!p->all)
		return back <= max_u64(p->own, besides);
	return back + tolerated >= expected &&
	       back <= expected + tolerated + besides;
}

static u64 check_mapped(const struct zap_proof *p, int id)
{
	struct mappings back = mappings_sub(read_mappings(p->r), p->left);
	char text[MAPPING_TEXT], expected[MAPPING_TEXT];
	bool ok = true;

	for (unsigned int i = 0; i < MAPPING_SIZES; i++)
		ok = ok && fits(p, back.count[i], p->working_set.count[i]);
	check(p->r, id, ok,
	      "%s mapped again, of a working set of %s %s to come back",
	      mappings_format(back, text),
	      mappings_format(p->working_set, expected),
	      p->all ? "all is" : "none is");
	return mappings_total(&back);
}

static u64 check_faults(const struct zap_proof *p, int id)
{
	u64 faults = p->r->phase_faults.all;
	u64 expected = mappings_total(&p->working_set);
	bool ok = fits(p, faults, expected);

	if (!ok && !fault_counter_is_exact(p->r->faults))
		check_unverified(p->r, id,
				 "%llu exits, which need not be faults",
				 (unsigned long long)faults);
	else
		check(p->r, id, ok,
		      "%llu faults, of a working set of %llu %s to come back",
		      (unsigned long long)faults, (unsigned long long)expected,
		      p->all ? "all is" : "none is");
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
