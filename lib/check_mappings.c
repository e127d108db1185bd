/* SPDX-License-Identifier: GPL-2.0-only */
/* The proof that runs through all benchmarks: what KVM has mapped, and how. */
#include <stdlib.h>

#include "bench.h"
#include "util.h"

#define CHANGE_TEXT (2 * MAPPING_TEXT + 16)

/* More wrong faults than memory has pages, for each wrong mapping asked for. */
#define FAULTS_WRONG UINT32_MAX

static u64 blocks(const struct mappings *m)
{
	return mappings_total(m) - m->count[0];
}

/* One word for how @from became @to. */
static const char *verb(const struct mappings *from, const struct mappings *to)
{
	if (mappings_equal(*from, *to))
		return "kept";
	if (!mappings_total(from))
		return "created";
	if (!mappings_total(to))
		return "dropped";
	if (blocks(to) < blocks(from) && to->count[0] > from->count[0])
		return "split";
	if (blocks(to) > blocks(from) && to->count[0] < from->count[0])
		return "coalesced";
	return "changed";
}

/* "split 128 x 2M to 65536 x 4K", "kept 65536 x 4K". Returns @buf. */
static const char *describe(const struct mappings *from,
			    const struct mappings *to, char buf[CHANGE_TEXT])
{
	char a[MAPPING_TEXT], b[MAPPING_TEXT];

	mappings_format(*from, a);
	mappings_format(*to, b);
	if (!mappings_total(from) || mappings_equal(*from, *to))
		snprintf(buf, CHANGE_TEXT, "%s %s", verb(from, to), b);
	else
		snprintf(buf, CHANGE_TEXT, "%s %s to %s", verb(from, to), a, b);
	return buf;
}

/* Reads the mappings of the memory under test and remembers them; @wrong more
 * are pretended. */
static struct mappings look(struct run *r, u64 wrong, char buf[CHANGE_TEXT])
{
	struct mappings before = r->mapped;

	r->mapped = mappings_sub(mappings_read(r->vm), r->baseline);
	r->mapped.count[0] += wrong;
	describe(&before, &r->mapped, buf);
	return r->mapped;
}

/* By which blocks the memory can be mapped, if they were all accessed. */
static const char *expect_blocks(const struct run *r, u64 granule,
				 struct mappings *expected)
{
	const char *unknown = testmem_expect(r->mem, expected);
	u64 size[ARCH_BLOCK_SIZES];
	unsigned int nr = arch_stage2_sizes(size);

	for (unsigned int i = 0; !unknown && i < nr; i++)
		if (size[i] < granule && expected->count[i])
			unknown = "some of it is mapped by less than what one "
				  "access was made to";
	return unknown;
}

static const char *expect(const struct run *r,
			  const struct mapping_claim *claim,
			  struct mappings *expected)
{
	if (claim->now == MAPPED_BY_BLOCKS)
		return expect_blocks(r, claim->granule, expected);
	if (claim->now == MAPPED_AS_BEFORE) {
		*expected = r->mapped;
		return NULL;
	}
	*expected = (struct mappings){ 0 };
	mappings_add(expected, r->mem->page_bytes,
		     claim->now == MAPPED_PARTLY ? claim->protected_pages :
						   testmem_pages(r->mem));
	return NULL;
}

/* How much of a block KVM maps when it splits it is its own choice. */
static bool agrees(const struct run *r, const struct mapping_claim *claim,
		   struct mappings found, struct mappings expected)
{
	u64 page = r->mem->page_bytes;

	if (claim->now == MAPPED_PARTLY)
		return mappings_count(&found, page) >=
		       mappings_count(&expected, page);
	return mappings_equal(found, expected);
}

static void check_count(struct run *r, int id,
			const struct mapping_claim *claim,
			struct mappings expected)
{
	char change[CHANGE_TEXT], wanted[MAPPING_TEXT];
	struct mappings found = look(r, claim->wrong, change);

	if (agrees(r, claim, found, expected))
		check(r, id, true, "%s", change);
	else
		check(r, id, false, "%s, expected %s", change,
		      mappings_format(expected, wanted));
}

/*
 * Fewer than one split block takes more: vCPUs that fault at the same page at
 * once may have to try again, but a page is made at once.
 */
static u64 faults_slack(const struct run *r)
{
	u64 size[ARCH_BLOCK_SIZES];

	arch_stage2_sizes(size);
	return size[1] / r->mem->page_bytes - 1;
}

/*
 * All but one of those that meet at an entry try again until it is made, nobody
 * knows how often, but not in tables of pages: include/faults.h.
 */
static bool vcpus_meet(const struct run *r)
{
	return r->nr_vcpus > 1 && fault_counter_is_exact(r->faults);
}

/* Faults of @least entries; where vCPUs meet, those in tables of pages. */
static u64 most_faults(const struct run *r, u64 least)
{
	/* some exits are none: fewer than pages still tells blocks apart */
	if (!fault_counter_is_exact(r->faults))
		return least < testmem_pages(r->mem) ?
			       testmem_pages(r->mem) - 1 :
			       ~UINT64_C(0);
	if (vcpus_meet(r) && least)
		return least * r->nr_vcpus + faults_slack(r);
	return least;
}

/* "4 faults", "5 faults, 1 in a table of pages", "at most 9 faults" */
static char *describe_faults(const struct run *r, struct faults f)
{
	unsigned long long all = f.all, at_pages = f.at_pages;

	if (vcpus_meet(r))
		return xasprintf("%llu faults, %llu in tables of pages", all,
				 at_pages);
	return xasprintf("%s%llu faults",
			 fault_counter_is_exact(r->faults) ? "" : "at most ",
			 all);
}

/*
 * One fault for each entry that was made or given back its write permission.
 * Several vCPUs may fault at the same entry each.
 */
static void check_faults(struct run *r, int id,
			 const struct mapping_claim *claim,
			 struct mappings expected)
{
	struct faults found = r->phase_faults;
	u64 pages = testmem_pages(r->mem);
	char change[CHANGE_TEXT], *text;
	u64 least, most;
	bool meet, fits;

	least = mappings_equal(r->mapped, expected) ? 0 :
						      mappings_total(&expected);
	if (claim->protected_pages)
		least = claim->protected_pages;
	most = most_faults(r, least);
	meet = least && vcpus_meet(r);
	found.all += claim->wrong * FAULTS_WRONG;
	found.at_pages += claim->wrong * FAULTS_WRONG;
	describe(&r->mapped, &expected, change);
	r->mapped = expected;
	/* of pages, the first of a block would make the table */
	if (meet && least < pages && most >= pages - least && !claim->wrong) {
		check_unverified(r, id,
				 "so few blocks that vCPUs may have met at "
				 "them as often as there are pages");
		return;
	}
	fits = found.all >= least &&
	       (meet ? found.at_pages : found.all) <= most;
	text = describe_faults(r, found);
	check(r, id, fits, "%s: %s%s (%s)", change, text,
	      fits ? "" : " do not fit", fault_counter_name(r->faults));
	free(text);
}

void check_mappings(struct run *r, int id, struct mapping_claim claim)
{
	const char *missing = mappings_missing(r->vm);
	struct mappings expected;
	const char *unknown = expect(r, &claim, &expected);
	char change[CHANGE_TEXT];

	/* what comes later is compared with what is there, right or wrong */
	if (unknown && !missing)
		look(r, 0, change);
	if (missing && !r->faults)
		check_unverified(r, id, "%s", missing);
	else if (unknown)
		check_unverified(r, id, "%s", unknown);
	else if (missing)
		check_faults(r, id, &claim, expected);
	else
		check_count(r, id, &claim, expected);
}

void remark_mappings(struct run *r, int metric)
{
	char change[CHANGE_TEXT];

	if (mappings_missing(r->vm))
		return;
	look(r, 0, change);
	remark(r, metric, "%s", change);
}

void note_block_limit(struct run *r)
{
	const char *why = testmem_block_limit(r->mem);
	char page[UNIT_LEN];

	if (why)
		note(r, "host pages of %s, but not all mapped as blocks: %s",
		     format_size(page, r->mem->backing->page_bytes), why);
}
