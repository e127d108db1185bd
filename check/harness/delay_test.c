/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Is a change of known size found, and none where there is none?
 *
 * A benchmark like any other: pages are write-protected, and the guest writes
 * to each, which is a fault for every page. --inject-delay N has each vCPU take
 * N per mille longer, inside of what is timed: it reads its counter before and
 * after its own work and waits for so much more. That makes a change which is
 * exact whatever the host's speed, because the work of each vCPU is the measure
 * of its own delay; a fixed delay would have to be calibrated, and would be
 * another share of each run. As with a slower kernel all of the noise grows by
 * the same share, so that it is no easier to find. Without a delay the guest
 * runs the same code.
 */
#include <guest/access.h>

struct delay {
	u64 permille;
};
_Static_assert(sizeof(struct delay) == 8, "the same in both halves");

#ifdef KVMETER_GUEST

struct delay delay;

GUEST_FUNCTION(guest_write)
{
	u64 from = arch_counter(), work, all;

	access_all_writes(cpu);
	work = arch_counter() - from;
	do {
		all = arch_counter() - from;
	} while (all * 1000 < work * (1000 + delay.permille));
	cpu->scratch = (all - work) * 1000 / work;
}

#else

#include "bench.h"
#include "dirty.h"
#include "dirty_proof.h"
#include "util.h"
#include "workload.h"

struct config {
	struct bench_config common;
	u64 permille;
};

static const struct config defaults = {
	.common = { BENCH_CONFIG_DEFAULTS, .bytes = { 1, { KIB(32) } },
		    .rounds = 299 },
};

static const struct option_row options[] = {
	{ OPT_U64, 0, "inject-delay", "PERMILLE",
	  offsetof(struct config, permille),
	  "let the guest take longer, by this share of its work",
	  .max = 100000 },
	{ .type = OPT_END },
};

enum metric { WRITE };
static const struct metric_row metrics[] = {
	[WRITE] = { "write", UNIT_NS, LOWER_IS_BETTER,
		    "a write to every page, with the delay" },
	{ .name = NULL },
};

enum check_id { LOGGED, DELAYED };
static const struct check_row checks[] = {
	[LOGGED] = { "write: dirty log", WRITE },
	[DELAYED] = { "write: delay", -1 },
	{ NULL, 0 },
};

static void check_delay(struct run *r)
{
	const struct config *cfg = r->config;
	u64 least = ~UINT64_C(0);

	for (u32 i = 0; i < r->nr_vcpus; i++)
		least = min_u64(least, r->vm->vcpus[i].area->scratch);
	check(r, DELAYED, least >= cfg->permille,
	      "%llu per mille or more on each vCPU",
	      (unsigned long long)cfg->permille);
}

static void write_once(struct run *r, struct workload *w, struct dirty_log *log,
		       struct dirty_proof *proof)
{
	testmem_log_dirty(r->mem, DIRTY_LOG_ON);
	dirty_proof_expect_writes(proof, w);
	sample(r, WRITE, gang_round(r->gang, "guest_write"));
	check_delay(r);
	dirty_log_get(log);
	dirty_proof_check_equal(proof, LOGGED);
	testmem_log_dirty(r->mem, DIRTY_LOG_OFF);
}

static void run(struct run *r)
{
	const struct config *cfg = r->config;
	struct dirty_proof *proof;
	struct dirty_log *log;
	struct workload w;

	run_create(r, r->bytes);
	((struct delay *)vm_symbol(r->vm, "delay", sizeof(struct delay)))
		->permille = cfg->permille;
	workload_init(&w, r, &(struct workload_config){ .write_percent = 100 });
	log = dirty_log_create(r->mem);
	proof = dirty_proof_create(r, log, INJECT_NOTHING);
	run_start(r);
	sample_pages(r, WRITE, testmem_pages(r->mem));
	gang_round(r->gang, "guest_write");
	for (u64 i = 0; i < cfg->common.rounds; i++)
		write_once(r, &w, log, proof);
	dirty_proof_free(proof);
	dirty_log_free(log);
	workload_fini(&w);
}

static const struct bench bench = {
	.name = "delay_test",
	.question = "is a change of known size found?",
	.options = options,
	.metrics = metrics,
	.checks = checks,
	.defaults = &defaults,
	.config_bytes = sizeof(defaults),
	.run = run,
};

int main(int argc, char **argv)
{
	return bench_main(&bench, argc, argv);
}

#endif
