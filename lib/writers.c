/* SPDX-License-Identifier: GPL-2.0-only */
#include "writers.h"

void writers_init(struct writers *w, struct run *r, u64 passes)
{
	*w = (struct writers){ .r = r, .passes = passes };
	w->writer = vm_alloc(r->vm, r->nr_vcpus * sizeof(*w->writer), 64);
	for (u32 i = 0; i < r->nr_vcpus; i++)
		r->vm->vcpus[i].area->private = vm_gva(r->vm, &w->writer[i]);
}

void writers_assign(struct writers *w)
{
	const struct testmem *mem = w->r->mem;
	u64 nr = w->r->nr_vcpus;

	for (u32 i = 0; i < nr; i++) {
		u64 first = testmem_pages(mem) * i / nr;
		u64 end = testmem_pages(mem) * (i + 1) / nr;

		w->writer[i] = (struct guest_writer){
			.base = mem->gva + first * mem->page_bytes,
			.page_bytes = mem->page_bytes,
			.first = first,
			.pages = end - first,
			.passes = w->passes,
		};
	}
}

void writers_discount(const struct writers *w, struct timing *t)
{
	double tick_ns = run_tick_ns(w->r);

	for (u32 i = 0; i < w->r->nr_vcpus; i++)
		if (w->writer[i].rom.words)
			gang_discount(w->r->gang, t, i,
				      w->writer[i].overtime * tick_ns);
}

static u64 *words_of(const struct testmem *mem, u64 page)
{
	u8 *at = (u8 *)mem->backing->mem + page * mem->page_bytes;

	return (u64 *)(void *)at;
}

static bool is_wrong(const struct testmem *mem, u64 page, u64 expected)
{
	const u64 *word = words_of(mem, page);

	for (u64 i = 0; i < mem->page_bytes / sizeof(*word); i++)
		if (word[i] != expected)
			return true;
	return false;
}

void writers_check(const struct writers *w, int id)
{
	const struct testmem *mem = w->r->mem;
	u64 wrong = 0;

	for (u64 page = 0; page < testmem_pages(mem); page++)
		wrong += is_wrong(mem, page, writer_word(w->passes, page));
	check(w->r, id, !wrong, "%llu of %llu pages wrong",
	      (unsigned long long)wrong,
	      (unsigned long long)testmem_pages(mem));
}

void writers_lose_write(const struct writers *w)
{
	const struct testmem *mem = w->r->mem;
	u64 page = testmem_pages(mem) - 1;

	words_of(mem, page)[mem->page_bytes / sizeof(u64) - 1] =
		writer_word(w->passes - 1, page);
}
