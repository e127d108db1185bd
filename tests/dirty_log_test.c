/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Does KVM lose a dirty page while vCPUs write, the log is collected and
 * cleared, and host mappings change underneath?
 *
 * vCPUs run free and stamp pages with rising numbers, in random order and in
 * bursts onto one page. The host reads all stamps, collects, clears, and keeps
 * the stamps that it reads after clearing. Next time, a page whose stamp is not
 * the one kept must have been collected.
 *
 * Why that is sound. Clearing returns when KVM has write-protected the pages
 * and no CPU has another translation of them: a write that came before is in
 * the stamp that is kept, a later one faults. KVM handles the fault, and with
 * it puts the page into the log, before it lets that vCPU write. So the log
 * knows of the page before its stamp can be seen, if whoever looks does it in
 * this order: stamp first (a load-acquire), then the log. With Intel's PML
 * there is no fault: clearing resets dirty bits, and the CPU notes the page in
 * a buffer that KVM empties when the vCPU exits. There each vCPU is made to
 * exit between the two, as KVM_GET_DIRTY_LOG does not wait for it, and a ring
 * does not ask for it (api.rst 8.29). On x86_64 stores are
 * seen in the order in which a CPU makes them. On aarch64 they need not be;
 * there what orders KVM's store to the log before the guest's is the full
 * barrier that every entry into a guest has when it sets vcpu->mode
 * (Documentation/virt/kvm/vcpu-requests.rst). Only a page that one vCPU alone
 * writes may be judged so: a second one could use the mapping that the first
 * one's fault has just made, before that is in the log. Hence shares are split.
 *
 * A page that is collected without having been written is no loss; there is one
 * for each vCPU at most, which has faulted and not written yet.
 *
 * What it takes to miss a bug: a page that was lost stays writable, so that its
 * stamp tells, at the latest after its next write; unless a disturbance drops
 * the mapping before that is read. After F faults a bug that loses one in 10^6
 * has been seen with a probability of 1 - (1 - 10^-6)^F, which is printed; F
 * counts pages whose stamp has changed since they were cleared.
 */
#include <guest/access.h>

#define BURST_EVERY 64	 /* pages */
#define BURST_WRITES 256 /* onto one of them */

#ifdef KVMETER_GUEST

/* cpu->private goes on from one call to the next: it is the last stamp. */
static u64 stamp_pages(u64 arg)
{
	struct guest_cpu *cpu = (struct guest_cpu *)arg;
	const u32 *order = (const u32 *)cpu->plan.order;
	u64 stamp = cpu->private;
	u32 i = 0;

	while (!guest_stopped(cpu)) {
		u64 at = cpu->plan.base + order[i] * cpu->plan.page_bytes;
		u32 left = i % BURST_EVERY ? 1 : BURST_WRITES;

		for (; left && !guest_stopped(cpu); left--) {
			WRITE_ONCE(*(u64 *)at, ++stamp);
			WRITE_ONCE(cpu->writes, cpu->writes + 1);
		}
		if (++i == cpu->plan.nr)
			i = 0;
	}
	cpu->private = stamp;
	return 0;
}

GUEST_FUNCTION(guest_stamp_pages)
{
	stamp_pages((u64)cpu);
}

GUEST_FUNCTION(guest_stamp_pages_in_kernel)
{
	guest_kernel_call(stamp_pages, (u64)cpu);
}

#else

#include <math.h>

#include "bench.h"
#include "clock.h"
#include "dirty.h"
#include "dirty_watch.h"
#include "disturber.h"
#include "kernel_log.h"
#include "util.h"
#include "workload.h"

struct config {
	struct bench_config common;
	struct dirty_options dirty;
	u64 seconds, pace, one_in, seed;
	struct u64_list disturb; /* of enum disturbance; empty: all */
	bool force_exits;
	int inject, guest_mode;
};

static const struct config defaults = {
	.common = { BENCH_CONFIG_COMMON, .bytes = { 1, { MIB(8) } },
		    .vcpus = { 1, { 2 } }, .rounds = 200, .runs = 1 },
	.dirty = DIRTY_OPTIONS_DEFAULTS,
	.pace = 256,
	.one_in = 100,
	.seed = 1,
};

enum guest_mode_choice { IN_USER_MODE, IN_KERNEL_MODE };
static const char *const guest_modes[] = { "user", "kernel", NULL };

#define OFFSET(member) offsetof(struct config, member)
static const struct option_row options[] = {
	/* clang-format off */
	DIRTY_OPTION_ROWS(OFFSET(dirty)),
	{ OPT_U64, 't', "seconds", "N", OFFSET(seconds), "run for a time, not for --rounds collections", .max = 604800 },
	{ OPT_U64, 0, "pace", "N", OFFSET(pace), "accesses of all vCPUs between two collections, at least", .max = 1000000000 },
	{ OPT_U64, 'r', "seed", "N", OFFSET(seed), "of the order of pages", .max = UINT32_MAX },
	{ OPT_CHOICE_LIST, 0, "disturb", "LIST", OFFSET(disturb), "what changes meanwhile; else all of it", .choices = disturbance_names },
	OPTION_FLAG(0, "force-exits", OFFSET(force_exits), "vCPUs exit before each collection, as they always do where the CPU has PML"),
	{ OPT_CHOICE, 0, "guest-mode", "MODE", OFFSET(guest_mode), "where the guest writes from", .choices = guest_modes },
	{ OPT_CHOICE, 0, "inject", "FAULT", OFFSET(inject), "falsify what is collected, to see that it is noticed", .choices = dirty_fault_names },
	{ OPT_U64, 0, "one-in", "N", OFFSET(one_in), "how often: one page, or clearing, in N", .min = 1, .max = 1000000000 },
	{ .type = OPT_END }
};

enum metric { WRITES, COLLECTIONS, LOGGED, EXTRA, PAGES_PER_S };

static const struct metric_row metrics[] = {
	[WRITES]      = { "writes",      UNIT_COUNT, NEITHER_IS_BETTER, "stamps that vCPUs have written" },
	[COLLECTIONS] = { "collections", UNIT_COUNT, NEITHER_IS_BETTER, "times that the log was collected" },
	[LOGGED]      = { "logged",      UNIT_PAGES, NEITHER_IS_BETTER, "pages in all of them" },
	[EXTRA]       = { "extra",       UNIT_PAGES, LOWER_IS_BETTER, "of these, not written since they were cleared" },
	[PAGES_PER_S] = { "logged_per_s", UNIT_PAGES_PER_S, HIGHER_IS_BETTER, "how fast a loss would be met" },
	{ .name = NULL }
};
/* clang-format on */

enum check_id { NONE_LOST, NONE_LEFT, FEW_EXTRA };

static const struct check_row checks[] = {
	[NONE_LOST] = { "no dirty page is lost", LOGGED },
	[NONE_LEFT] = { "nothing is left at the end", COLLECTIONS },
	[FEW_EXTRA] = { "few pages are logged unwritten", EXTRA },
	{ NULL, 0 }
};

/* Rounds, or until the time is over, or something is wrong. */
static void collect_until_over(struct run *r, struct dirty_watch *watch,
			       const struct disturber *disturber)
{
	const struct config *cfg = r->config;
	u64 end_ns = now_ns() + cfg->seconds * NSEC_PER_SEC;
	bool fine = true;

	for (u64 i = 0; fine && (cfg->seconds ? now_ns() < end_ns :
						i < cfg->common.rounds);
	     i++) {
		/* also at once after the last, when vCPUs are about to fault */
		if (i % 4)
			gang_wait_accesses(r->gang, cfg->pace);
		fine = dirty_watch_round(watch) &&
		       !disturber_has_failed(disturber);
	}
}

static void judge(struct run *r, struct dirty_watch *watch, u64 left)
{
	struct dirty_watch_counts c = dirty_watch_counts(watch);
	const char *lost = dirty_watch_lost(watch);
	double seen = 100 * (1 - pow(1 - 1e-6, c.logged));

	check(r, NONE_LOST, !c.missing, "%s",
	      lost ? lost : "each write was in the next collection");
	check(r, NONE_LEFT, !left, "%llu pages in a log that nobody writes to",
	      (unsigned long long)left);
	check(r, FEW_EXTRA, c.most_extra <= r->nr_vcpus,
	      "at most %llu in one collection",
	      (unsigned long long)c.most_extra);
	remark(r, LOGGED, "a loss of one in 10^6 had been seen with %.2f %%",
	       seen);
	remark(r, COLLECTIONS, "%llu calls cleared, %llu full rings",
	       (unsigned long long)c.clears, (unsigned long long)c.ring_full);
}

static void note_disturbances(struct run *r, struct disturbance_counts d)
{
	note(r,
	     "meanwhile: %llu slots added and deleted, %llu moved, %llu "
	     "mappings dropped, %llu huge pages split, %llu collapsed",
	     (unsigned long long)d.slots, (unsigned long long)d.moves,
	     (unsigned long long)d.remaps, (unsigned long long)d.splits,
	     (unsigned long long)d.collapses);
}

static void watch_writes(struct run *r, struct dirty_watch *watch)
{
	const struct config *cfg = r->config;
	struct kernel_log *kernel = kernel_log_open();
	struct disturber *disturber;
	struct dirty_watch_counts c;
	struct timing t;
	u64 left;

	gang_start(r->gang, cfg->guest_mode == IN_KERNEL_MODE ?
				    "guest_stamp_pages_in_kernel" :
				    "guest_stamp_pages");
	disturber = disturber_start(r, &cfg->disturb);
	collect_until_over(r, watch, disturber);
	note_disturbances(r, disturber_stop(disturber));
	t = gang_stop(r->gang);
	sample_value(r, WRITES, gang_progress(r->gang).writes);
	left = dirty_watch_finish(watch);
	c = dirty_watch_counts(watch);
	sample_value(r, COLLECTIONS, c.collections);
	sample_value(r, LOGGED, c.logged);
	sample_value(r, EXTRA, c.extra);
	sample_value(r, PAGES_PER_S, c.logged * 1e9 / t.ns);
	judge(r, watch, left);
	note_kernel_log(r, kernel);
}

static u64 memory(const void *config __maybe_unused, u64 vcpus, u64 bytes)
{
	return vcpus * bytes;
}

static void run(struct run *r)
{
	const struct config *cfg = r->config;
	struct dirty_watch *watch;
	struct dirty_log *log;
	struct workload work;
	u64 manual;

	r->tracking = dirty_tracking(r->variant, &cfg->dirty);
	run_create(r, memory(cfg, r->nr_vcpus, r->bytes));
	manual = dirty_mode_enable(r->vm, r->variant);
	workload_init(&work, r,
		      &(struct workload_config){ .sharing = SHARE_SPLIT,
						 .random = true,
						 .seed = cfg->seed + r->index,
						 .write_percent = 100 });
	log = dirty_log_create(r->mem, r->variant, &cfg->dirty);
	run_start(r);
	testmem_log_dirty(r->mem, DIRTY_LOG_ON);
	watch = dirty_watch_create(
		r, log,
		&(struct dirty_watch_config){
			.inject = cfg->inject,
			.one_in = cfg->one_in,
			.most_extra = r->nr_vcpus,
			.force_exits = cfg->force_exits,
			.begins_full = manual & KVM_DIRTY_LOG_INITIALLY_SET,
		});
	watch_writes(r, watch);
	dirty_watch_free(watch);
	dirty_log_free(log);
	workload_fini(&work);
}

static void validate(const void *config)
{
	dirty_options_validate(&((const struct config *)config)->dirty);
}

static void require(const void *config)
{
	dirty_options_require(&((const struct config *)config)->dirty);
}

static const struct bench_variants variants = { "log_mode", dirty_mode_names,
						OFFSET(dirty.modes),
						dirty_mode_missing };

static const struct bench bench = {
	.name = "dirty_log_test",
	.question = "does KVM lose a dirty page while vCPUs write and the log "
		    "is collected and cleared?",
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
