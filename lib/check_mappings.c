/* SPDX-License-Identifier: GPL-2.0-only */
/* The proof that runs through all benchmarks: what KVM has mapped, and how. */
#include "bench.h"

#define CHANGE_TEXT (2 * MAPPING_TEXT + 16)

/* One word for how @from became @to. */
static const char *verb(const struct mappings *from, const struct mappings *to)
{
	if (mappings_equal(*from, *to))
		return "kept";
	if (!mappings_total(from))
		return "created";
	if (!mappings_total(to))
		return "dropped";
	/* larger blocks are fewer entries for the same memory */
	if (mappings_total(to) > mappings_total(from) &&
	    to->count[0] > from->count[0])
		return "split";
	return to->count[0] ? "changed" : "coalesced";
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

/* Reads the mappings of the memory under test and remembers them. */
static struct mappings look(struct run *r, char buf[CHANGE_TEXT])
{
	struct mappings before = r->mapped;

	r->mapped = mappings_sub(mappings_read(r->vm), r->baseline);
	describe(&before, &r->mapped, buf);
	return r->mapped;
}

static bool expect(const struct run *r, enum expectation e,
		   struct mappings *expected)
{
	if (e == EXPECT_BLOCKS)
		return testmem_expect(r->mem, expected);
	*expected = (struct mappings){ 0 };
	mappings_add(expected, r->mem->page_bytes, testmem_pages(r->mem));
	return true;
}

void check_mappings(struct run *r, int id, enum expectation e, u64 wrong)
{
	const char *missing = mappings_missing(r->vm);
	char change[CHANGE_TEXT], wanted[MAPPING_TEXT];
	struct mappings expected, found;

	if (missing) {
		check_unverified(r, id, "%s", missing);
		return;
	}
	if (!expect(r, e, &expected)) {
		check_unverified(r, id, "/proc/self/smaps cannot be read");
		return;
	}
	found = look(r, change);
	found.count[0] += wrong;
	if (mappings_equal(found, expected))
		check(r, id, true, "%s", change);
	else
		check(r, id, false, "%s, expected %s", change,
		      mappings_format(expected, wanted));
}

void remark_mappings(struct run *r, int metric)
{
	char change[CHANGE_TEXT];

	if (mappings_missing(r->vm))
		return;
	look(r, change);
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
