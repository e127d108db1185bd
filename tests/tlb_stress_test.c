/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What does a guest pay that makes, uses and drops address spaces at a high
 * rate, and what does its host?
 *
 * Each vCPU runs one short process after another, as a shell script does: it
 * builds tables for a few pages and enters them; calls code in one page on a
 * stack in another; reads and writes data; takes a fault for each page that is
 * copied on write; reads and writes memory of a device, and registers that only
 * the host has; leaves, and takes the tables down. Each process also moves a
 * page that all vCPUs share, and has them drop its old translation. So TLB
 * fills and invalidations dominate, with RAM and what is not RAM side by side.
 *
 * What disturbs: more vCPUs than CPUs, as they wait for each other; a kernel
 * that divides CPU time into user and sys by its tick, if a run is short.
 */
#include <guest/process.h>

#ifdef KVMETER_GUEST

GUEST_FUNCTION(guest_populate)
{
	process_populate(cpu);
}

GUEST_FUNCTION(guest_run_processes)
{
	struct space space;
	struct guest_process *p = process_begin(cpu, &space);

	for (u64 left = p->count; left; left--) {
		process_fill_pages(p);
		guest_kernel_call(process_create, (u64)p);
		process_use_pages(p);
		process_move_shared_page(p);
		guest_kernel_call(process_exit, (u64)p);
		process_check_pages(p);
		WRITE_ONCE(cpu->passes, cpu->passes + 1);
	}
	process_end(cpu);
}

GUEST_FUNCTION(guest_watch_moves)
{
	struct space space;
	struct guest_process *p = process_begin(cpu, &space);

	process_fill_pages(p);
	guest_kernel_call(process_create, (u64)p);
	process_use_pages(p);
	process_watch_moves(p);
	guest_kernel_call(process_exit, (u64)p);
	process_check_pages(p);
	process_end(cpu);
}

#else

#include "backing.h"
#include "bench.h"
#include "clock.h"
#include "process_proof.h"
#include "spaces.h"
#include "util.h"

struct config {
	struct bench_config common;
	struct u64_list invalidate;
	u64 processes, pages, cow_percent, device_percent, mmio_percent;
	const char *device;
	int inject;
};

static const struct config defaults = {
	.common = { BENCH_CONFIG_DEFAULTS, .bytes = { 1, { MIB(4) } },
		    .rounds = 1 },
	.processes = 50,
	.pages = 16,
	.cow_percent = 25,
	.device_percent = 25,
	.mmio_percent = 8,
	.device = "memfd",
};

static bool valid_device(const void *member, const char **why)
{
	*why = backing_fault(*(const char *const *)member);
	return !*why;
}

#define OFFSET(member) offsetof(struct config, member)

static const struct option_row options[] = {
	/* clang-format off */
	{ OPT_CHOICE_LIST, 0, "invalidate", "LIST", OFFSET(invalidate),
	  "how translations are dropped, else each way that the guest has", .choices = space_invalidation_names },
	{ OPT_U64, 0, "processes", "N", OFFSET(processes),
	  "processes of each vCPU in a round", .min = 1, .max = 1000000000 },
	{ OPT_U64, 0, "pages", "N", OFFSET(pages),
	  "pages of a process: code, stack, data, and the following", .min = PROCESS_PAGES_MIN, .max = KIB(8) },
	{ OPT_U64, 0, "cow-percent", "PERCENT", OFFSET(cow_percent),
	  "share of pages that are copied on write", .max = 100 },
	{ OPT_U64, 0, "device-percent", "PERCENT", OFFSET(device_percent),
	  "share of pages of a device's memory", .max = 100 },
	{ OPT_U64, 0, "mmio-percent", "PERCENT", OFFSET(mmio_percent),
	  "share of pages that no memory is behind: each access is an exit", .max = 100 },
	{ OPT_STRING, 0, "device", "TYPE", OFFSET(device),
	  "the device's memory, which is overwritten: a backing source, a new file, or a device that can be mapped, "
	  "also by its resource in sysfs", .valid = valid_device },
	{ OPT_CHOICE, 0, "inject", "FAULT", OFFSET(inject),
	  "break a proof on purpose, to see that it can fail", .choices = process_inject_names },
	{ .type = OPT_END }
	/* clang-format on */
};

static const struct bench_variants variants = {
	.key = "invalidate",
	.names = space_invalidation_names,
	.offset = OFFSET(invalidate),
	.missing = arch_invalidation_missing,
};

enum metric { REAL, USER, SYS, PROCESSES_PER_S };

static const struct metric_row metrics[] = {
	/* clang-format off */
	[REAL] = { "real", UNIT_NS, LOWER_IS_BETTER, "all processes of a round, of all vCPUs at once" },
	[USER] = { "user", UNIT_NS, LOWER_IS_BETTER, "CPU time of the host process in it, in user mode and in the guest" },
	[SYS]  = { "sys",  UNIT_NS, LOWER_IS_BETTER, "CPU time of the host process in it, in the kernel" },
	[PROCESSES_PER_S] = { "processes_per_s", UNIT_PROCESSES_PER_S, HIGHER_IS_BETTER, "processes of all vCPUs by real" },
	{ .name = NULL }
	/* clang-format on */
};

enum check_id { OWN_PAGES, COPIED, REGISTERS, DEVICE, MOVED };

static const struct check_row checks[] = {
	[OWN_PAGES] = { "processes: pages are their own", REAL },
	[COPIED] = { "copy on write: faults", REAL },
	[REGISTERS] = { "mmio: exits", SYS },
	[DEVICE] = { "device: memory", USER },
	[MOVED] = { "invalidation: no stale translation", PROCESSES_PER_S },
	{ NULL, 0 }
};

static struct processes_config processes_of(const struct config *cfg)
{
	return (struct processes_config){
		.count = cfg->processes,
		.pages = cfg->pages,
		.cow_percent = cfg->cow_percent,
		.device_percent = cfg->device_percent,
		.mmio_percent = cfg->mmio_percent,
		.device = cfg->device,
		.inject = cfg->inject,
	};
}

static u64 memory(const void *config, u64 vcpus, u64 bytes)
{
	(void)config;
	return vcpus * bytes;
}

static void validate(const void *config)
{
	const struct config *cfg = config;
	struct processes_config processes = processes_of(cfg);

	processes_validate(&processes, &cfg->common);
}

static void require(const void *config)
{
	const struct config *cfg = config;
	struct processes_config processes = processes_of(cfg);

	processes_require(&processes, &cfg->common);
}

/* What time(1) would say of it, and the rate. */
static void sample_round(struct run *r, u64 processes, struct timing t)
{
	struct thread_usage all = thread_usage_add(t.usage.vcpus, t.usage.host);
	u64 real_ns = t.ns;

	sample(r, REAL, t);
	t.vcpu_ns = NULL;
	t.ns = all.user_ns;
	sample_time(r, USER, t);
	t.ns = all.sys_ns;
	sample_time(r, SYS, t);
	sample_value(r, PROCESSES_PER_S, processes * NSEC_PER_SEC / real_ns);
}

static void run(struct run *r)
{
	const struct config *cfg = r->config;
	struct processes_config processes = processes_of(cfg);
	u64 done = 0;
	struct processes p;

	run_create(r, memory(cfg, r->nr_vcpus, r->bytes));
	processes.invalidation = r->variant;
	processes_init(&p, r, &processes);
	run_start(r);
	gang_round(r->gang, "guest_populate");
	stats_begin(r);
	for (u64 i = 0; i < cfg->common.rounds; i++) {
		sample_round(r, cfg->processes * r->nr_vcpus,
			     gang_round(r->gang, "guest_run_processes"));
		done += cfg->processes * r->nr_vcpus;
	}
	for (int m = REAL; m <= SYS; m++)
		remark_mean(r, m);
	gang_round(r->gang, "guest_watch_moves");
	done += r->nr_vcpus;

	process_proof_check_pages(&p, OWN_PAGES, done);
	process_proof_check_copies(&p, COPIED, done);
	process_proof_check_registers(&p, REGISTERS, done);
	process_proof_check_device(&p, DEVICE);
	process_proof_check_moves(&p, MOVED, done);
	run_end(r);
	processes_fini(&p);
}

static const struct bench bench = {
	.name = "tlb_stress_test",
	.question = "what does a guest pay that makes, uses and drops address "
		    "spaces at a high rate, and what does its host?",
	.options = options,
	.metrics = metrics,
	.checks = checks,
	.defaults = &defaults,
	.config_bytes = sizeof(defaults),
	.variants = &variants,
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
