/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What does tracking dirty pages cost, the host that collects the log and the
 * vCPUs that write meanwhile?
 *
 * In lockstep, vCPUs write a pass over their memory (dirty), then the host
 * collects the log (get_log) and clears it (clear_log), round after round. The
 * first round after logging is switched on is another experiment than those
 * that follow and has metrics of its own: under KVM_DIRTY_LOG_INITIALLY_SET
 * nothing is write-protected yet and every page is reported; otherwise it is
 * the round that splits blocks. With --free vCPUs run on their own, as in a
 * migration, and what counts is how far they come between the first get_log
 * and the last clear_log, and how long they stall: bought with the host's time.
 *
 * What disturbs: more vCPUs than CPUs; a chunk below KVM's own batch of pages.
 */
#include <guest/access.h>

#ifdef KVMETER_GUEST

GUEST_FUNCTION(guest_populate)
{
	access_all_writes(cpu);
}

GUEST_FUNCTION(guest_dirty_memory)
{
	access_as_planned(cpu);
}

GUEST_FUNCTION(guest_run_free)
{
	access_until_stopped(cpu);
}

#else

#include "bench.h"
#include "dirty.h"
#include "dirty_calls.h"
#include "dirty_proof.h"
#include "stalls.h"
#include "util.h"
#include "workload.h"

struct config {
	struct bench_config common;
	struct dirty_options dirty;
	struct workload_options work;
	u64 stalls;
	bool run_during_off, free;
	int inject;
};

static const struct config defaults = {
	.common = { BENCH_CONFIG_DEFAULTS, .bytes = { 1, { MIB(64) } },
		    .rounds = 3 },
	.dirty = DIRTY_OPTIONS_DEFAULTS,
	.work = WORKLOAD_OPTIONS_DEFAULTS,
	.stalls = STALLS_EVERY_DEFAULT,
};

#define OFFSET(member) offsetof(struct config, member)
static const struct option_row options[] = {
	/* clang-format off */
	DIRTY_OPTION_ROWS(OFFSET(dirty)),
	WORKLOAD_OPTION_ROWS(OFFSET(work)),
	OPTION_FLAG('e', "run-during-off", OFFSET(run_during_off), "let vCPUs run while dirty logging is switched off"),
	OPTION_FLAG('j', "free", OFFSET(free), "vCPUs run on their own, not in lockstep with the collector"),
	STALLS_OPTION_ROW(OFFSET(stalls)),
	{ OPT_CHOICE, 0, "inject", "FAULT", OFFSET(inject),
	  "break the proof on purpose, to see that it can fail", .choices = dirty_inject_names },
	{ .type = OPT_END }
};

enum metric {
	POPULATE, LOG_ON, FIRST_DIRTY, FIRST_GET_LOG, FIRST_CLEAR_LOG,
	DIRTY, GET_LOG, CLEAR_LOG, LOG_OFF, READS, WRITES, PAGES_PER_S,
	FIRST_STALL, STALL, GET_CALL, CLEAR_CALL, RING_FULL, RING_FULL_EXITS
};
#define LOCKSTEP_ONLY (BIT(FIRST_DIRTY) | BIT(DIRTY) | BIT(FIRST_STALL))
#define CLEAR_ONLY (BIT(FIRST_CLEAR_LOG) | BIT(CLEAR_LOG) | BIT(CLEAR_CALL))
#define RING_ONLY (BIT(RING_FULL) | BIT(RING_FULL_EXITS))
#define LATER_ROUNDS (BIT(FIRST_STALL) | BIT(DIRTY) | BIT(GET_LOG) | BIT(CLEAR_LOG))

static const struct metric_row metrics[] = {
	[POPULATE]        = { "populate",        UNIT_NS, LOWER_IS_BETTER, "first write to every page" },
	[LOG_ON]          = { "log_on",          UNIT_NS, LOWER_IS_BETTER, "dirty logging on, all slots" },
	[FIRST_DIRTY]     = { "first_dirty",     UNIT_NS, LOWER_IS_BETTER, "dirty of the first round" },
	[FIRST_GET_LOG]   = { "first_get_log",   UNIT_NS, LOWER_IS_BETTER, "get_log of the first round" },
	[FIRST_CLEAR_LOG] = { "first_clear_log", UNIT_NS, LOWER_IS_BETTER, "clear_log of the first round" },
	[DIRTY]           = { "dirty",           UNIT_NS, LOWER_IS_BETTER, "a pass of all vCPUs, in lockstep" },
	[GET_LOG]         = { "get_log",         UNIT_NS, LOWER_IS_BETTER, "KVM_GET_DIRTY_LOG, all slots; or harvesting all rings" },
	[CLEAR_LOG]       = { "clear_log",       UNIT_NS, LOWER_IS_BETTER, "KVM_CLEAR_DIRTY_LOG, all calls, without waits; or KVM_RESET_DIRTY_RINGS" },
	[LOG_OFF]         = { "log_off",         UNIT_NS, LOWER_IS_BETTER, "dirty logging off, all slots" },
	[READS]           = { "reads",           UNIT_PAGES, NEITHER_IS_BETTER, "read from first get_log to last clear_log" },
	[WRITES]          = { "writes",          UNIT_PAGES, NEITHER_IS_BETTER, "written in the same time" },
	[PAGES_PER_S]     = { "pages_per_s",     UNIT_PAGES_PER_S, HIGHER_IS_BETTER, "reads and writes of it, when vCPUs run free" },
	[FIRST_STALL]     = { "first_stall",     UNIT_NS, LOWER_IS_BETTER | METRIC_TAIL, "an access in the first of several rounds, as the vCPU sees it" },
	[STALL]           = { "stall",           UNIT_NS, LOWER_IS_BETTER | METRIC_TAIL, "the same in later rounds, in the only one, or of vCPUs that run free" },
	[GET_CALL]        = { "get_call",        UNIT_NS, LOWER_IS_BETTER | METRIC_TAIL, "one call of get_log" },
	[CLEAR_CALL]      = { "clear_call",      UNIT_NS, LOWER_IS_BETTER | METRIC_TAIL, "one call of clear_log" },
	[RING_FULL]       = { "ring_full",       UNIT_NS, LOWER_IS_BETTER, "harvesting full rings in the vCPUs' threads, of one round" },
	[RING_FULL_EXITS] = { "ring_full_exits", UNIT_COUNT, NEITHER_IS_BETTER, "exits for that" },
	{ .name = NULL }
};
/* clang-format on */

enum check_id { POPULATED, FIRST_LOGGED, LOGGED, CLEARED, OFF };

static const struct check_row checks[] = {
	[POPULATED] = { "populate: mappings", POPULATE },
	[FIRST_LOGGED] = { "first round: dirty log", FIRST_GET_LOG },
	[LOGGED] = { "later rounds: dirty log", GET_LOG },
	[CLEARED] = { "clear_log: log is empty", CLEAR_LOG },
	[OFF] = { "log_off: logging is off", LOG_OFF },
	{ NULL, 0 }
};

/* What one run works with. */
struct experiment {
	struct run *r;
	const struct config *cfg;
	struct workload work;
	struct dirty_log *log;
	struct dirty_proof *proof;
	enum dirty_mode mode;
	u64 manual; /* modes of manual protection in use */
};

static const struct dirty_call_metrics calls = { GET_CALL, CLEAR_CALL,
						 RING_FULL, RING_FULL_EXITS };

static void lockstep(struct experiment *e)
{
	struct progress sum = { 0 };

	for (u64 i = 0; i < e->cfg->common.rounds; i++) {
		if (i == 0 && (e->manual & KVM_DIRTY_LOG_INITIALLY_SET))
			dirty_proof_expect_all(e->proof);
		else
			dirty_proof_expect_pass(e->proof, &e->work);
		if (i == 1)
			sample_stalls(e->r, FIRST_STALL);
		sample(e->r, i ? DIRTY : FIRST_DIRTY,
		       gang_round(e->r->gang, "guest_dirty_memory"));
		progress_add(&sum, gang_progress(e->r->gang));
		sample_dirty_get(e->r, e->log, i ? GET_LOG : FIRST_GET_LOG);
		dirty_proof_check_equal(e->proof, i ? LOGGED : FIRST_LOGGED);
		sample_dirty_clear(e->r, e->log,
				   i ? CLEAR_LOG : FIRST_CLEAR_LOG, calls);
		if (e->mode != DIRTY_GET_LOG)
			dirty_proof_check_cleared(e->proof, CLEARED);
	}
	if (e->cfg->common.rounds == 1)
		check_not_applicable(e->r, LOGGED, "one round only");
	sample_value(e->r, READS, sum.reads);
	sample_value(e->r, WRITES, sum.writes);
}

/* Each round finds what every vCPU has done since the one before. */
static void run_free(struct experiment *e)
{
	struct thread_usage before = clearers_usage(e->log);
	struct progress from, window;

	gang_start(e->r->gang, "guest_run_free");
	gang_wait_accesses(e->r->gang, DIRTY_PROOF_ACCESSES);
	stats_begin(e->r);
	from = gang_progress(e->r->gang);
	for (u64 i = 0; i < e->cfg->common.rounds; i++) {
		if (i)
			gang_wait_accesses(e->r->gang, DIRTY_PROOF_ACCESSES);
		sample_dirty_get(e->r, e->log, i ? GET_LOG : FIRST_GET_LOG);
		sample_dirty_clear(e->r, e->log,
				   i ? CLEAR_LOG : FIRST_CLEAR_LOG, calls);
	}
	window = progress_sub(gang_progress(e->r->gang), from);
	sample_free_usage(e->r, e->log, PAGES_PER_S, before);
	stats_end(e->r, PAGES_PER_S);
	sample_value(e->r, READS, window.reads);
	sample_value(e->r, WRITES, window.writes);
	sample_value(e->r, PAGES_PER_S, progress_per_s(window));
	remark(e->r, PAGES_PER_S, "in %.3f ms", window.ns / 1e6);
	check_not_applicable(e->r, FIRST_LOGGED, "vCPUs run free");
}

static void log_off(struct experiment *e)
{
	if (e->cfg->run_during_off) {
		gang_start(e->r->gang, "guest_run_free");
		gang_wait_accesses(e->r->gang, 1);
	}
	stats_begin(e->r);
	sample(e->r, LOG_OFF,
	       TIMED(testmem_log_dirty(e->r->mem, DIRTY_LOG_OFF)));
	if (e->cfg->run_during_off)
		gang_stop(e->r->gang);
	remark_mappings(e->r, LOG_OFF);
	dirty_proof_check_off(e->proof, OFF);
}

static u64 memory(const void *config, u64 vcpus, u64 bytes)
{
	return workload_bytes(&((const struct config *)config)->work, vcpus,
			      bytes);
}

static void validate(const void *config)
{
	dirty_options_validate(&((const struct config *)config)->dirty);
}

static void require(const void *config)
{
	dirty_options_require(&((const struct config *)config)->dirty);
}

static void prepare(struct experiment *e)
{
	const struct config *cfg = e->cfg;
	struct run *r = e->r;

	r->tracking = dirty_tracking(e->mode, &cfg->dirty);
	run_create(r, memory(cfg, r->nr_vcpus, r->bytes));
	e->manual = dirty_mode_enable(r->vm, e->mode);
	if (e->mode == DIRTY_GET_LOG)
		check_not_applicable(r, CLEARED, "get_log clears as well");
	metrics_not_applicable(
		r, (cfg->free ? LOCKSTEP_ONLY : BIT(PAGES_PER_S)) |
			   (e->mode == DIRTY_GET_LOG ? CLEAR_ONLY : 0) |
			   (dirty_mode_has_rings(e->mode) ? 0 : RING_ONLY) |
			   (cfg->common.rounds > 1 ? 0 : LATER_ROUNDS) |
			   (cfg->stalls ? 0 : BIT(STALL) | BIT(FIRST_STALL)));
	workload_init_options(&e->work, r, &cfg->work);
	stalls_init(r, cfg->stalls);
	e->log = dirty_log_create(r->mem, e->mode, &cfg->dirty);
	e->proof = dirty_proof_create(r, e->log, cfg->inject);
	reserve_dirty_calls(r, e->log, calls, cfg->common.rounds);
	run_start(r);
	for (int m = POPULATE; m <= LOG_OFF; m++)
		sample_pages(r, m, testmem_pages(r->mem));
	note_loop_cost(r, &e->work);
}

static void run(struct run *r)
{
	struct experiment e = { .r = r, .cfg = r->config, .mode = r->variant };

	prepare(&e);
	sample(r, POPULATE, gang_round(r->gang, "guest_populate"));
	check_mappings(r, POPULATED,
		       (struct mapping_claim){ .now = MAPPED_BY_BLOCKS });
	sample(r, LOG_ON, TIMED(testmem_log_dirty(r->mem, DIRTY_LOG_ON)));
	remark_mappings(r, LOG_ON);
	if (e.cfg->free)
		run_free(&e);
	else
		lockstep(&e);
	sample_stalls(r, STALL);
	remark_mappings(r, WRITES);
	if (e.cfg->free)
		dirty_proof_check_free(e.proof, "guest_run_free", LOGGED,
				       CLEARED);
	log_off(&e);
	dirty_proof_free(e.proof);
	dirty_log_free(e.log);
	workload_fini(&e.work);
}

static const struct bench_variants variants = { "log_mode", dirty_mode_names,
						OFFSET(dirty.modes),
						dirty_mode_missing };

static const struct bench bench = {
	.name = "dirty_log_perf_test",
	.question = "what does tracking dirty pages cost the host that "
		    "collects the log and the vCPUs that write meanwhile?",
	.options = options,
	.metrics = metrics,
	.checks = checks,
	.defaults = &defaults,
	.config_bytes = sizeof(defaults),
	.variants = &variants,
	.host_threads = OFFSET(dirty.clearers),
	.memory = memory,
	.validate = validate,
	.require = require,
	.run = run,
};

int main(int argc, char **argv)
{
	return bench_main(&bench, argc, argv);
}

#endif
