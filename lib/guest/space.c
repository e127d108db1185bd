/* SPDX-License-Identifier: GPL-2.0-only */
/* The part of address spaces that is the same with every table format. */
#include <guest/space.h>

#define OWN_LEAF 0
#define SHARED_LEAF 1

static u64 table_gpa(const struct guest_spaces *all, const u64 *table)
{
	return (u64)table - all->tables_offset;
}

static u64 *take_table(struct guest_spaces *all)
{
	guest_assert(all->pool_nr != 0);
	return ((u64 **)all->pool)[--all->pool_nr];
}

static void give_table(struct guest_spaces *all, u64 *table)
{
	((u64 **)all->pool)[all->pool_nr++] = table;
}

/* The host's top level has few entries and does not change any more. */
static void find_root_entries(struct guest_spaces *all)
{
	const u64 *root = (const u64 *)all->host_root;

	for (u32 i = 0; i < all->page_bytes / sizeof(u64); i++) {
		if (!root[i])
			continue;
		guest_assert(all->nr_root_entries < SPACE_ROOT_ENTRIES);
		guest_assert(i != all->window_index);
		all->root_index[all->nr_root_entries++] = i;
	}
}

/*
 * The window is aligned to its size: below the top level, the path to its first
 * pages is entry 0 of each table.
 */
void space_create(struct space *space, struct guest_spaces *all)
{
	const u64 *host_root = (const u64 *)all->host_root;
	u32 top = all->levels - 1;
	u64 *root;

	if (!all->nr_root_entries)
		find_root_entries(all);
	space->spaces = all;
	space->asid = 0;
	for (u32 i = 0; i <= top; i++)
		space->table[i] = take_table(all);
	root = space->table[top];
	for (u32 i = 0; i < all->nr_root_entries; i++)
		root[all->root_index[i]] = host_root[all->root_index[i]];
	for (u32 i = 1; i <= top; i++)
		space->table[i][i == top ? all->window_index : OWN_LEAF] =
			space_table_entry(table_gpa(all, space->table[i - 1]));
	space->table[1][SHARED_LEAF] =
		space_table_entry(table_gpa(all, (u64 *)all->shared_leaf));
}

void space_map(struct space *space, u32 page, u64 gpa, enum space_page how)
{
	space->table[0][page] = space_page_entry(space->spaces, gpa, how);
}

void space_map_shared(struct guest_spaces *all, u32 page, u64 gpa)
{
	((u64 *)all->shared_leaf)[page] =
		space_page_entry(all, gpa, SPACE_WRITABLE);
}

/* Drops the translation of a page, as far as the CPU itself goes. */
static void drop(struct space *space, u64 gva)
{
	space->dropped = gva;
	guest_kernel_call(space_invalidate, (u64)space);
}

static struct space_shootdown *shootdown_of(const struct space *space)
{
	return (struct space_shootdown *)space->spaces->shootdown;
}

void space_serve(struct space *space)
{
	struct space_shootdown *s = shootdown_of(space);
	u32 *served = &s->cpu[guest_cpu()->index].served;
	u32 request = __atomic_load_n(&s->request, __ATOMIC_ACQUIRE);

	if (request == *served)
		return;
	drop(space, s->gva);
	__atomic_store_n(served, request, __ATOMIC_RELEASE);
}

void space_wait(struct space *space)
{
	struct guest_cpu *cpu = guest_cpu();

	space_serve(space);
	WRITE_ONCE(cpu->passes, cpu->passes + 1);
	arch_pause();
}

static void lock(struct space_shootdown *s, struct space *space)
{
	while (__atomic_exchange_n(&s->lock, 1, __ATOMIC_ACQUIRE))
		space_wait(space);
}

static void drop_on_all(struct space *space, u64 gva)
{
	struct space_shootdown *s = shootdown_of(space);
	u32 request;

	lock(s, space);
	drop(space, gva);
	request = s->request + 1;
	s->gva = gva;
	s->cpu[guest_cpu()->index].served = request;
	__atomic_store_n(&s->request, request, __ATOMIC_RELEASE);
	for (u32 i = 0; i < s->nr_cpus; i++)
		while (__atomic_load_n(&s->cpu[i].served, __ATOMIC_ACQUIRE) !=
		       request)
			arch_pause();
	__atomic_store_n(&s->lock, 0, __ATOMIC_RELEASE);
}

enum reach { THIS_CPU, ALL_CPUS };

static void invalidate(struct space *space, u64 gva, enum reach reach)
{
	const struct guest_spaces *all = space->spaces;

	if (all->invalidation == INVALIDATE_NOTHING)
		return;
	if (all->invalidation == INVALIDATE_BROADCAST)
		reach = space_broadcasts() ? THIS_CPU : ALL_CPUS;
	if (reach == THIS_CPU || all->local)
		drop(space, gva);
	else
		drop_on_all(space, gva);
}

static void remap(struct space *space, u64 *entry, u64 gva, u64 gpa,
		  enum reach reach)
{
	u64 value = space_page_entry(space->spaces, gpa, SPACE_WRITABLE);

	if (space_breaks_before_make()) {
		WRITE_ONCE(*entry, 0);
		space_order_stores();
		invalidate(space, gva, reach);
	}
	WRITE_ONCE(*entry, value);
	space_order_stores();
	if (!space_breaks_before_make())
		invalidate(space, gva, reach);
}

void space_remap(struct space *space, u32 page, u64 gpa)
{
	remap(space, &space->table[0][page], space_page(space->spaces, page),
	      gpa, THIS_CPU);
}

void space_remap_shared(struct space *space, u32 page, u64 gpa)
{
	u64 *leaf = (u64 *)space->spaces->shared_leaf;

	remap(space, &leaf[page], space_shared_page(space->spaces, page), gpa,
	      ALL_CPUS);
}

/* Rounds follow each other: each brings the count to a multiple of the vCPUs.
 */
void space_serve_all(struct space *space)
{
	struct space_shootdown *s = shootdown_of(space);
	u32 finished = __atomic_add_fetch(&s->finished, 1, __ATOMIC_ACQ_REL);
	u32 goal = DIV_ROUND_UP(finished, s->nr_cpus) * s->nr_cpus;

	while (__atomic_load_n(&s->finished, __ATOMIC_ACQUIRE) < goal)
		space_wait(space);
}

void space_free(struct space *space, u32 pages)
{
	struct guest_spaces *all = space->spaces;
	u32 top = all->levels - 1;
	u64 *root = space->table[top];

	for (u32 i = 0; i < pages; i++)
		space->table[0][i] = 0;
	space->table[1][SHARED_LEAF] = 0;
	for (u32 i = 1; i < top; i++)
		space->table[i][OWN_LEAF] = 0;
	root[all->window_index] = 0;
	for (u32 i = 0; i < all->nr_root_entries; i++)
		root[all->root_index[i]] = 0;
	/* in the order in which the next one takes them for the same levels */
	for (u32 i = all->levels; i; i--)
		give_table(all, space->table[i - 1]);
}
