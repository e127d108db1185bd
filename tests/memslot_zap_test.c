/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What do running vCPUs pay when a memslot that has nothing to do with their
 * memory comes and goes?
 *
 * A guest that reads a PCI option ROM enables its BAR, reads and disables it,
 * which a VMM turns into a read-only slot created and one deleted. Deleting or
 * moving any slot makes x86's KVM drop all mappings of the VM, under the MMU
 * lock, and every vCPU faults its whole working set in again. All vCPUs fill
 * memory, a fixed amount each, while the ROM is read over and over. The figure
 * of merit is the time until the last of them has done its writing (total).
 *
 * vCPU 0 reads the ROM and writes its share as well: in a guest whose vCPUs are
 * all busy the reader is one process more, and gets half of one of them. When
 * it has written its share it reads on until the others have, which does not
 * count. Before that, with vCPUs idle and all memory mapped, the calls alone
 * are timed (idle_zap), and what they cost the next pass over the memory
 * (refault), which proves what was dropped.
 *
 * What disturbs: more vCPUs than CPUs.
 */
#include <guest/access.h>
#include <guest/writer.h>

#ifdef KVMETER_GUEST

GUEST_FUNCTION(guest_touch_memory)
{
	access_all_writes(cpu);
}

GUEST_FUNCTION(guest_probe_rom)
{
	guest_rom_probe(&guest_writer(cpu)->rom);
}

GUEST_FUNCTION(guest_write_memory)
{
	guest_write_share(cpu);
}

#else

#include "bench.h"
#include "rom_bench.h"
#include "stalls.h"
#include "util.h"
#include "workload.h"
#include "writers.h"
#include "zap_proof.h"

struct config {
	struct bench_config common;
	struct rom_options rom;
	struct u64_list ops;
	u64 passes, stalls;
	int inject;
};

#define OFFSET(member) offsetof(struct config, member)
/* clang-format off */
enum inject { NOTHING, STALE_ROM, WRITABLE_ROM, KEPT_ROM, LOST_WRITE, NO_ZAP, EXTRA_ZAP };
static const struct config defaults = {
	.common = { BENCH_CONFIG_DEFAULTS, .bytes = { 1, { MIB(16) } }, .rounds = 1 },
	.rom = ROM_OPTIONS_DEFAULTS, .passes = 8, .stalls = STALLS_EVERY_DEFAULT,
};

static const char *const op_names[] = { "none", "toggle", "toggle-no-quirk", "move", "move-no-quirk", "flags", NULL };
static const char *const inject_names[] = { "nothing", "stale-rom", "writable-rom", "kept-rom", "lost-write", "no-zap", "extra-zap", NULL };

static const struct option_row options[] = {
	{ OPT_CHOICE_LIST, 0, "op", "LIST", OFFSET(ops),
	  "what is done to the ROM's slot: created and deleted, moved there and away, its dirty log switched; -no-quirk: in a VM that need not drop everything for it", .choices = op_names },
	ROM_OPTION_ROWS(OFFSET(rom)),
	{ OPT_U64, 0, "passes", "N", OFFSET(passes),
	  "how often each vCPU fills its share of the memory", .min = 1, .max = 1000000 },
	STALLS_OPTION_ROW(OFFSET(stalls)),
	{ OPT_CHOICE, 0, "inject", "FAULT", OFFSET(inject),
	  "break a proof on purpose, to see that it can fail", .choices = inject_names },
	{ .type = OPT_END }
};

enum metric {
	POPULATE, TOTAL, ZAPS, FAULTS, SLOT_CREATE, SLOT_DELETE, SLOT_MOVE, SLOT_FLAGS,
	STALL, IDLE_ZAP, REFAULT, REFAULTS, METRICS
};
static const int slot_calls[ROM_CALLS] = { SLOT_CREATE, SLOT_DELETE, SLOT_MOVE, SLOT_FLAGS };

static const struct metric_row metrics[] = {
	[POPULATE]    = { "populate",    UNIT_NS, LOWER_IS_BETTER, "first write to every page" },
	[TOTAL]       = { "total",       UNIT_NS, LOWER_IS_BETTER, "until every vCPU has written its share" },
	[ZAPS]        = { "zaps",        UNIT_COUNT, NEITHER_IS_BETTER, "slots deleted, moved or switched meanwhile" },
	[FAULTS]      = { "faults_per_1000", UNIT_COUNT, LOWER_IS_BETTER, "faults of all vCPUs meanwhile, for 1000 of those" },
	[SLOT_CREATE] = { "slot_create", UNIT_NS, LOWER_IS_BETTER | METRIC_TAIL, "one call that creates the slot, meanwhile" },
	[SLOT_DELETE] = { "slot_delete", UNIT_NS, LOWER_IS_BETTER | METRIC_TAIL, "one that deletes it" },
	[SLOT_MOVE]   = { "slot_move",   UNIT_NS, LOWER_IS_BETTER | METRIC_TAIL, "one that moves it" },
	[SLOT_FLAGS]  = { "slot_flags",  UNIT_NS, LOWER_IS_BETTER | METRIC_TAIL, "one that switches its dirty log" },
	[STALL]       = { "stall",       UNIT_NS, LOWER_IS_BETTER | METRIC_TAIL, "filling a page meanwhile, as the vCPU sees it" },
	[IDLE_ZAP]    = { "idle_zap",    UNIT_NS, LOWER_IS_BETTER, "both calls of a ROM read, with idle vCPUs and all memory mapped" },
	[REFAULT]     = { "refault",     UNIT_NS, LOWER_IS_BETTER, "a write to every page after that" },
	[REFAULTS]    = { "refaults",    UNIT_COUNT, LOWER_IS_BETTER, "mappings made in it, or faults where KVM does not count mappings" },
	{ .name = NULL }
};

enum check_id { POPULATED, READ_ONLY, GONE, CONTENT, WRITTEN, DROPPED, BACK };

static const struct check_row checks[] = {
	[POPULATED] = { "populate: mappings", POPULATE },
	[READ_ONLY] = { "rom: a write exits and changes nothing", -1 },
	[GONE]      = { "rom: gone when disabled", -1 },
	[CONTENT]   = { "rom: what the host put there", ZAPS },
	[WRITTEN]   = { "total: memory holds what was written", TOTAL },
	[DROPPED]   = { "idle_zap: mappings dropped", IDLE_ZAP },
	[BACK]      = { "refault: working set", REFAULTS },
	{ NULL, 0 }
};

static const struct way {
	enum rom_op op;
	bool no_quirk;
} ways[] = { /* in the order of op_names */
	{ ROM_NONE, false },
	{ ROM_TOGGLE, false }, { ROM_TOGGLE, true },
	{ ROM_MOVE, false }, { ROM_MOVE, true },
	{ ROM_FLAGS, false },
};
/* clang-format on */

/* What one run works with. */
struct experiment {
	struct run *r;
	const struct config *cfg;
	const struct way *way;
	struct workload touch;
	struct writers writers;
	struct option_rom *rom;
	struct zap_proof zap;
};

static void zap_idle(struct experiment *e)
{
	struct run *r = e->r;
	u64 refaults;

	gang_round(r->gang, "guest_touch_memory");
	zap_proof_begin(&e->zap);
	if (e->way->op != ROM_NONE && e->cfg->inject != NO_ZAP)
		sample_value(r, IDLE_ZAP, rom_call_idle(e->rom));
	if (e->cfg->inject == EXTRA_ZAP)
		zap_proof_falsify(&e->zap);
	zap_proof_check_left(&e->zap, DROPPED);
	stats_begin(r);
	sample(r, REFAULT, gang_round(r->gang, "guest_touch_memory"));
	if (zap_proof_check_refaults(&e->zap, BACK, &refaults))
		sample_value(r, REFAULTS, refaults);
}

static struct timing write_memory(struct experiment *e)
{
	struct run *r = e->r;
	struct timing t;

	writers_assign(&e->writers);
	stalls_clear(r);
	stats_begin(r);
	t = rom_round(r, e->rom, &e->cfg->rom, "guest_write_memory");
	stats_end(r, TOTAL);
	writers_discount(&e->writers, &t);
	return t;
}

static void measure_total(struct experiment *e)
{
	struct run *r = e->r;
	u64 before, after, zaps;
	bool counted = zap_proof_faults(r, &before);

	sample_time(r, TOTAL, write_memory(e));
	counted = counted && zap_proof_faults(r, &after);
	sample_stalls(r, STALL);
	if (e->cfg->inject == LOST_WRITE)
		writers_lose_write(&e->writers);
	writers_check(&e->writers, WRITTEN);
	zaps = rom_sample_calls(r, e->rom, slot_calls);
	sample_value(r, ZAPS, zaps);
	if (zaps && counted)
		sample_value(r, FAULTS, (after - before) * 1000 / zaps);
	rom_check_content(r, CONTENT, e->rom);
}

static void prepare(struct experiment *e)
{
	const struct config *cfg = e->cfg;
	struct run *r = e->r;
	struct option_rom_config rom = {
		.op = e->way->op,
		.bytes = cfg->rom.bytes,
		.stale = cfg->inject == STALE_ROM,
		.writable = cfg->inject == WRITABLE_ROM,
		.kept = cfg->inject == KEPT_ROM,
	};

	zap_proof_init(&e->zap, r, rom_op_zaps(e->way->op), e->way->no_quirk);
	run_create(r, r->bytes);
	workload_init(&e->touch, r,
		      &(struct workload_config){ .sharing = SHARE_SPLIT,
						 .write_percent = 100 });
	stalls_init(r, cfg->stalls);
	writers_init(&e->writers, r, cfg->passes);
	rom.guest = &e->writers.writer[0].rom;
	e->rom = option_rom_create(r->vm, &rom);
	e->zap.own = cfg->rom.bytes / r->mem->page_bytes;
	run_start(r);
	sample_pages(r, POPULATE, testmem_pages(r->mem));
	sample_pages(r, REFAULT, testmem_pages(r->mem));
	sample_pages(r, TOTAL, testmem_pages(r->mem) * cfg->passes);
}

static void run(struct run *r)
{
	struct experiment e = { .r = r,
				.cfg = r->config,
				.way = &ways[r->variant] };

	prepare(&e);
	sample(r, POPULATE, gang_round(r->gang, "guest_touch_memory"));
	check_mappings(r, POPULATED,
		       (struct mapping_claim){ .now = MAPPED_BY_BLOCKS });
	rom_probe(r, e.rom, "guest_probe_rom",
		  (struct rom_probe_checks){ READ_ONLY, GONE });
	for (u64 i = 0; i < e.cfg->common.rounds; i++) {
		zap_idle(&e);
		measure_total(&e);
	}
	metrics_may_lack(r, BIT(METRICS) - BIT(ZAPS));
	option_rom_free(e.rom);
	workload_fini(&e.touch);
	zap_proof_fini(&e.zap);
}

static void validate(const void *config)
{
	workload_validate_split(config);
}

static void require(const void *config __maybe_unused)
{
	option_rom_require();
}

static const char *op_missing(int kvm_fd, unsigned int op)
{
	return zap_proof_missing(kvm_fd, ways[op].no_quirk);
}

static const struct bench_variants variants = { "op", op_names, OFFSET(ops),
						op_missing };

static const struct bench bench = {
	.name = "memslot_zap_test",
	.question = "what do running vCPUs pay when a memslot that has nothing "
		    "to do with their memory comes and goes?",
	.options = options,
	.metrics = metrics,
	.checks = checks,
	.defaults = &defaults,
	.config_bytes = sizeof(defaults),
	.variants = &variants,
	.validate = validate,
	.require = require,
	.run = run,
};

int main(int argc, char **argv)
{
	return bench_main(&bench, argc, argv);
}

#endif
