/* SPDX-License-Identifier: GPL-2.0-only */
#include <guest/load.h>
#include <guest/thread.h>

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
	return *word;
}

/* The word at @i sinks to where no larger one is below it. */
static void sink(struct guest_cpu *cpu, volatile u64 *word, u64 i, u64 nr)
{
	u64 value = look(cpu, &word[i]), child;

	for (; (child = 2 * i + 1) < nr; i = child) {
		u64 larger = look(cpu, &word[child]), other = 0;

		if (child + 1 < nr)
			other = look(cpu, &word[child + 1]);
		if (other > larger) {
			larger = other;
			child++;
		}
		if (larger <= value)
			break;
		word[i] = larger;
	}
	word[i] = value;
	guest_thread_tick(cpu);
}

static void sort(struct guest_cpu *cpu, struct guest_load *l)
{
	u64 nr = l->pages * (l->page_bytes / sizeof(u64));
	volatile u64 *word = page_of(l, 0);

	for (u64 i = nr / 2; i--;)
		sink(cpu, word, i, nr);
	for (u64 left = nr - 1; left; left--) {
		u64 largest = look(cpu, &word[0]);

		word[0] = look(cpu, &word[left]);
		word[left] = largest;
		sink(cpu, word, 0, left);
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
