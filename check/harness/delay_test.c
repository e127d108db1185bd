/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Is a change of known size found, and none where there is none?
 *
 * A benchmark like any other: pages are write-protected, and the guest writes
 * to each, which is a fault for every page. --inject-delay N makes what is
 * timed take N per mille longer: when the vCPUs have arrived, the host looks at
 * how long that took and waits, busily, for so much more before the time ends.
 * That is a change of exactly this size whatever the host's speed. A fixed
 * delay would have to be calibrated, and would be another share of each run;
 * more pages would make another experiment of it. As with a slower kernel all
 * of the noise grows by the same share, so that it is no easier to find.
 * Without a delay the same code runs.
 */
#include <guest/access.h>

#ifdef KVMETER_GUEST

GUEST_FUNCTION(guest_write)
{
	access_all_writes(cpu);
}

#else

#include "bench.h"
#include "clock.h"
#include "dirty.h"
#include "dirty_proof.h"
#include "timing.h"
#include "util.h"
#include "workload.h"

struct config {
	struct bench_config common;
	u64 permille;
};

static const struct config defaults = {
	.common = { BENCH_CONFIG_DEFAULTS, .bytes = { 1, { KIB(16) } },
		    .rounds = 299 },
};

static const struct option_row options[] = {
	{ OPT_U64, 0, "inject-delay", "PERMILLE",
	  offsetof(struct config, permille), "let it take longer by this share",
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

/* The guest's work, and then the delay; both durations for the check. */
struct delayed {
	u64 work_ns, all_ns;
};

static void write_delayed(struct run *r, struct delayed *d)
{
	const struct config *cfg = r->config;
	u64 from = now_ns();

	gang_round(r->gang, "guest_write");
	d->work_ns = now_ns() - from;
	do {
		d->all_ns = now_ns() - from;
	} while (d->all_ns * 1000 < d->work_ns * (1000 + cfg->permille));
}

static void check_delay(struct run *r, const struct delayed *d,
			const struct timing *t)
{
	const struct config *cfg = r->config;

	check(r, DELAYED,
	      (d->all_ns - d->work_ns) * 1000 >= d->work_ns * cfg->permille &&
		      t->ns >= d->all_ns,
	      "%llu per mille or more", (unsigned long long)cfg->permille);
}

static void write_once(struct run *r, struct workload *w, struct dirty_log *log,
		       struct dirty_proof *proof)
{
	struct delayed delayed;
	struct timing t;

	testmem_log_dirty(r->mem, DIRTY_LOG_ON);
	dirty_proof_expect_writes(proof, w);
	t = TIMED(write_delayed(r, &delayed));
	sample(r, WRITE, t);
	check_delay(r, &delayed, &t);
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
	workload_init(&w, r, &(struct workload_config){ .write_percent = 100 });
	log = dirty_log_create(r->mem, DIRTY_CLEAR_LOG, NULL);
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
