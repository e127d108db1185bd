/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdlib.h>

#include "id_pool.h"
#include "util.h"

#define WORD_BITS 64

void id_pool_init(struct id_pool *pool, u32 limit)
{
	u32 words = limit / WORD_BITS + 1;

	*pool = (struct id_pool){
		.taken = xcalloc(words, sizeof(*pool->taken)),
		.limit = limit,
		.words = words,
	};
	pool->taken[words - 1] = ~UINT64_C(0) << limit % WORD_BITS;
}

void id_pool_fini(struct id_pool *pool)
{
	free(pool->taken);
	*pool = (struct id_pool){ 0 };
}

bool id_pool_take(struct id_pool *pool, u32 *id)
{
	unsigned int bit;

	while (pool->first < pool->words && !~pool->taken[pool->first])
		pool->first++;
	if (pool->first == pool->words)
		return false;
	bit = __builtin_ctzll(~pool->taken[pool->first]);
	pool->taken[pool->first] |= BIT(bit);
	*id = pool->first * WORD_BITS + bit;
	return true;
}

void id_pool_release(struct id_pool *pool, u32 id)
{
	u32 word = id / WORD_BITS;
	u64 bit = BIT(id % WORD_BITS);

	if (id >= pool->limit || !(pool->taken[word] & bit))
		die("number %u is given back, but is not taken", id);
	pool->taken[word] &= ~bit;
	if (word < pool->first)
		pool->first = word;
}
