/* SPDX-License-Identifier: GPL-2.0-only */
#include <guest/load.h>
#include <guest/thread.h>

#define LOOKS_PER_TICK 64

/* Of words: below it, another way to sort is faster. */
#define SORT_FEW 16
/* For 2^48 words. */
#define SORT_DEPTH 44

struct range {
	u64 from, to;
};

static u64 *page_of(const struct guest_load *l, u64 i)
{
	return (u64 *)(l->base + i * l->page_bytes);
}

/* Writes first, so that there is one fault for each page, and it is a write's.
 */
static u64 visit(struct guest_cpu *cpu, struct guest_load *l, u64 i)
{
	u64 page = l->first + i, last = l->page_bytes / sizeof(u64) - 1;
	volatile u64 *word = page_of(l, i);
	u64 next;

	word[LOAD_TURN] = l->turn + 1;
	next = word[LOAD_NEXT];
	l->wrong += word[LOAD_MARK] != load_mark(l->seed, page, l->turn);
	l->wrong += word[last] != load_word(l->seed, page, last);
	word[LOAD_MARK] = load_mark(l->seed, page, l->turn + 1);
	WRITE_ONCE(cpu->writes, cpu->writes + 1);
	guest_thread_tick(cpu);
	return next;
}

static void touch(struct guest_cpu *cpu, struct guest_load *l)
{
	for (u64 i = 0; i < l->pages; i++)
		visit(cpu, l, i);
}

static void chase(struct guest_cpu *cpu, struct guest_load *l)
{
	u64 at = 0;

	for (u64 i = 0; i < l->pages; i++) {
		at = visit(cpu, l, at);
		if (at < l->pages)
			continue;
		l->wrong++;
		return;
	}
}

/* Each access counts as progress: they may be to different pages. */
static u64 look(struct guest_cpu *cpu, const volatile u64 *word)
{
	WRITE_ONCE(cpu->reads, cpu->reads + 1);
	if (cpu->reads % LOOKS_PER_TICK == 0)
		guest_thread_tick(cpu);
	return *word;
}

static u64 median(u64 a, u64 b, u64 c)
{
	u64 low = a < b ? a : b, high = a < b ? b : a;

	return c < low ? low : c > high ? high : c;
}

/* Returns where the second part begins, no word of which is the smaller one. */
static u64 divide(struct guest_cpu *cpu, volatile u64 *word, struct range r)
{
	u64 i = r.from, k = r.to - 1;
	u64 pivot = median(look(cpu, &word[i]),
			   look(cpu, &word[i + (k - i) / 2]),
			   look(cpu, &word[k]));

	for (;;) {
		u64 low, high;

		while ((low = look(cpu, &word[i])) < pivot)
			i++;
		while ((high = look(cpu, &word[k])) > pivot)
			k--;
		if (i >= k)
			return k + 1;
		word[i++] = high;
		word[k--] = low;
	}
}

static void insert(struct guest_cpu *cpu, volatile u64 *word, struct range r)
{
	for (u64 i = r.from + 1; i < r.to; i++) {
		u64 value = look(cpu, &word[i]), k = i;

		for (; k > r.from && look(cpu, &word[k - 1]) > value; k--)
			word[k] = word[k - 1];
		word[k] = value;
	}
}

/* Quicksort: the larger part waits, so that they halve at least. */
static void sort(struct guest_cpu *cpu, struct guest_load *l)
{
	volatile u64 *word = page_of(l, 0);
	struct range waiting[SORT_DEPTH];
	struct range r = { 0, l->pages * (l->page_bytes / sizeof(u64)) };
	u64 nr = r.to;
	u32 depth = 0;

	for (;;) {
		while (r.to - r.from > SORT_FEW) {
			u64 at = divide(cpu, word, r);
			bool first = at - r.from > r.to - at;

			waiting[depth++] =
				first ? (struct range){ r.from, at } :
					(struct range){ at, r.to };
			r = first ? (struct range){ at, r.to } :
				    (struct range){ r.from, at };
		}
		insert(cpu, word, r);
		if (!depth)
			break;
		r = waiting[--depth];
	}
	for (u64 i = 1; i < nr; i++)
		l->wrong += look(cpu, &word[i - 1]) > word[i];
}

void guest_load_pass(struct guest_cpu *cpu, struct guest_load *l)
{
	switch (l->pattern) {
	case LOAD_TOUCH:
		touch(cpu, l);
		break;
	case LOAD_CHASE:
		chase(cpu, l);
		break;
	case LOAD_SORT:
		sort(cpu, l);
		break;
	}
	l->turn++;
}
