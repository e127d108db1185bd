/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdlib.h>

#include "load.h"
#include "random.h"
#include "util.h"

const char *const load_names[] = { [LOAD_TOUCH] = "touch",
				   [LOAD_CHASE] = "chase",
				   [LOAD_SORT] = "sort",
				   NULL };

struct load {
	struct load_config cfg;
	u64 words; /* of a page */
	u32 *next; /* of each page, within its share */
};

static u64 first_page(const struct load *l, u64 share)
{
	return l->cfg.pages * share / l->cfg.shares;
}

/* One cycle through all pages of a share, in random order from the first. */
static void link_share(struct load *l, u64 first, u64 pages, u64 *state)
{
	u32 *order = xcalloc(pages, sizeof(*order));

	for (u64 i = 0; i < pages; i++)
		order[i] = i;
	for (u64 i = pages - 1; i > 1; i--) {
		u32 k = 1 + random_below(state, i);
		u32 other = order[k];

		order[k] = order[i];
		order[i] = other;
	}
	for (u64 i = 0; i < pages; i++)
		l->next[first + order[i]] = order[(i + 1) % pages];
	free(order);
}

struct load *load_create(const struct load_config *cfg)
{
	struct load *l = xcalloc(1, sizeof(*l));
	u64 state = cfg->seed;

	l->cfg = *cfg;
	l->words = cfg->page_bytes / sizeof(u64);
	l->next = xcalloc(cfg->pages, sizeof(*l->next));
	for (u64 i = 0; i < cfg->shares; i++) {
		u64 first = first_page(l, i);

		link_share(l, first, first_page(l, i + 1) - first, &state);
	}
	return l;
}

void load_free(struct load *l)
{
	if (!l)
		return;
	free(l->next);
	free(l);
}

struct guest_load load_share(const struct load *l, u64 i)
{
	u64 first = first_page(l, i);

	return (struct guest_load){
		.base = l->cfg.base_gva + first * l->cfg.page_bytes,
		.page_bytes = l->cfg.page_bytes,
		.first = first,
		.pages = first_page(l, i + 1) - first,
		.seed = l->cfg.seed,
		.pattern = l->cfg.pattern,
	};
}

static void fill(const struct load *l, u64 page, u64 turns, u64 *word)
{
	for (u64 i = 0; i < l->words; i++)
		word[i] = load_word(l->cfg.seed, page, i);
	if (l->cfg.pattern == LOAD_SORT)
		return;
	word[LOAD_MARK] = load_mark(l->cfg.seed, page, turns);
	word[LOAD_TURN] = turns;
	word[LOAD_NEXT] = l->next[page];
}

void load_fill(const void *load, u64 page, void *to)
{
	const struct load *l = load;
	u64 *word = to;

	fill(l, page, 0, word);
	if (page < l->cfg.wrong)
		word[l->words - 1]++;
}

/* The same words, sorted: each once, whatever their order was. */
static u64 count_unsorted(const struct load *l, const u64 *word, u64 share)
{
	u64 first = first_page(l, share), end = first_page(l, share + 1);
	u64 sum = 0, mixed = 0;

	for (u64 page = first; page < end; page++) {
		for (u64 i = 0; i < l->words; i++) {
			u64 is = word[page * l->words + i];
			u64 was = load_word(l->cfg.seed, page, i);

			if ((page > first || i) &&
			    word[page * l->words + i - 1] > is)
				return 1;
			sum += is - was;
			mixed += load_mix(is) - load_mix(was);
		}
	}
	return sum || mixed;
}

static u64 count_unlike(const struct load *l, const u64 *word, u64 turns)
{
	u64 *expected = xcalloc(l->words, sizeof(*expected));
	u64 wrong = 0;

	for (u64 page = 0; page < l->cfg.pages; page++) {
		const u64 *is = word + page * l->words;
		u64 i = 0;

		fill(l, page, turns, expected);
		while (i < l->words && is[i] == expected[i])
			i++;
		wrong += i < l->words;
	}
	free(expected);
	return wrong;
}

u64 load_count_wrong(const struct load *l, const void *mem, u64 turns)
{
	u64 wrong = 0;

	if (l->cfg.pattern != LOAD_SORT)
		return count_unlike(l, mem, turns);
	for (u64 i = 0; i < l->cfg.shares; i++)
		wrong += count_unsorted(l, mem, i);
	return wrong;
}
