/* SPDX-License-Identifier: GPL-2.0-only */
#include <guest/thread.h>

/* At the end of thread 1's stack, where that of thread 0 would overflow to. */
#define CANARY UINT64_C(0x6b766d2063616e61)

static u64 *canary(struct guest_cpu *cpu)
{
	return (u64 *)((u64)cpu + GUEST_THREAD_STACK_TOP) - 1;
}

static bool take(struct guest_tokens *t, u32 token)
{
	for (u32 i = 0; i < t->nr; i++) {
		if (t->token[i] != token)
			continue;
		t->token[i] = t->token[--t->nr];
		return true;
	}
	return false;
}

static void put(struct guest_scheduler *s, struct guest_tokens *t, u32 token)
{
	if (t->nr < GUEST_TOKENS)
		t->token[t->nr++] = token;
	else
		s->overflow++;
}

static u64 progress_of(const struct guest_cpu *cpu)
{
	return cpu->reads + cpu->writes + cpu->passes;
}

/* The thread that runs cannot go on. */
static void take_not_present(struct guest_cpu *cpu, struct guest_scheduler *s)
{
	struct guest_thread *t = &s->thread[s->current];
	u32 token = cpu->async_pf.not_present;
	u64 progress = progress_of(cpu);

	if (!token)
		return;
	cpu->async_pf.not_present = 0;
	s->repeated += s->not_present && t->progress == progress;
	s->not_present++;
	t->progress = progress;
	if (take(&s->unmatched, token)) {
		s->early++;
		return;
	}
	put(s, &s->waiting, token);
	t->since = cpu->async_pf.since;
	t->token = token;
}

static void wake(struct guest_scheduler *s, u32 token)
{
	for (u32 i = 0; i < s->nr; i++) {
		struct guest_thread *t = &s->thread[i];

		if (!t->token ||
		    (token != ASYNC_PF_WAKE_ALL && t->token != token))
			continue;
		t->token = 0;
		/* a long wait earns no more than a quantum */
		if (t->ran + s->quantum < s->thread[1 - i].ran)
			t->ran = s->thread[1 - i].ran - s->quantum;
	}
}

static void count_in_flight(struct guest_scheduler *s, u32 token)
{
	for (u32 i = 0; i < s->nr; i++) {
		u64 ticks = arch_counter() - s->thread[i].since;

		if (s->thread[i].token != token)
			continue;
		if (!s->in_flight.nr || ticks < s->shortest)
			s->shortest = ticks;
		guest_histogram_add(&s->in_flight, ticks);
	}
}

static void take_ready(struct guest_scheduler *s, u32 token)
{
	if (!token) {
		s->empty++;
		return;
	}
	if (token == ASYNC_PF_WAKE_ALL) {
		s->wake_all++;
		wake(s, token);
		return;
	}
	if (s->lost < s->lose) {
		s->lost++;
		wake(s, token);
		return;
	}
	s->ready++;
	count_in_flight(s, token);
	if (!take(&s->waiting, token))
		put(s, &s->unmatched, token);
	wake(s, token);
}

static void take_events(struct guest_cpu *cpu, struct guest_scheduler *s)
{
	struct guest_async_pf *a = &cpu->async_pf;

	while (a->tail != READ_ONCE(a->head)) {
		u32 token = READ_ONCE(a->ready[a->tail]);

		a->tail = (a->tail + 1) % ASYNC_PF_READY_MAX;
		take_ready(s, token);
	}
}

/* The runnable thread that has run less; NULL: all wait. */
static struct guest_thread *choose(struct guest_scheduler *s)
{
	struct guest_thread *best = NULL;

	for (u32 i = 0; i < s->nr; i++) {
		struct guest_thread *t = &s->thread[i];

		if (!t->token && (!best || t->ran < best->ran))
			best = t;
	}
	return best;
}

static void charge(struct guest_scheduler *s)
{
	u64 now = arch_counter(), ticks = now - s->slice_start;

	if (s->longest && ticks > s->longest)
		ticks = s->longest;
	s->thread[s->current].ran += ticks;
	s->slice_start = now;
}

/* Returns on the stack of the thread that goes on. */
static void switch_to(struct guest_scheduler *s, struct guest_thread *next)
{
	struct guest_thread *last = &s->thread[s->current];

	s->current = next - s->thread;
	if (next != last)
		arch_switch(&last->sp, next->sp);
}

static void run_next(struct guest_cpu *cpu, struct guest_scheduler *s)
{
	struct guest_thread *next;

	charge(s);
	take_events(cpu, s);
	while (!(next = choose(s))) {
		guest_async_pf_idle(cpu);
		take_events(cpu, s);
		s->slice_start = arch_counter();
	}
	switch_to(s, next);
}

static bool has_events(const struct guest_async_pf *a)
{
	return a->tail != READ_ONCE(a->head);
}

/* An event that came while we were busy must not wait for the next. */
static void leave(struct guest_cpu *cpu, struct guest_scheduler *s)
{
	struct guest_async_pf *a = &cpu->async_pf;

	WRITE_ONCE(a->busy, 0);
	while (has_events(a)) {
		WRITE_ONCE(a->busy, 1);
		run_next(cpu, s);
		WRITE_ONCE(a->busy, 0);
	}
}

void guest_async_pf_event(void)
{
	struct guest_cpu *cpu = guest_cpu();
	struct guest_scheduler *s = guest_scheduler(cpu);

	take_not_present(cpu, s);
	run_next(cpu, s);
	leave(cpu, s);
}

void guest_thread_yield(struct guest_cpu *cpu)
{
	struct guest_scheduler *s = guest_scheduler(cpu);

	WRITE_ONCE(cpu->async_pf.busy, 1);
	run_next(cpu, s);
	leave(cpu, s);
}

/* Where arch_switch() goes to when it enters thread 1 for the first time. */
static void begin_second(void)
{
	struct guest_cpu *cpu = guest_cpu();
	struct guest_scheduler *s = guest_scheduler(cpu);

	leave(cpu, s);
	((void (*)(struct guest_cpu *))s->function)(cpu);
	guest_fail(__FILE__, __LINE__, "the second thread has returned", 0, 0);
}

void guest_threads_begin(struct guest_cpu *cpu, struct guest_scheduler *s,
			 void (*second)(struct guest_cpu *cpu))
{
	for (u32 i = 0; i < GUEST_THREADS; i++)
		s->thread[i] = (struct guest_thread){ 0 };
	s->nr = second ? GUEST_THREADS : 1;
	s->current = 0;
	s->function = (u64)second;
	*canary(cpu) = CANARY;
	s->thread[1].sp = arch_switch_frame((u64)canary(cpu), begin_second);
	cpu->scheduler = (u64)s;
	s->slice_start = arch_counter();
	if (s->async_pf)
		guest_async_pf_enable(cpu);
}

void guest_threads_end(struct guest_cpu *cpu)
{
	struct guest_scheduler *s = guest_scheduler(cpu);

	WRITE_ONCE(cpu->async_pf.busy, 1);
	s->nr = 1;
	take_events(cpu, s);
	while (s->waiting.nr > s->lost) {
		guest_async_pf_idle(cpu);
		take_events(cpu, s);
	}
	if (s->async_pf)
		guest_async_pf_disable(cpu);
	WRITE_ONCE(cpu->async_pf.busy, 0);
	guest_assert_eq(*canary(cpu), CANARY);
}
