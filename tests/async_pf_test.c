/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What does a guest gain if it is told that a page is not present, instead of
 * being made to wait for it?
 *
 * A vCPU has two threads, equal to the guest's scheduler: a memory-bound one,
 * which goes over memory that comes slowly, and a CPU-bound one, which counts
 * the blocks of nops that it runs. Without asynchronous page faults (off) a
 * page that is not present keeps the whole vCPU waiting, for all that the
 * scheduler knows in the memory-bound thread; with them (on) the other runs
 * meanwhile. The figure of merit is its blocks per minute, until the pass over
 * the memory ends. Without it (alone), when the guest sleeps until a page is
 * ready, what the events cost is left. Each run makes all four legs, in a VM
 * each and in an order that turns, so that what drifts meets them all.
 *
 * What disturbs: fewer CPUs than vCPUs and those that bring pages; a KVM that
 * emulates the guest's kernel, where events are dear; a swap device that is
 * read while KVM waits, such as zram, which leaves nothing to tell.
 */
#include <guest/blocks.h>
#include <guest/load.h>
#include <guest/thread.h>

/* Of one vCPU. */
struct job {
	struct guest_scheduler scheduler;
	struct guest_load load;
	struct guest_blocks blocks;
	u64 cpu_bound; /* host to guest: there is a second thread */
};

#ifdef KVMETER_GUEST

static void run_blocks(struct guest_cpu *cpu)
{
	struct job *job = (struct job *)cpu->private;

	guest_run_blocks(cpu, &job->blocks);
}

GUEST_FUNCTION(guest_pass_over_memory)
{
	struct job *job = (struct job *)cpu->private;

	guest_threads_begin(cpu, &job->scheduler,
			    job->cpu_bound ? run_blocks : NULL);
	guest_load_pass(cpu, &job->load);
	guest_threads_end(cpu);
}

#else

#include <stdlib.h>
#include "async_pf.h"
#include "bench.h"
#include "change.h"
#include "slow_load.h"
#include "util.h"

enum inject { NOTHING, LOST_TOKEN, WRONG_BLOCKS, WRONG_CONTENT };

struct config {
	struct bench_config common;
	struct slow_load_config slow;
	struct u64_list load;
	u64 quantum_us;
	int inject;
};

#define OFFSET(member) offsetof(struct config, member)
/* clang-format off */
static const struct config defaults = {
	.common = { BENCH_CONFIG_DEFAULTS, .bytes = { 1, { KIB(512) } }, .rounds = 1 },
	.slow = { .slow = "uffd:500", .limit_percent = 50, .seed = 1 },
	.load = { 1, { LOAD_TOUCH } },
	.quantum_us = 1000,
};

static const char *const inject_names[] = { "nothing", "lost-token", "wrong-blocks", "wrong-content", NULL };

static const struct option_row options[] = {
	{ OPT_STRING, 0, "slow", "HOW", OFFSET(slow.slow),
	  "why memory is slow: uffd:DELAY_US[,THREADS], a userfaultfd server that waits, or swap", .valid = slow_memory_valid },
	{ OPT_U64, 0, "limit", "PERCENT", OFFSET(slow.limit_percent),
	  "with --slow swap: share of the memory that may stay", .min = 1, .max = 99 },
	{ OPT_CHOICE_LIST, 0, "load", "LIST", OFFSET(load),
	  "what the memory-bound thread does: touches pages in order, follows pointers, sorts", .choices = load_names },
	{ OPT_U64, 0, "quantum", "US", OFFSET(quantum_us),
	  "how much longer than the other a thread may have run", .min = 1, .max = 1000000 },
	{ OPT_U64, 'r', "seed", "N", OFFSET(slow.seed),
	  "of what the memory holds", .max = UINT32_MAX },
	{ OPT_CHOICE, 0, "inject", "FAULT", OFFSET(inject),
	  "break a proof on purpose, to see that it can fail", .choices = inject_names },
	{ .type = OPT_END }
};

enum metric {
	OFF_BLOCKS, ON_BLOCKS, OFF_MEMORY, ON_MEMORY, ALONE_OFF, ALONE_ON,
	IN_FLIGHT, SHORTEST, WAITED, NOT_PRESENT, READY, REPEATED, WAKE_ALL, METRICS
};
/* Those that only on and alone_on have. */
#define OF_ON (BIT(ON_BLOCKS) | BIT(ON_MEMORY) | (BIT(METRICS) - BIT(ALONE_ON)))

static const struct metric_row metrics[] = {
	[OFF_BLOCKS]  = { "off_blocks",  UNIT_BLOCKS_PER_MIN, HIGHER_IS_BETTER, "blocks of the CPU-bound thread, without asynchronous page faults" },
	[ON_BLOCKS]   = { "on_blocks",   UNIT_BLOCKS_PER_MIN, HIGHER_IS_BETTER, "the same with them" },
	[OFF_MEMORY]  = { "off_memory",  UNIT_NS, LOWER_IS_BETTER, "the memory-bound thread's pass beside the other, without" },
	[ON_MEMORY]   = { "on_memory",   UNIT_NS, LOWER_IS_BETTER, "the same with them" },
	[ALONE_OFF]   = { "alone_off",   UNIT_NS, LOWER_IS_BETTER, "its pass with no other thread, without" },
	[ALONE_ON]    = { "alone_on",    UNIT_NS, LOWER_IS_BETTER, "the same with them" },
	[IN_FLIGHT]   = { "in_flight",   UNIT_NS, LOWER_IS_BETTER | METRIC_TAIL, "from not-present to ready, of each fault of on" },
	[SHORTEST]    = { "shortest",    UNIT_NS, NEITHER_IS_BETTER, "the least of them; 0: there were none" },
	[WAITED]      = { "waited",      UNIT_NS, NEITHER_IS_BETTER, "the sum of them" },
	[NOT_PRESENT] = { "not_present", UNIT_COUNT, NEITHER_IS_BETTER, "not-present events of on" },
	[READY]       = { "ready",       UNIT_COUNT, NEITHER_IS_BETTER, "ready events" },
	[REPEATED]    = { "repeated",    UNIT_COUNT, NEITHER_IS_BETTER, "not-present events for a page that had been ready" },
	[WAKE_ALL]    = { "wake_all",    UNIT_COUNT, NEITHER_IS_BETTER, "ready events for all that wait" },
	{ .name = NULL }
};
static const struct async_pf_metrics ids = { SHORTEST, WAITED, NOT_PRESENT, READY, REPEATED, WAKE_ALL };
static const struct bench_variants loads = { "load", load_names, OFFSET(load), NULL };
/* clang-format on */

enum check_id { SLOW, CONTENT, BLOCKS, PAIRED, TOLD };

static const struct check_row checks[] = {
	[SLOW] = { "pages were slow", OFF_MEMORY },
	[CONTENT] = { "memory holds what was written", ON_MEMORY },
	[BLOCKS] = { "blocks are counted right", OFF_BLOCKS },
	[PAIRED] = { "each not-present has one ready", IN_FLIGHT },
	[TOLD] = { "KVM has told no more and no less", NOT_PRESENT },
	{ NULL, 0 }
};

static const struct leg {
	bool async, cpu_bound;
	int memory, blocks; /* metrics; -1: none */
} legs[] = {
	{ false, true, OFF_MEMORY, OFF_BLOCKS },
	{ true, true, ON_MEMORY, ON_BLOCKS },
	{ false, false, ALONE_OFF, -1 },
	{ true, false, ALONE_ON, -1 },
};

/* One leg, in a VM of its own. */
struct experiment {
	struct run *r;
	const struct config *cfg;
	const struct leg *leg;
	struct slow_load *load;
	struct job *job;	      /* of each vCPU */
	struct async_pf_watch *watch; /* NULL: not on */
};

static void prepare_jobs(struct experiment *e)
{
	struct run *r = e->r;

	for (u32 i = 0; i < r->nr_vcpus; i++) {
		e->job[i] = (struct job){
			.scheduler = async_pf_scheduler(r, e->cfg->quantum_us),
			.load = slow_load_share(e->load, i),
			.blocks.nr = e->cfg->inject == WRONG_BLOCKS ? 1000 : 0,
			.cpu_bound = e->leg->cpu_bound,
		};
		e->job[i].scheduler.async_pf = e->leg->async;
		e->job[i].scheduler.lose = e->cfg->inject == LOST_TOKEN;
		r->vm->vcpus[i].area->private = vm_gva(r->vm, &e->job[i]);
	}
}

static void check_blocks(struct experiment *e, const struct timing *t)
{
	u64 *nr = xcalloc(e->r->nr_vcpus, sizeof(*nr));

	for (u32 i = 0; i < e->r->nr_vcpus; i++) {
		const struct guest_blocks *b = &e->job[i].blocks;

		nr[i] = b->nr;
		check(e->r, BLOCKS, blocks_are_right(b),
		      "%llu, in %llu batches and what was begun",
		      (unsigned long long)b->nr,
		      (unsigned long long)b->batches);
	}
	sample_value(e->r, e->leg->blocks, timing_per_min(t, nr));
	free(nr);
}

static void check_events(struct experiment *e, u64 ns)
{
	struct async_pf_counts c = { 0 };

	for (u32 i = 0; i < e->r->nr_vcpus; i++) {
		const struct guest_scheduler *s = &e->job[i].scheduler;

		async_pf_add(&c, s, run_tick_ns(e->r));
		if (e->leg->cpu_bound)
			sample_guest(e->r, IN_FLIGHT, i, &s->in_flight);
	}
	async_pf_check_paired(e->r, PAIRED, &c);
	async_pf_check_told(e->r, TOLD, &c, e->watch);
	if (e->leg->cpu_bound)
		async_pf_sample(e->r, &ids, &c, ns);
}

static void pass(struct experiment *e)
{
	u64 wrong = 0;
	struct timing t;

	prepare_jobs(e);
	async_pf_watch_begin(e->watch);
	t = gang_round(e->r->gang, "guest_pass_over_memory");
	sample(e->r, e->leg->memory, t);
	if (e->leg->cpu_bound)
		check_blocks(e, &t);
	if (e->leg->async)
		check_events(e, t.ns);
	for (u32 i = 0; i < e->r->nr_vcpus; i++)
		wrong += e->job[i].load.wrong;
	slow_load_end_pass(e->load, SLOW, CONTENT, wrong);
}

static void run_leg(struct run *r, const struct leg *leg)
{
	struct experiment e = { .r = r, .cfg = r->config, .leg = leg };
	int inject = e.cfg->inject;

	r->async_pf = !async_pf_missing();
	run_create(r, r->bytes);
	e.job = vm_alloc(r->vm, r->nr_vcpus * sizeof(*e.job), 64);
	e.watch = leg->async ? async_pf_watch_create(r) : NULL;
	run_start(r);
	e.load = slow_load_create(r, &e.cfg->slow, inject == WRONG_CONTENT);
	sample_pages(r, leg->memory, testmem_pages(r->mem));
	for (u64 i = 0; i < e.cfg->common.rounds; i++)
		pass(&e);
	slow_load_free(e.load);
	run_end(r);
	async_pf_watch_free(e.watch);
}

static void run(struct run *r)
{
	const char *missing = async_pf_missing();
	unsigned int nr = ARRAY_SIZE(legs);

	for (unsigned int i = 0; i < nr; i++) {
		const struct leg *leg = &legs[r->index % 2 ? nr - 1 - i : i];

		if (!leg->async || !missing)
			run_leg(r, leg);
	}
	if (missing) {
		check_unverified(r, PAIRED, "%s", missing);
		check_not_applicable(r, TOLD, "%s", missing);
		metrics_not_applicable(r, OF_ON);
		return;
	}
	remark_change(r, ON_BLOCKS, OFF_BLOCKS);
	remark_change(r, ON_MEMORY, OFF_MEMORY);
	remark_change(r, ALONE_ON, ALONE_OFF);
}

static void validate(const void *config)
{
	const struct config *cfg = config;

	slow_load_validate(&cfg->slow, &cfg->common);
}

static void require(const void *config)
{
	const struct config *cfg = config;

	slow_load_require(&cfg->slow, &cfg->common);
}

static const struct bench bench = {
	.name = "async_pf_test",
	.question = "what does a guest gain if it is told that a page is not "
		    "present, instead of being made to wait for it?",
	.options = options,
	.metrics = metrics,
	.checks = checks,
	.defaults = &defaults,
	.config_bytes = sizeof(defaults),
	.variants = &loads,
	.validate = validate,
	.require = require,
	.run = run,
};

int main(int argc, char **argv)
{
	return bench_main(&bench, argc, argv);
}

#endif
