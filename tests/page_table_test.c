/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How long does KVM take to build, split and rebuild a guest's stage-2 tables?
 *
 * vCPUs access the same guest memory in the stages of a VM's life that change
 * its mappings: first access (create), dirty logging switched on (log_on),
 * every page written while it is on (update: pages become writable again,
 * blocks are split), logging switched off (log_off), access again (adjust:
 * pages may be coalesced into blocks). Switching is timed apart from the faults
 * that follow it. The log is under manual protection where KVM has that, so
 * that reading it, which proves the update, changes nothing for adjust.
 *
 * What disturbs: an eager split moves the cost of splitting from update to
 * log_on; khugepaged or NUMA balancing change mappings underneath, which the
 * checks then show; a host without enough free huge pages gives fewer blocks.
 */
#include <guest/access.h>

#ifdef KVMETER_GUEST

GUEST_FUNCTION(guest_create_mappings)
{
	access_as_planned(cpu);
}

GUEST_FUNCTION(guest_write_one_word_per_page)
{
	access_all_writes(cpu);
}

GUEST_FUNCTION(guest_adjust_mappings)
{
	access_as_planned(cpu);
}

#else

#include <stdlib.h>
#include <unistd.h>
#include "bench.h"
#include "dirty.h"
#include "dirty_proof.h"
#include "util.h"
#include "workload.h"

static const char *const sharing_names[] = {
	[SHARE_ALL] = "shared", [SHARE_SPLIT] = "split", NULL
};

enum update { UPDATE_ALL, UPDATE_SPARSE };
static const char *const update_names[] = { "all", "sparse", NULL };

enum inject { NOTHING, WRONG_COUNT, LOST_PAGE };
static const char *const inject_names[] = { "nothing", "wrong-count",
					    "lost-page", NULL };

struct config {
	struct bench_config common;
	u64 write_percent;
	u64 granule; /* OPTION_UNSET: a base page */
	int sharing;
	int update;
	int inject;
};

static const struct config defaults = {
	.common = { BENCH_CONFIG_DEFAULTS, .bytes = { 1, { MIB(128) } },
		    .rounds = 1 },
	.write_percent = 50,
	.granule = OPTION_UNSET,
};

static bool valid_granule(const void *member, const char **why)
{
	u64 granule = *(const u64 *)member;

	*why = "not a power of two, or less than the host's base page";
	return granule >= (u64)sysconf(_SC_PAGESIZE) &&
	       !(granule & (granule - 1));
}

#define OFFSET(member) offsetof(struct config, member)

static const struct option_row options[] = {
	/* clang-format off */
	{ OPT_U64, 'w', "write-percent", "PERCENT", OFFSET(write_percent),
	  "share of writes in create and adjust; update always writes", .max = 100 },
	{ OPT_SIZE, 0, "granule", "SIZE", OFFSET(granule),
	  "touch one word of each SIZE, at most a page of the backing; else of each base page", .min = KIB(4), .max = GIB(512), .valid = valid_granule },
	{ OPT_CHOICE, 0, "access", "HOW", OFFSET(sharing),
	  "all vCPUs contend for the same pages, or each has its share", .choices = sharing_names },
	{ OPT_CHOICE, 0, "update", "PAGES", OFFSET(update),
	  "write every page, or one in each block so that adjust finds the rest unmapped", .choices = update_names },
	{ OPT_FLAG, 'u', "unaligned", NULL, OFFSET(common.unaligned),
	  "move the slot by a page against the block size, so that KVM cannot use blocks", FLAG_ROW },
	{ OPT_CHOICE, 0, "inject", "FAULT", OFFSET(inject),
	  "break a proof on purpose, to see that it can fail", .choices = inject_names },
	{ .type = OPT_END }
	/* clang-format on */
};

/* 0: a base page. */
static u64 granule(const struct config *cfg)
{
	u64 page = sysconf(_SC_PAGESIZE);

	return cfg->granule == OPTION_UNSET || cfg->granule == page ?
		       0 :
		       cfg->granule;
}

enum metric { CREATE, LOG_ON, UPDATE, LOG_OFF, ADJUST };

static const struct metric_row metrics[] = {
	/* clang-format off */
	[CREATE]   = { "create",  UNIT_NS, LOWER_IS_BETTER, "first access to every page (or granule)" },
	[LOG_ON]   = { "log_on",  UNIT_NS, LOWER_IS_BETTER, "dirty logging on, all slots" },
	[UPDATE]   = { "update",  UNIT_NS, LOWER_IS_BETTER, "a write to every page (or granule)" },
	[LOG_OFF]  = { "log_off", UNIT_NS, LOWER_IS_BETTER, "dirty logging off, all slots" },
	[ADJUST]   = { "adjust",  UNIT_NS, LOWER_IS_BETTER, "access to every page (or granule) again" },
	{ .name = NULL }
	/* clang-format on */
};

enum check_id { CREATED, UPDATED, LOGGED, OFF, ADJUSTED };

static const struct check_row checks[] = {
	[CREATED] = { "create: mappings", CREATE },
	[UPDATED] = { "update: mappings", UPDATE },
	[LOGGED] = { "update: dirty log", UPDATE },
	[OFF] = { "log_off: logging is off", LOG_OFF },
	[ADJUSTED] = { "adjust: mappings", ADJUST },
	{ NULL, 0 }
};

/* Only under manual protection does reading the log leave the mappings alone.
 */
static void check_logged(struct run *r, struct dirty_log *log,
			 struct dirty_proof *proof)
{
	if (!dirty_manual_modes(r->vm->fd)) {
		check_unverified(r, LOGGED,
				 "reading the log without "
				 "KVM_CAP_MANUAL_DIRTY_LOG_PROTECT2 would "
				 "protect the pages again");
		return;
	}
	dirty_log_get(log);
	dirty_proof_check_equal(proof, LOGGED);
}

/* One page in each @bytes, or all. */
static void touch(struct workload *w, u64 bytes)
{
	if (bytes)
		workload_touch_sparsely(w, bytes);
	else
		workload_touch_all(w);
}

static void update(struct run *r, struct workload *w, struct dirty_log *log,
		   struct dirty_proof *proof)
{
	const struct config *cfg = r->config;
	struct mapping_claim claim = { .now = MAPPED_BY_BASE_PAGES };

	if (cfg->update == UPDATE_SPARSE)
		touch(w, r->mem->backing->page_bytes);
	if (workload_pages(w) < testmem_pages(r->mem))
		claim.now = MAPPED_PARTLY;
	claim.protected_pages = workload_pages(w);
	sample_pages(r, UPDATE, claim.protected_pages);
	dirty_proof_expect_writes(proof, w);
	sample(r, UPDATE, gang_round(r->gang, "guest_write_one_word_per_page"));
	touch(w, granule(cfg));
	check_mappings(r, UPDATED, claim);
	check_logged(r, log, proof);
}

static void adjust(struct run *r)
{
	const struct config *cfg = r->config;
	struct mapping_claim claim = { .now = MAPPED_BY_BLOCKS,
				       .granule = granule(cfg) };

	/* pages that are all mapped never fault again */
	if (!arch_log_off_rebuilds() && cfg->update == UPDATE_ALL)
		claim.now = granule(cfg) ? MAPPED_AS_BEFORE :
					   MAPPED_BY_BASE_PAGES;
	sample(r, ADJUST, gang_round(r->gang, "guest_adjust_mappings"));
	check_mappings(r, ADJUSTED, claim);
}

static void validate(const void *config)
{
	const struct config *cfg = config;
	u64 vcpus = u64_list_max(&cfg->common.vcpus);
	u64 pages = u64_list_min(&cfg->common.bytes) / sysconf(_SC_PAGESIZE);
	char size[UNIT_LEN];

	if (cfg->sharing == SHARE_SPLIT && pages < vcpus)
		usage_error("--access split: %llu pages for %llu vCPUs: each "
			    "needs one or more",
			    (unsigned long long)pages,
			    (unsigned long long)vcpus);
	if (granule(cfg) > backing_page_bytes(cfg->common.backing) ||
	    (granule(cfg) && cfg->common.unaligned))
		usage_error("--granule %s: memory would be mapped by less than "
			    "that, and most of it not touched: choose a "
			    "--backing of such pages, and no --unaligned",
			    format_size(size, granule(cfg)));
	if (granule(cfg) && cfg->update == UPDATE_SPARSE)
		usage_error("--granule %s: it has update write one page in "
			    "each: choose no --update",
			    format_size(size, granule(cfg)));
	/* one page in each block means nothing where there are no blocks */
	if (cfg->update == UPDATE_SPARSE &&
	    (cfg->common.unaligned || !backing_is_huge(cfg->common.backing)))
		usage_error("--update sparse: there are no blocks to split: "
			    "choose a --backing of huge pages, and no "
			    "--unaligned");
}

static void run(struct run *r)
{
	const struct config *cfg = r->config;
	struct mapping_claim created = { .now = MAPPED_BY_BLOCKS,
					 .granule = granule(cfg) };
	struct dirty_proof *proof;
	struct dirty_log *log;
	struct workload w;

	run_create(r, r->bytes);
	if (dirty_manual_modes(r->vm->fd))
		dirty_enable_manual(r->vm, KVM_DIRTY_LOG_MANUAL_PROTECT_ENABLE);
	workload_init(&w, r,
		      &(struct workload_config){
			      .sharing = cfg->sharing,
			      .write_percent = cfg->write_percent,
		      });
	log = dirty_log_create(r->mem, DIRTY_CLEAR_LOG, NULL);
	proof = dirty_proof_create(r, log,
				   cfg->inject == LOST_PAGE ? INJECT_LOST_PAGE :
							      INJECT_NOTHING);
	touch(&w, granule(cfg));
	run_start(r);
	sample_pages(r, CREATE, workload_pages(&w));
	sample_pages(r, LOG_ON, testmem_pages(r->mem));
	sample_pages(r, LOG_OFF, testmem_pages(r->mem));
	sample_pages(r, ADJUST, workload_pages(&w));

	sample(r, CREATE, gang_round(r->gang, "guest_create_mappings"));
	created.wrong = cfg->inject == WRONG_COUNT;
	check_mappings(r, CREATED, created);
	for (u64 i = 0; i < cfg->common.rounds; i++) {
		sample(r, LOG_ON,
		       TIMED(testmem_log_dirty(r->mem, DIRTY_LOG_ON)));
		remark_mappings(r, LOG_ON);
		update(r, &w, log, proof);
		sample(r, LOG_OFF,
		       TIMED(testmem_log_dirty(r->mem, DIRTY_LOG_OFF)));
		remark_mappings(r, LOG_OFF);
		dirty_proof_check_off(proof, OFF);
		adjust(r);
	}

	touch(&w, 0);
	note_block_limit(r);
	note_loop_cost(r, &w);
	dirty_proof_free(proof);
	dirty_log_free(log);
	workload_fini(&w);
}

static const struct bench bench = {
	.name = "page_table_test",
	.question = "how long does KVM take to build, split and rebuild a "
		    "guest's stage-2 tables?",
	.options = options,
	.metrics = metrics,
	.checks = checks,
	.defaults = &defaults,
	.config_bytes = sizeof(defaults),
	.validate = validate,
	.run = run,
};

int main(int argc, char **argv)
{
	return bench_main(&bench, argc, argv);
}

#endif
